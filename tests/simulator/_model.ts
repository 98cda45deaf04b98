/** Model clusters for tests. */

import {
  createModelCluster,
  type ModelCluster,
  type ModelClusterOptions,
} from "../../workflows/rehearsal/model/model_cluster.ts";
import { type NodeClient, nodeClient } from "../../transport/call/client.ts";

/** Version that installers of tests bring. */
export const newVersion = "v1.13.6";

/** Image of that installer. */
export const newImage: string = `ghcr.io/siderolabs/installer:${newVersion}`;

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

/** An administrator's calls to a node. */
export function clientAt(cluster: ModelCluster, name: string): NodeClient {
  return nodeClient(name, cluster.transport(name, cluster.admin), {});
}

export function nodeAt(cluster: ModelCluster, name: string) {
  return cluster.observe().nodes.find((node) => node.name === name)!; // the test has made it
}

/** Waits until something is so; it is checked every second. */
export async function until(
  { clock }: ModelCluster,
  isSo: () => boolean,
): Promise<void> {
  while (!isSo()) await clock.sleep(1_000);
}
