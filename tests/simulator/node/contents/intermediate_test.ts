import assert from "node:assert/strict";
import { toKey } from "../../../../simulator/node/contents/content.ts";
import { bootNodes } from "../../_node.ts";

/** Short types, each with the nodes that have some: control plane, worker. */
const present = [
  ["EthernetStatuses.net", 1, 1],
  ["DNSResolveCaches.net", 2, 2],
  ["NodeAddressFilters.net", 2, 2],
  ["NodeAddressSortAlgorithms.net", 1, 1],
  ["DiscoveryRefreshStatuses.block", 1, 1],
  ["ImageCacheConfigs.cri", 1, 1],
  ["KubeletLifecycles.kubernetes", 1, 1],
  ["UserDiskConfigStatuses.block", 1, 1],
  ["VolumeLifecycles.block", 1, 1],
  ["KubePrismConfigs.kubernetes", 1, 1],
  ["EtcFileStatuses.files", 3, 3],
  ["SBOMItems", 2, 2],
  ["EtcdConfigs.etcd", 1, 0],
  ["PKIStatuses.etcd", 1, 0],
  ["ConfigStatuses.kubernetes", 1, 0],
] as const;

const newer = ["APIServiceConfigs.runtime", "Environments.runtime"];

for (const tag of ["v1.8.4", "v1.12.11", "v1.13.9"]) {
  Deno.test(`a node of ${tag} has what its controllers hand to one another, and no types of other versions`, async () => {
    const nodes = await bootNodes({ release: { tag }, workers: 1 });
    const counts = (type: string) =>
      nodes.map(({ boot: { resources } }) =>
        resources.list(toKey({ type, id: "" })).length
      );
    const isOld = tag === "v1.8.4";
    for (const [type, ...expected] of present) {
      const isNewer = isOld &&
        /^(Ethernet|ImageCache|NodeAddressSort|SBOM)/.test(type);
      assert.deepEqual(counts(type), isNewer ? [0, 0] : expected, type);
    }
    for (const type of newer) {
      assert.deepEqual(counts(type), tag === "v1.13.9" ? [1, 1] : [0, 0], type);
    }
  });
}
