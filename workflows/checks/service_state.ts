/** Services of a node, and what is wrong with one. */

import type { NodeClient } from "../../transport/call/client.ts";
import type { ServiceInfo } from "../../transport/gen/machine.ts";
import { single } from "../../transport/call/reply.ts";
import { answerMs } from "./finding.ts";

/**
 * Reads the services of a node. Source: `MachineService.ServiceList`.
 *
 * @param client Client of the node.
 * @throws {OsctlError} If it does not answer.
 */
export async function readServices(
  { machine }: Pick<NodeClient, "machine">,
): Promise<readonly ServiceInfo[]> {
  const answer = await machine.serviceList({}, { deadlineMs: answerMs });
  return single(answer.messages).services;
}

/**
 * Reads one service of a node.
 *
 * @param client Client of the node.
 * @param id Its name.
 * @returns `undefined` when the node does not have it.
 * @throws {OsctlError} If it does not answer.
 */
export async function readService(
  client: Pick<NodeClient, "machine">,
  id: string,
): Promise<ServiceInfo | undefined> {
  return (await readServices(client)).find((service) => service.id === id);
}

/**
 * Tells what keeps a service from working.
 *
 * @param id Its name.
 * @param service What the node says of it.
 * @param checked True when its own check has to say that it is healthy; else it may not know.
 * @returns `undefined` when it works.
 */
export function serviceProblem(
  id: string,
  service: ServiceInfo | undefined,
  checked: boolean,
): string | undefined {
  if (service === undefined) return `${id} is not registered`;
  const { state, health, events } = service;
  if (state !== "Running") {
    const message = events?.events.at(-1)?.msg ?? "";
    const why = message === "" ? "" : ` (${message})`;
    return `${id} is ${state.toLowerCase() || "in no state"}${why}`;
  }
  const unknown = health === undefined || health.unknown;
  if (unknown && !checked || health?.healthy) return undefined;
  const message = health?.lastMessage ?? "";
  return `${id} is not healthy${message === "" ? "" : ` (${message})`}`;
}
