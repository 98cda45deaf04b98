import type { CgroupColumn } from "./column.ts";

const memory = (name: string, value: string): CgroupColumn => ({
  name,
  value,
  format: "bytes",
  width: 8,
});

const six = (name: string, value: string): CgroupColumn => ({
  name,
  value,
  width: 6,
});

const time = (name: string, value: string): CgroupColumn => ({
  name,
  value,
  format: "duration",
  width: 12,
});

const set = (name: string, value: string): CgroupColumn => ({
  name,
  value,
  format: "text",
  width: 12,
});

/** Columns by preset name. */
export const cgroupPresets = {
  cpu: [
    six("CpuWeight", "cpu.weight"),
    six("CpuNice", "cpu.weight.nice"),
    { ...six("CpuMax", "cpu.max"), format: "list" },
    time("CpuUser", "cpu.stat/user_usec"),
    { name: "User/%", value: "cpu.stat/user_usec", percentOf: "parent" },
    time("CpuSystem", "cpu.stat/system_usec"),
    { name: "System/%", value: "cpu.stat/system_usec", percentOf: "parent" },
    time("Throttled", "cpu.stat/throttled_usec"),
  ],
  cpuset: [
    set("CpuSet", "cpuset.cpus"),
    set("CpuSet(Eff)", "cpuset.cpus.effective"),
    set("Mems", "cpuset.mems"),
    set("Mems(Eff)", "cpuset.mems.effective"),
  ],
  io: [
    {
      name: "Bytes Read/Written",
      value: ["io.stat/*/rbytes", "io.stat/*/wbytes"],
      format: "bytes",
    },
    {
      name: "ios Read/Write",
      value: ["io.stat/*/rios", "io.stat/*/wios"],
      root: false,
    },
    six("PressAvg10", "io.pressure/some/avg10"),
    six("PressAvg60", "io.pressure/some/avg60"),
    time("PressTotal", "io.pressure/some/total"),
  ],
  memory: [
    memory("MemCurrent", "memory.current"),
    memory("MemPeak", "memory.peak"),
    memory("MemLow", "memory.low"),
    { name: "Peak/Low", value: "memory.peak", percentOf: "memory.low" },
    memory("MemHigh", "memory.high"),
    memory("MemMin", "memory.min"),
    { name: "Current/Min", value: "memory.current", percentOf: "memory.min" },
    memory("MemMax", "memory.max"),
  ],
  process: [
    { ...six("PidsCurrent", "pids.current"), width: 8 },
    { ...six("PidsPeak", "pids.peak"), width: 8 },
    { ...six("PidsMax", "pids.max"), width: 8 },
    { name: "Procs", value: "cgroup.procs", format: "count", width: 7 },
    { name: "Threads", value: "cgroup.threads", format: "count", width: 7 },
    {
      name: "Processes",
      value: "cgroup.procs",
      format: "processes",
      most: 50,
      root: false,
    },
  ],
  psi: [
    memory("MemCurrent", "memory.current"),
    six("MemPsiSome10", "memory.pressure/some/avg10"),
    six("MemPsi10", "memory.pressure/full/avg10"),
    six("CpuPsi10", "cpu.pressure/full/avg10"),
    six("IoPsi10", "io.pressure/full/avg10"),
  ],
  swap: [
    memory("SwapCurrent", "memory.swap.current"),
    memory("SwapPeak", "memory.swap.peak"),
    memory("SwapHigh", "memory.swap.high"),
    memory("SwapMax", "memory.swap.max"),
    memory("ZswapCurrent", "memory.zswap.current"),
    memory("ZswapMax", "memory.zswap.max"),
    { name: "ZswapWriteback", value: "memory.zswap.writeback" },
  ],
} as const satisfies Readonly<Record<string, readonly CgroupColumn[]>>;

/** Name of a preset. */
export type CgroupPreset = keyof typeof cgroupPresets;
