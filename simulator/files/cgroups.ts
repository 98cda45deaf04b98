/** Cgroups (v2) of a node: a tree whose counters grow with uptime and add up. */

import { blockResources } from "../node/block_devices.ts";
import {
  type ContainerFacts,
  kubernetesContainers,
  systemContainers,
} from "../node/containers.ts";
import { measureMemory } from "../node/memory.ts";
import { type SimulatedNode, upSeconds } from "../state/node.ts";
import { listProcesses } from "../node/processes.ts";
import { findPid } from "../node/system_services.ts";
import { processorCount } from "../node/contents/hardware.ts";
import {
  directory,
  type FileEntry,
  kernelText,
  link,
  writeOnly,
} from "../state/file_entry.ts";

/** Usage of a cgroup and its descendants. */
interface CgroupUse {
  /** In bytes. */
  readonly memory: number;
  readonly cpu: number;
  /** Read and written, in bytes. */
  readonly io: number;
  readonly pids: readonly number[];
  /** Number of threads, including descendants. */
  readonly threads: number;
  readonly ownThreads: number;
}

interface CgroupDraft {
  readonly own?: Partial<Omit<CgroupUse, "ownThreads">>;
  /** Reserved memory in bytes. */
  readonly low?: number;
  /** Memory limit in bytes; default no limit. */
  readonly max?: number;
  /** CPU weight; 100 is the default of the kernel. */
  readonly weight?: number;
  readonly below?: Readonly<Record<string, CgroupDraft>>;
}

const mib = 2 ** 20;

/** Folders and files below `/sys/fs/cgroup`. */
export function cgroupEntries(
  node: SimulatedNode,
): Readonly<Record<string, FileEntry<SimulatedNode>>> {
  return makeEntries(makeGroups(node), true).entries;
}

/** Links by device number below `/sys/dev/block`. */
export function blockDeviceLinks(
  node: SimulatedNode,
): Readonly<Record<string, FileEntry<SimulatedNode>>> {
  return Object.fromEntries(
    blockResources(node).devices.map((
      { spec: { major, minor, devicePath } },
    ) => [`${major}:${minor}`, link(`../..${devicePath}`)]),
  );
}

function makeGroups(node: SimulatedNode): CgroupDraft {
  const up = upSeconds(node);
  const service = (id: string, memory: number, share: number): CgroupDraft => ({
    own: {
      memory: memory * mib,
      cpu: Math.round((share + 0.3) * 1e6 + up * share * 1e6),
      io: Math.round(memory * 40_000 + up * share * 90_000),
      pids: [findPid(node, id)],
      threads: 12,
    },
  });
  const running = (services: Readonly<Record<string, CgroupDraft>>) =>
    Object.fromEntries(
      Object.entries(services).filter(([id]) =>
        node.boot.services.get(id)?.state === "Running"
      ),
    );
  const containers = Object.fromEntries(
    systemContainers(node).map((one) => [one.id, containerGroup(one)]),
  );
  return {
    // Work of the kernel itself is in no cgroup.
    own: {
      cpu: Math.round(1_800_000 + up * 4_000),
      pids: listProcesses(node).filter(({ executable }) => executable === "")
        .map(({ pid }) => pid),
    },
    below: {
      init: {
        own: {
          memory: 85 * mib,
          cpu: Math.round(2_310_000 + up * 10_000),
          io: Math.round(310 * mib + up * 4_000),
          pids: [1],
          threads: 14,
        },
        low: 192 * mib,
        weight: 79,
      },
      system: {
        low: 96 * mib,
        weight: 59,
        below: {
          ...running({ udevd: service("udevd", 7, 0.0004) }),
          ...containers,
          runtime: service("containerd", 46, 0.004),
        },
      },
      podruntime: {
        low: 256 * mib,
        weight: 79,
        below: {
          ...running({
            etcd: service("etcd", 98, 0.03),
            kubelet: service("kubelet", 76, 0.021),
          }),
          runtime: service("cri", 61, 0.012),
        },
      },
      ...podGroups(node),
    },
  };
}

function podGroups(
  node: SimulatedNode,
): Readonly<Record<string, CgroupDraft>> {
  const pods = Map.groupBy(
    kubernetesContainers(node),
    ({ podId }) => podId,
  );
  if (pods.size === 0) return {};
  const burstable: Record<string, CgroupDraft> = {};
  for (const containers of pods.values()) {
    const [first] = containers;
    if (first === undefined) continue;
    burstable[`pod${first.uid}`] = {
      weight: 8,
      below: Object.fromEntries(
        containers.map((one) => [one.internalId, containerGroup(one)]),
      ),
    };
  }
  const max = Number(measureMemory(node).memtotal) * 1024 - 512 * mib;
  const below = { besteffort: { weight: 1 }, burstable: { below: burstable } };
  return { kubepods: { max, weight: 157, below } };
}

