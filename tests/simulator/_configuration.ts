/** Configurations of simulated nodes, changed over the wire. */

import type {
  ClusterOptions,
  RunningCluster,
} from "../../simulator/cluster/cluster.ts";
import { machineConfig } from "../../simulator/state/machine_config.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  type ApplyConfiguration,
  ApplyConfigurationRequest_Mode as Mode,
} from "../../transport/gen/machine.ts";
import { withCluster } from "../_cluster.ts";
import { openClient } from "./_faults.ts";
import { specs } from "./_resources.ts";

/** A quick cluster with a worker. */
export function withWorker(
  test: (client: NodeClient, cluster: RunningCluster) => Promise<void>,
  options: ClusterOptions = {},
): Promise<void> {
  // A node that leaves at once may take its answer with it.
  const pace = { stopMs: 100, downMs: 0, installMs: 0 };
  return withCluster({ workers: 1, pace, ...options }, async (cluster) => {
    using client = openClient(cluster);
    await test(client, cluster);
  });
}

export interface Applied {
  readonly mode?: Mode;
  readonly dryRun?: boolean;
  readonly seconds?: number;
}

export async function apply(
  client: NodeClient,
  text: string,
  { mode = Mode.AUTO, dryRun = false, seconds = 60 }: Applied = {},
): Promise<ApplyConfiguration> {
  const { messages } = await client.machine.applyConfiguration({
    data: new TextEncoder().encode(text),
    mode,
    dryRun,
    tryModeTimeout: { seconds: BigInt(seconds), nanos: 0 },
  });
  return messages[0]!;
}

/** Configurations the node shows. */
export async function readConfigurations(client: NodeClient) {
  const { v1alpha1, persistent } = await specs(
    client,
    "MachineConfigs.config",
    "config",
  );
  return { active: String(v1alpha1), persistent: String(persistent) };
}

export function workerConfig({ nodes }: RunningCluster): string {
  return machineConfig(nodes[1]!);
}

/** A change that takes effect at once. */
export function withSysctl(text: string, value = "1"): string {
  return text.replace(
    "machine:\n",
    `machine:\n    sysctls:\n        vm.nr_hugepages: "${value}"\n`,
  );
}

/** A change that needs a reboot. */
export function withFile(text: string): string {
  return text.replace(
    "machine:\n",
    'machine:\n    udev:\n        rules:\n            - KERNEL=="x"\n',
  );
}
