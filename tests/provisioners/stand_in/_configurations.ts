/** Machine configurations for stand-in nodes. */

import { encodeDocuments } from "../../../config/documents/encode.ts";
import { newClusterSecrets } from "../../../simulator/cluster/make_cluster.ts";
import { clusterDocuments } from "../../../simulator/state/machine_config.ts";
import { noStore } from "../../../simulator/cluster/saved_state.ts";

/** Secrets, and configurations as `USERDATA` has them. */
export async function configurations(leader: string) {
  const { secrets, osCa } = await newClusterSecrets(noStore, { now: Date.now });
  const userdata = (role: "controlplane" | "worker") => {
    const facts = { name: "lab", address: leader, secrets };
    const versions = { kubernetes: "1.34.1", tag: "v1.12.11" };
    const documents = clusterDocuments({ ...facts, ...versions }, role);
    return new TextEncoder().encode(encodeDocuments(documents)).toBase64();
  };
  return { secrets, osCa, userdata };
}
