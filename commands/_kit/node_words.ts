/** Names on a node that arguments may have: services, logs and containers. */

import type { NodeClient } from "../../transport/call/client.ts";
import { readContainers } from "../../transport/node/containers.ts";
import type { Candidate } from "./completion.ts";

type Client = Pick<NodeClient, "machine">;

/** Kinds of names, with how to list them. `kubernetes`: true for containers of Kubernetes. */
export const nodeWords = { services, logs, containers } satisfies Record<
  string,
  (client: Client, kubernetes: boolean) => Promise<readonly Candidate[]>
>;

/** True if names of this kind are on nodes. */
export function isNodeWord(kind: string): kind is keyof typeof nodeWords {
  return Object.hasOwn(nodeWords, kind);
}

async function services({ machine }: Client): Promise<readonly Candidate[]> {
  const { messages } = await machine.serviceList({});
  return messages.flatMap(({ services }) => services)
    .map(({ id, state }) => ({ word: id, about: state }));
}

async function logs(
  client: Client,
  kubernetes: boolean,
): Promise<readonly Candidate[]> {
  if (kubernetes) return await containers(client, true);
  const [known, { messages }] = await Promise.all([
    services(client),
    client.machine.logsContainers({}),
  ]);
  const named = messages.flatMap(({ ids }) => ids).map((word) => ({ word }));
  // A log that is also a service is shown with its state.
  const byWord = new Map([...named, ...known].map((one) => [one.word, one]));
  return [...byWord.values()].sort((a, b) => a.word < b.word ? -1 : 1);
}

async function containers(
  client: Client,
  kubernetes: boolean,
): Promise<readonly Candidate[]> {
  return (await readContainers(client, kubernetes))
    .filter(({ id, podId }) => !kubernetes || id !== podId)
    .map(({ id, image }) => ({ word: id, about: image }));
}