function containerGroup(
  { memory, cpu, pid, status }: ContainerFacts,
): CgroupDraft {
  const threads = status === "SANDBOX_READY" ? 1 : 12;
  return {
    own: {
      memory,
      cpu: Math.round(cpu / 1000),
      io: Math.round(memory * 0.8),
      pids: [pid],
      threads,
    },
  };
}

function makeEntries(
  draft: CgroupDraft,
  isRoot = false,
): {
  readonly use: CgroupUse;
  readonly entries: Readonly<Record<string, FileEntry<SimulatedNode>>>;
} {
  const children = Object.entries(draft.below ?? {}).map(([name, child]) =>
    [name, makeEntries(child)] as const
  );
  const sum = (key: "memory" | "cpu" | "io" | "threads") =>
    children.reduce(
      (sum, [, { use }]) => sum + use[key],
      draft.own?.[key] ?? 0,
    );
  const use: CgroupUse = {
    memory: sum("memory"),
    cpu: sum("cpu"),
    io: sum("io"),
    threads: sum("threads"),
    pids: draft.own?.pids ?? [],
    ownThreads: draft.own?.threads ?? 0,
  };
  const texts = {
    ...commonFiles(use),
    ...isRoot ? {} : limitFiles(use, draft),
  };
  const files = Object.entries(texts).map(([name, text]) =>
    [name, kernelText<SimulatedNode>(text)] as const
  );
  const folders = children.map(([name, { entries }]) =>
    [name, directory(entries)] as const
  );
  const entries = Object.fromEntries([...files, ...folders]);
  return {
    use,
    entries: isRoot ? entries : { ...entries, "cgroup.kill": writeOnly() },
  };
}

function commonFiles(
  { memory, cpu, io, pids, ownThreads }: CgroupUse,
): Readonly<Record<string, string>> {
  const user = Math.round(cpu * 0.62);
  const numbers = pids.map((pid) => `${pid}\n`).join("");
  return {
    "cgroup.procs": numbers,
    "cgroup.threads": pids.length === 0 ? "" : numbers +
      Array.from(
        { length: Math.max(0, ownThreads - pids.length) },
        (_, index) => `${(pids[0] ?? 0) + index + 1}\n`,
      ).join(""),
    "cgroup.stat": "nr_descendants 0\nnr_dying_descendants 0\n",
    "cpu.pressure": pressure(cpu * 0.002),
    "cpu.stat": `usage_usec ${cpu}
user_usec ${user}
system_usec ${cpu - user}
nr_periods 0
nr_throttled 0
throttled_usec 0
`,
    "cpuset.cpus.effective": `0-${processorCount - 1}\n`,
    "cpuset.mems.effective": "0\n",
    "io.pressure": pressure(io / 4000),
    "io.stat": io === 0
      ? ""
      : `254:0 rbytes=${Math.round(io * 0.7)} wbytes=${
        io - Math.round(io * 0.7)
      } rios=${Math.ceil(io * 0.7 / 32_768)} wios=${
        Math.ceil(io * 0.3 / 8192)
      } dbytes=0 dios=0\n`,
    "memory.pressure": pressure(0),
    "memory.stat": `anon ${Math.round(memory * 0.55)}
file ${memory - Math.round(memory * 0.55)}
`,
  };
}

function limitFiles(
  { memory, threads, pids }: CgroupUse,
  { low = 0, max, weight = 100, below }: CgroupDraft,
): Readonly<Record<string, string>> {
  const isEmpty = pids.length === 0 && below === undefined;
  const values = {
    "cgroup.events": `populated ${isEmpty ? 0 : 1}\nfrozen 0`,
    "cgroup.freeze": 0,
    "cpu.idle": 0,
    "cpu.max": "max 100000",
    "cpu.max.burst": 0,
    "cpu.weight": weight,
    "cpu.weight.nice": weight === 100 ? 0 : Math.round((100 - weight) / 20),
    "cpuset.cpus": "",
    "cpuset.mems": "",
    "memory.current": memory,
    "memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0",
    "memory.high": "max",
    "memory.low": low,
    "memory.max": max ?? "max",
    "memory.min": low === 0 ? 0 : low / 2,
    "memory.oom.group": 0,
    // The peak is always 25 % above the current value.
    "memory.peak": Math.round(memory * 1.25),
    "memory.swap.current": 0,
    "memory.swap.high": "max",
    "memory.swap.max": "max",
    "memory.swap.peak": 0,
    "memory.zswap.current": 0,
    "memory.zswap.max": "max",
    "memory.zswap.writeback": 1,
    "pids.current": threads,
    "pids.max": "max",
    "pids.peak": threads + 4,
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, `${value}\n`]),
  );
}

function pressure(total: number): string {
  const line = (total: number) =>
    `avg10=0.00 avg60=0.00 avg300=0.00 total=${Math.round(total)}`;
  return `some ${line(total)}\nfull ${line(total * 0.8)}\n`;
}
