/** A node for operations: what it says of itself from one look to the next, and a clock that jumps. */

import { ConnectError } from "../../../errors.ts";
import type { MachineState } from "../../../transport/node/machine_state.ts";
import type { NodeContext } from "../../../workflows/operations/operation.ts";
import type { OperationClock } from "../../../lib/clock.ts";
import { viewCluster } from "../../../workflows/operations/cluster_view.ts";
import { bare, type FakeNode, fakeNodes } from "../../_fake.ts";

export type Glance = MachineState | Error;

const stranger = new ConnectError("wrong-ca", "Not of this cluster");

/** A node, and what was sent to it. */
export interface FakeContext {
  readonly context: NodeContext;
  /** Time that passed, in milliseconds. */
  readonly elapsedMs: () => number;
}

/**
 * Makes a node.
 *
 * @param glances What looks find; waiting continues to the next, the last one stays.
 * @param limitMs Time after which the signal aborts.
 * @param handlers Answers to other calls.
 * @param bareVersion What it answers when it is asked past its cluster; default that it does not know the caller.
 */
export async function fakeContext(
  glances: readonly Glance[],
  limitMs: number,
  handlers: FakeNode = {},
  bareVersion: () => unknown = () => Promise.reject(stranger),
): Promise<FakeContext> {
  const late = new AbortController();
  let elapsed = 0;
  let at = 0;
  const clock: OperationClock = {
    now: () => elapsed,
    sleep(ms) {
      elapsed += ms;
      at = Math.min(at + 1, glances.length - 1);
      if (elapsed >= limitMs) late.abort();
      return Promise.resolve();
    },
  };
  const glance = () => {
    const found = glances[at];
    if (found === undefined || found instanceof Error) throw found;
    return found;
  };
  const { nodes } = fakeNodes({
    a: {
      async *read() {
        const { bootId } = await Promise.resolve(glance());
        if (bootId !== undefined) {
          yield { bytes: new TextEncoder().encode(`${bootId}\n`) };
        }
      },
      get() {
        const { stage, ready, unmet } = glance();
        const unmetConditions = unmet.map((text) => {
          const [name, reason] = text.split(": ");
          return { name, reason };
        });
        const spec = { stage, status: { ready, unmetConditions } };
        return { resource: { spec: { yamlSpec: JSON.stringify(spec) } } };
      },
      version: () => ({ messages: [{ version: { tag: glance().version } }] }),
      ...handlers,
    },
    [`${bare}a`]: { version: bareVersion },
    // No member of the cluster is known.
    "": { list: () => [] },
  });
  const client = await nodes.at("a");
  const context: NodeContext = {
    node: "a",
    client,
    cluster: viewCluster(nodes, clock),
    signal: late.signal,
    clock,
  };
  return { context, elapsedMs: () => elapsed };
}
