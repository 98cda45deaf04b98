/** Load, CPUs, network devices and disks, as polled by monitors. */

import { busySeconds, measureLoad } from "../node/activity.ts";
import { measureMemory } from "../node/memory.ts";
import { type SimulatedNode, upSeconds } from "../state/node.ts";
import { processorCount } from "../node/contents/hardware.ts";
import { partitions } from "../node/contents/storage.ts";
import type { MachineHandlers } from "./handlers.ts";

/** `LoadAvg`, `SystemStat`, `CPUInfo`, `CPUFreqStats`, `NetworkDeviceStats` and `DiskStats`. */
export const systemStats: MachineHandlers = {
  loadAvg(_, { node }) {
    const [load1, load5, load15] = measureLoad(node);
    return { messages: [{ load1, load5, load15 }] };
  },
  systemStat: (_, { node }) => ({ messages: [systemStat(node)] }),
  cPUInfo: () => ({ messages: [{ cpuInfo: processors }] }),
  // Virtual machines do not report frequencies.
  cPUFreqStats: () => ({
    messages: [{ cpuFreqStats: processors.map(() => ({})) }],
  }),
  networkDeviceStats(_, { node }) {
    const devices = ["eth0", "lo"].map((name) => networkDevice(node, name));
    return {
      messages: [{ devices, total: { ...sum(devices), name: "eth0, lo" } }],
    };
  },
  diskStats(_, { node }) {
    const names = ["vda", ...partitions.map((_, index) => `vda${index + 1}`)];
    const devices = names.map((name) => diskDevice(node, name));
    return { messages: [{ devices, total: sum(devices) }] };
  },
};

function systemStat(node: SimulatedNode) {
  const up = upSeconds(node);
  const busy = busySeconds(node);
  const used = {
    user: 0.05 * busy,
    system: 0.03 * busy,
    iowait: 0.01 * busy,
    softIrq: 0.01 * busy,
  };
  const one = { ...used, idle: up - 0.1 * busy };
  const all = Object.fromEntries(
    Object.entries(one).map(([name, value]) => [name, value * processorCount]),
  );
  return {
    bootTime: BigInt(Math.floor(node.boot.startedAt / 1000)),
    cpuTotal: all,
    cpu: Array.from({ length: processorCount }, () => one),
    irqTotal: count(900 * up),
    contextSwitches: count(5200 * up),
    processCreated: count(2400 + 3 * up),
    processRunning: 2n,
    processBlocked: 0n,
    softIrqTotal: count(700 * up),
    softIrq: {
      timer: count(250 * up),
      netRx: count(90 * up),
      sched: count(200 * up),
    },
  };
}

const processors = Array.from({ length: processorCount }, (_, processor) => ({
  processor,
  vendorId: "GenuineIntel",
  cpuFamily: "6",
  model: "85",
  modelName: "Intel Xeon Processor (Cascadelake)",
  stepping: "6",
  microcode: "0x1",
  cpuMhz: 2494.14,
  cacheSize: "16384 KB",
  physicalId: String(processor),
  siblings: 1,
  coreId: "0",
  apicId: String(processor),
  initialApicId: String(processor),
  fpu: "yes",
  fpuException: "yes",
  cpuIdLevel: 13,
  wp: "yes",
  flags: ["fpu", "vme", "sse2", "ht", "lm", "aes", "avx2"],
  bugs: ["spectre_v1", "spectre_v2"],
  bogoMips: 4988.28,
  clFlushSize: 64,
  cacheAlignment: 64,
  addressSizes: "40 bits physical, 48 bits virtual",
}));

function networkDevice(node: SimulatedNode, name: string) {
  const busy = busySeconds(node);
  const packets = name === "lo" ? 120 : 40;
  return {
    name,
    rxBytes: count(packets * 310 * busy),
    rxPackets: count(packets * busy),
    txBytes: count(packets * 290 * busy),
    txPackets: count(packets * busy),
  };
}

function diskDevice(node: SimulatedNode, name: string) {
  const busy = busySeconds(node);
  const share = name === "vda" ? 1 : 0.25;
  return {
    name,
    readCompleted: count(9000 * share),
    readSectors: count(820_000 * share),
    readTimeMs: count(5000 * share),
    writeCompleted: count(25 * share * busy),
    writeSectors: count(640 * share * busy),
    writeTimeMs: count(40 * share * busy),
    ioTimeMs: count(21 * share * busy),
    ioTimeWeightedMs: count(45 * share * busy),
  };
}

function sum(
  devices: readonly Readonly<Record<string, string | bigint>>[],
): Record<string, bigint> {
  const total: Record<string, bigint> = {};
  for (const { name: _, ...counters } of devices) {
    for (const [key, value] of Object.entries(counters)) {
      total[key] = (total[key] ?? 0n) + BigInt(value);
    }
  }
  return total;
}

function count(value: number): bigint {
  return BigInt(Math.round(value));
}

/** `Memory`. */
export const memory: MachineHandlers = {
  memory: (_, { node }) => ({ messages: [{ meminfo: measureMemory(node) }] }),
};
