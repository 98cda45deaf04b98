/** Model clusters for tests of rehearsals. */

import {
  createModelCluster,
  type ModelCluster,
  type ModelClusterOptions,
} from "../../../../simulator/model_cluster.ts";

/** Runs a test against a model cluster, on its clock, and stops it afterwards; default one control plane. */
export async function withModel(
  options: Partial<ModelClusterOptions>,
  test: (cluster: ModelCluster) => Promise<void>,
): Promise<void> {
  const usual = { controlPlanes: 1, version: "v1.13.4" };
  const cluster = await createModelCluster({ ...usual, ...options });
  try {
    await cluster.clock.run(() => test(cluster));
  } finally {
    await cluster.stop();
  }
}

/** Addresses of the nodes, control planes first. */
export function addresses({ truth }: ModelCluster): readonly string[] {
  return truth().nodes.map(({ address }) => address);
}
