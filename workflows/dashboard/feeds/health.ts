/** How nodes are, in a few words: what the page of the cluster shows of each. */

import type { NodeClient } from "../../../transport/call/client.ts";
import { single } from "../../../transport/call/reply.ts";
import { domain } from "../../../talos.ts";
import type { ScreenStyle } from "../../../terminal/screen_line.ts";
import { stateTone } from "../../../terminal/tone.ts";
import {
  type StageStatus,
  statusIn,
} from "../../../transport/node/machine_state.ts";
import { ownRole } from "../../../transport/node/node_role.ts";
import {
  readSpec,
  unlessHidden,
} from "../../../transport/node/read_resource.ts";
import { deadlineMs, type Feed, type Reading } from "../feed.ts";

/** How a node is. */
export interface Health extends StageStatus {
  /** Version of the operating system with `v`. */
  readonly version: string;
  /** Host name; empty when the node does not say. */
  readonly hostname: string;
  /** `controlplane`, `worker`; empty when the node does not say. */
  readonly role: string;
}

/** How a node is. */
export const health: Feed<Health> = {
  name: "health",
  async *open({ client, signal, pause }) {
    // What no node changes without a reboot, which ends the connection.
    const facts = await readFacts(client);
    while (!signal.aborted) {
      yield { ...facts, ...await readStatus(client) };
      await pause();
    }
  },
};

async function readFacts(client: NodeClient) {
  const [version, hostname, role] = await Promise.all([
    readVersion(client),
    readSpec(client, {
      namespace: "network",
      type: `HostnameStatuses.net.${domain}`,
      id: "hostname",
    }),
    ownRole(client),
  ]);
  return {
    version,
    hostname: formatValue(hostname?.hostname),
    role: role === "unknown" ? "" : role,
  };
}

/** In maintenance mode only the resource says it. */
async function readVersion(client: NodeClient): Promise<string> {
  const answer = client.machine.version({}, { deadlineMs });
  const found = await unlessHidden(answer);
  if (found !== undefined) {
    return single(found.messages).version?.tag ?? "";
  }
  const spec = await readSpec(client, {
    namespace: "runtime",
    type: `Versions.runtime.${domain}`,
    id: "version",
  });
  return formatValue(spec?.version);
}

async function readStatus(client: NodeClient) {
  const spec = await readSpec(client, {
    namespace: "runtime",
    type: `MachineStatuses.runtime.${domain}`,
    id: "machine",
  });
  return statusIn(spec);
}

/** A text of a spec; empty where there is none. */
export function formatValue(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What a node is doing, in a word. */
export function conditionText(reading: Reading<Health>): string {
  const { value, problem, isAway } = reading;
  if (problem !== undefined) return isAway ? "down" : "no access";
  if (value === undefined) return "...";
  return value.stage || "unknown";
}

/** What the word means. */
export function conditionStyle(
  reading: Reading<Health>,
): ScreenStyle | undefined {
  return reading.problem === undefined
    ? stateTone(conditionText(reading))
    : "bad";
}
