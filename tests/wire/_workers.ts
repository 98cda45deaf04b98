/** Clusters whose workers may be disturbed. */

import { type Wire, withWire } from "../_wire.ts";

export const pace = { bootMs: 200, stopMs: 50, downMs: 200, installMs: 100 };

/** Runs a test with a control plane and workers. */
export function withWorkers(
  workers: number,
  test: (
    wire: Wire & {
      /** Runs a command line on nodes by their place, control planes first. */
      readonly on: (
        nodes: readonly number[],
        line: string,
      ) => ReturnType<Wire["osctl"]>;
    },
  ) => Promise<void>,
): Promise<void> {
  return withWire({ workers, pace }, async (wire) => {
    const { names, osctl } = wire;
    await test({
      ...wire,
      on(nodes, line) {
        const selected = nodes.map((index) => names[index]).join(",");
        return osctl(`${line} -n ${selected}`);
      },
    });
  });
}
