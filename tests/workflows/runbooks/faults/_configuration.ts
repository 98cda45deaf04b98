/** Changing configurations of model nodes by hand, past every run. */

import { parse, stringify } from "yaml";
import { nodeClient } from "../../../../transport/call/client.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../../../transport/gen/machine.ts";
import type { Bench } from "../_bench.ts";

/** The machine part of a configuration. */
export type MachineConfig = Record<string, unknown>;

/**
 * Changes the machine part of a node's configuration.
 *
 * @param bench The cluster.
 * @param node Name of the node.
 * @param change Changes it in place.
 */
export async function changeConfiguration(
  { cluster }: Bench,
  node: string,
  change: (machine: MachineConfig) => void,
): Promise<void> {
  const found = cluster.observe().nodes.find(({ name }) => name === node);
  const [first = "", ...others] = (found?.configuration ?? "").split(/^---\n/m);
  // Written by the simulator, with the machine part first.
  const document = parse(first) as { readonly machine: MachineConfig };
  change(document.machine);
  const text = [stringify(document), ...others].join("---\n");
  const transport = cluster.transport(node, cluster.admin);
  await cluster.clock.run(() =>
    nodeClient(node, transport, {}).machine.applyConfiguration({
      data: new TextEncoder().encode(text),
      mode: Mode.NO_REBOOT,
    })
  );
}
