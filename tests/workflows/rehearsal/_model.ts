/** Model clusters for tests of rehearsals. */

import type { ModelCluster } from "../../../workflows/rehearsal/model/model_cluster.ts";

export { withModel } from "../../simulator/_model.ts";

/** Addresses of the nodes, control planes first. */
export function addresses({ observe }: ModelCluster): readonly string[] {
  return observe().nodes.map(({ address }) => address);
}
