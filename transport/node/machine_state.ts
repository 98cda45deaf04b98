/** What a node says of itself: boot, stage, version. Polled; events only decorate. */

import { domain } from "../../talos.ts";
import { RpcError } from "../../errors.ts";
import { readBootId } from "../stream/boot_id.ts";
import type { NodeClient } from "../call/client.ts";
import { single } from "../call/reply.ts";
import { withoutQuotes } from "../connect/status_text.ts";
import { readFields } from "./read_resource.ts";
import { parseSpec } from "./resource_yaml.ts";

/** A node at one moment. */
export interface MachineState {
  /** Identity of the boot; `undefined` when the role may not read it. */
  readonly bootId: string | undefined;
  /** `booting`, `running`, `rebooting` …; empty when the node does not tell. */
  readonly stage: string;
  /** Whether the node calls itself ready. */
  readonly ready: boolean;
  /** Conditions of readiness that are not met: `services: kubelet is not healthy`. */
  readonly unmet: readonly string[];
  /** Version of the operating system with `v`. */
  readonly version: string;
}

/** Longest time for one answer, in milliseconds. */
const deadlineMs = 10_000;

/** Looks at a node. */
export async function readMachineState(
  client: NodeClient,
): Promise<MachineState> {
  const [bootId, status, version] = await Promise.all([
    readBootId(client)(client.signal),
    readStageStatus(client),
    client.machine.version({}, { deadlineMs }),
  ]);
  return {
    bootId,
    ...status,
    version: single(version.messages).version?.tag ?? "",
  };
}

/** What a node says of its stage. */
export type StageStatus = Pick<MachineState, "stage" | "ready" | "unmet">;

/** Looks only at the stage of a node; a node that has only started to boot has none. */
export async function readStageStatus(
  { state }: Pick<NodeClient, "state">,
): Promise<StageStatus> {
  try {
    const { resource } = await state.get({
      namespace: "runtime",
      type: `MachineStatuses.runtime.${domain}`,
      id: "machine",
      options: {},
    }, { deadlineMs });
    return statusIn(parseSpec(resource?.spec?.yamlSpec ?? ""));
  } catch (error) {
    // A node that has only started to boot does not have it yet.
    if (error instanceof RpcError && error.code === "NOT_FOUND") {
      return { stage: "", ready: false, unmet: [] };
    }
    throw error;
  }
}

/** Reads the status of a machine. `spec`: of a `MachineStatuses.runtime`; `undefined` where there is none. */
export function statusIn(spec: unknown): StageStatus {
  const { stage, status } = readFields(spec);
  const { ready, unmetConditions } = readFields(status);
  const conditions = Array.isArray(unmetConditions) ? unmetConditions : [];
  return {
    stage: typeof stage === "string" ? stage : "",
    ready: ready === true,
    unmet: conditions.map((condition) => {
      const { name, reason } = readFields(condition);
      return `${name}: ${withoutQuotes(String(reason))}`;
    }),
  };
}
