import type { SimulatedNode } from "../state/node.ts";

/** Memory of a node, in KiB, by the wire's field names. */
type MemoryFacts = typeof controlPlane;

/** Memory of a node; a worker has half as much as a control plane. */
export function measureMemory({ identity }: SimulatedNode): MemoryFacts {
  return identity.machineType === "worker" ? worker : controlPlane;
}

const controlPlane = {
  memtotal: 4026028n,
  memfree: 1843264n,
  memavailable: 2867200n,
  buffers: 4096n,
  cached: 1210368n,
  active: 1024000n,
  inactive: 819200n,
  activeanon: 640000n,
  activefile: 384000n,
  inactivefile: 819200n,
  unevictable: 49152n,
  dirty: 128n,
  anonpages: 614400n,
  mapped: 307200n,
  shmem: 51200n,
  slab: 143360n,
  sreclaimable: 81920n,
  sunreclaim: 61440n,
  kernelstack: 9216n,
  pagetables: 8192n,
  commitlimit: 2013014n,
  committedas: 3145728n,
  vmalloctotal: 34359738367n,
  vmallocused: 28672n,
  anonhugepages: 20480n,
  hugepagesize: 2048n,
  directmap4K: 118784n,
  directmap2M: 4075520n,
};

const worker: MemoryFacts = {
  ...controlPlane,
  memtotal: 2013014n,
  memfree: 921632n,
  memavailable: 1433600n,
  cached: 605184n,
};
