/** State of a machine: boot, stage, version. Polled; events are only additional. */

import { domain } from "../../talos.ts";
import { RpcError } from "../../errors.ts";
import { readBootId } from "../stream/boot_id.ts";
import type { NodeClient } from "../call/client.ts";
import { single } from "../call/reply.ts";
import { withoutQuotes } from "../connect/status_text.ts";
import { readFields } from "./read_resource.ts";
import { parseSpec } from "./resource_yaml.ts";

/** State of a machine at one point in time. */
export interface MachineState {
  /** Boot id; `undefined` if the role is not allowed to read it. */
  readonly bootId: string | undefined;
  /** `booting`, `running`, `rebooting` …; empty if not reported. */
  readonly stage: string;
  /** True if the node reports ready. */
  readonly ready: boolean;
  /** Unmet readiness conditions: `services: kubelet is not healthy`. */
  readonly unmet: readonly string[];
  /** Version of the operating system with `v`. */
  readonly version: string;
}

/** Stages before a reboot or a power-off. */
export const leaving: ReadonlySet<string> = new Set([
  "rebooting",
  "upgrading",
  "shutting down",
  "resetting",
]);

/** Timeout for each request, in milliseconds. */
const deadlineMs = 10_000;

/** Reads the state of a machine. */
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

/** Stage and readiness of a machine. */
export type StageStatus = Pick<MachineState, "stage" | "ready" | "unmet">;

/** Reads only the stage of a machine; a node that has just started to boot has none. */
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
    // Does not exist yet on a node that has just started to boot.
    if (error instanceof RpcError && error.code === "NOT_FOUND") {
      return { stage: "", ready: false, unmet: [] };
    }
    throw error;
  }
}

/** Parses a machine status. `spec`: of a `MachineStatuses.runtime`; `undefined` if there is none. */
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
