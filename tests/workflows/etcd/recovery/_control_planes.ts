/** Control planes whose etcd is as a test says, from look to look. */

import type { NodeContext } from "../../../../workflows/operations/operation.ts";
import type { ClusterView } from "../../../../workflows/operations/cluster_view.ts";
import { fakeNodes, type Handler, RpcError } from "../../../_fake.ts";

/** State of a node in one reading; `away` does not answer. */
export type Plane = "away" | {
  readonly service: string;
  readonly data: boolean;
  readonly boot: string;
};

/** A plane that waits for a bootstrap. */
export const waiting: Plane = { service: "Preparing", data: false, boot: "1" };

/** A plane whose etcd is running. */
export const running: Plane = { service: "Running", data: true, boot: "1" };

/**
 * A context on the first of some control planes.
 *
 * @param planes States by address, look after look; the last one stays.
 * @param more Further handlers of the first.
 */
export async function makeRecoveryContext(
  planes: Readonly<Record<string, readonly Plane[]>>,
  more: Readonly<Record<string, Handler>> = {},
): Promise<
  NodeContext & {
    /** Time that has passed, in milliseconds. */
    readonly now: () => number;
  }
> {
  let now = 0;
  const left = new Map(
    Object.entries(planes).map(([name, states]) => [name, [...states]]),
  );
  const handlers = Object.fromEntries(
    Object.keys(planes).map((name, index) => [
      name,
      { ...planeHandlers(left.get(name)!), ...index === 0 ? more : {} },
    ]),
  );
  const { nodes } = fakeNodes(handlers);
  const names = Object.keys(planes);
  const members = names.map((address) => ({
    address,
    hostname: `host-${address}`,
    controlPlane: true,
  }));
  const cluster = {
    members: () => Promise.resolve(members),
    at: nodes.at,
  } as unknown as ClusterView; // nothing else is asked of it
  const client = await nodes.at(names[0]!);
  return {
    node: names[0]!,
    client,
    cluster,
    signal: new AbortController().signal,
    clock: { now: () => now, sleep: (ms) => Promise.resolve(void (now += ms)) },
    now: () => now,
  };
}

function planeHandlers(states: Plane[]) {
  let present: Plane = "away";
  return {
    serviceList() {
      present = states.length > 1 ? states.shift()! : states[0]!;
      if (present === "away") throw new RpcError("UNAVAILABLE", "gone");
      const { service } = present;
      const health = { healthy: service === "Running" };
      const services = service === ""
        ? []
        : [{ id: "etcd", state: service, health }];
      return { messages: [{ services }] };
    },
    list({ root }: { root: string }) {
      const inside = present !== "away" && present.data ? ["member"] : [];
      return [root, ...inside].map((relativeName) => ({ relativeName }));
    },
    read: () => [{
      bytes: new TextEncoder().encode(present === "away" ? "" : present.boot),
    }],
  };
}
