/** Mounts of a node, in the order of its mount table. */

import { partitions } from "./contents/storage.ts";
import type { SimulatedNode } from "../state/node.ts";

interface MountFacts {
  /** Source: `/dev/vda4`, `tmpfs`. */
  readonly filesystem: string;
  readonly target: string;
  /** Size in bytes; 0 for kernel file systems. */
  readonly size: number;
  /** Free bytes. */
  readonly available: number;
  /** Line in the mount table of the kernel. */
  readonly line: string;
}

export function mountTable(_node: SimulatedNode): readonly MountFacts[] {
  return table;
}

const mib = 2 ** 20;

const table: readonly MountFacts[] = [
  mount("devtmpfs", "/dev", "devtmpfs", [1921 * mib, 1921 * mib]),
  mount("tmpfs", "/run", "tmpfs", [1966 * mib, 1965 * mib]),
  mount("proc", "/proc", "proc", [0, 0]),
  mount("sysfs", "/sys", "sysfs", [0, 0]),
  mount("tmpfs", "/tmp", "tmpfs", [1966 * mib, 1966 * mib]),
  mount("/dev/loop0", "/", "squashfs", [78 * mib, 0]),
  mount("cgroup2", "/sys/fs/cgroup", "cgroup2", [0, 0]),
  mount("tmpfs", "/system", "tmpfs", [1966 * mib, 1966 * mib]),
  ...partitions.flatMap(({ size, filesystem, target }, index) =>
    target === "" ? [] : [
      mount(`/dev/vda${index + 1}`, target, filesystem, [
        size,
        Math.floor(size * 0.87),
      ]),
    ]
  ),
];

function mount(
  filesystem: string,
  target: string,
  type: string,
  [size, available]: readonly [number, number],
): MountFacts {
  const line = `${filesystem} ${target} ${type} rw,relatime 0 0`;
  return { filesystem, target, size, available, line };
}
