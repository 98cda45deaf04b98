/** Health of nodes, in short, for the cluster page. */

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

/** Health of a node. */
export interface Health extends StageStatus {
  /** Version of the operating system with `v`. */
  readonly version: string;
  /** Host name; empty if not reported. */
  readonly hostname: string;
  /** `controlplane`, `worker`; empty if not reported. */
  readonly role: string;
}

/** Feed of the health of a node. */
export const health: Feed<Health> = {
  name: "health",
  async *open({ client, signal, pause }) {
    // These only change with a reboot, which closes the connection.
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

/** Version of the node. In maintenance mode only the resource contains it. */
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

/** Formats a value of a spec; empty if there is none. */
export function formatValue(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Condition of a node, in a word. */
export function conditionText(reading: Reading<Health>): string {
  const { value, problem, isAway } = reading;
  if (problem !== undefined) return isAway ? "down" : "no access";
  if (value === undefined) return "...";
  return value.stage || "unknown";
}

/** Style of the condition. */
export function conditionStyle(
  reading: Reading<Health>,
): ScreenStyle | undefined {
  return reading.problem === undefined
    ? stateTone(conditionText(reading))
    : "bad";
}
