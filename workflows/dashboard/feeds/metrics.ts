/** Metrics of a node, now and over the last minutes. */

import { single } from "../../../transport/call/reply.ts";
import type {
  CPUFreqStats,
  CPUInfo,
  MemInfo,
  ProcessInfo,
} from "../../../transport/gen/machine_system.ts";
import { unlessHidden } from "../../../transport/node/read_resource.ts";
import { deadlineMs, type Feed } from "../feed.ts";
import { pollFeed } from "../source.ts";
import {
  memoryShare,
  processorShare,
  type ProcessorShares,
  type ProcessorTimes,
} from "./usage_shares.ts";

/** Resource usage of a node. */
export interface Vitals {
  /** Share of the time of its processors, 0 to 1. */
  readonly processors: number;
  /** Share of its memory, 0 to 1. */
  readonly memory: number;
  /** Length of the run queue over the last minute. */
  readonly load: number;
  /** Shares of the last polls, latest last. */
  readonly series: Readonly<
    Record<"processors" | "memory", readonly number[]>
  >;
  /** Counters for the next share. */
  readonly times: ProcessorTimes;
}

/** A process, and its share of a processor since the last poll. */
export interface ProcessShare {
  readonly process: ProcessInfo;
  /** Share of one processor, 0 to 1, or more with several threads. */
  readonly processors: number;
}

interface Counters extends Rates {
  /** When they were read, in milliseconds since 1970. */
  readonly at: number;
  readonly times: ProcessorTimes;
  /** Seconds on a processor, by process id. */
  readonly processes: ReadonlyMap<number, number>;
}

/** Rates per second, averaged between two polls. */
type Rates = Readonly<
  Record<
    | "contextSwitches"
    | "created"
    /** Bytes from the network. */
    | "received"
    /** Bytes to the network. */
    | "sent"
    /** Bytes from disks. */
    | "read"
    /** Bytes to disks. */
    | "written",
    number
  >
>;

type Series = Readonly<
  Record<
    | "user"
    | "system"
    | "memory"
    | "load"
    | "received"
    | "sent"
    | "read"
    | "written",
    readonly number[]
  >
>;

/** Metrics of a node. */
export interface Metrics {
  /** Version of the operating system with `v`. */
  readonly version: string;
  /** When the node booted, in seconds since 1970. */
  readonly bootTime: number;
  readonly processorCount: number;
  /** Processors as `4x2.5GHz`; `n/a` if not reported. */
  readonly processorText: string;
  /** Shares of processor time, by use. */
  readonly shares: ProcessorShares;
  /** Parts of the memory in KiB; absent if not reported. */
  readonly memory: MemInfo | undefined;
  /** Share of the memory in use, 0 to 1. */
  readonly memoryShare: number;
  /** Run queue over 1, 5 and 15 minutes. */
  readonly load: readonly [number, number, number];
  readonly running: number;
  /** Processes that wait for a disk. */
  readonly blocked: number;
  /** Rates; all 0 in the first poll. */
  readonly rates: Rates;
  /** All processes, busiest first. */
  readonly processes: readonly ProcessShare[];
  readonly series: Series;
  readonly counters: Counters;
}

/** Feed of the resource usage of a node. */
export const vitals: Feed<Vitals> = pollFeed(
  "vitals",
  async ({ client: { machine } }, before) => {
    const [stat, memory, load] = await Promise.all([
      machine.systemStat({}, { deadlineMs }),
      machine.memory({}, { deadlineMs }),
      machine.loadAvg({}, { deadlineMs }),
    ]);
    const times = single(stat.messages).cpuTotal ?? {};
    const shares = {
      processors: processorShare(before?.times, times).used,
      memory: memoryShare(single(memory.messages).meminfo),
    };
    return {
      ...shares,
      load: single(load.messages).load1,
      series: longer(before?.series, shares, fewPoints),
      times,
    };
  },
);

/** Feed of the metrics of a node, polled. */
export const metrics: Feed<Metrics> = pollFeed(
  "metrics",
  async ({ client: { machine }, now }, before) => {
    const options = { deadlineMs };
    const [stat, memory, load, network, disks, processes, info, freq, version] =
      await Promise.all([
        machine.systemStat({}, options),
        machine.memory({}, options),
        machine.loadAvg({}, options),
        machine.networkDeviceStats({}, options),
        machine.diskStats({}, options),
        machine.processes({}, options),
        machine.cPUInfo({}, options),
        // Nodes before 1.11 lack it.
        unlessHidden(machine.cPUFreqStats({}, options)),
        machine.version({}, options),
      ]);
    const system = single(stat.messages);
    const devices = single(network.messages).devices
      .filter(({ name }) => name !== "lo");
    const whole = single(disks.messages).total;
    const list = single(processes.messages).processes;
    const counters: Counters = {
      at: now(),
      times: system.cpuTotal ?? {},
      contextSwitches: Number(system.contextSwitches),
      created: Number(system.processCreated),
      received: sum(devices.map(({ rxBytes }) => rxBytes)),
      sent: sum(devices.map(({ txBytes }) => txBytes)),
      read: Number(whole?.readSectors ?? 0n) * sectorBytes,
      written: Number(whole?.writeSectors ?? 0n) * sectorBytes,
      processes: new Map(list.map(({ pid, cpuTime }) => [pid, cpuTime])),
    };
    const processors = single(info.messages).cpuInfo;
    const count = Math.max(1, system.cpu.length);
    const shares = processorShare(before?.counters.times, counters.times);
    const { meminfo } = single(memory.messages);
    const inUse = memoryShare(meminfo);
    const rates = measureRates(before?.counters, counters);
    const { load1, load5, load15 } = single(load.messages);
    return {
      version: single(version.messages).version?.tag ?? "",
      bootTime: Number(system.bootTime),
      processorCount: count,
      processorText: processorText(
        processors,
        freq && single(freq.messages).cpuFreqStats,
      ),
      shares,
      memory: meminfo,
      memoryShare: inUse,
      load: [load1, load5, load15],
      running: Number(system.processRunning),
      blocked: Number(system.processBlocked),
      rates,
      processes: busiest(list, before?.counters, shares.seconds / count),
      series: longer(before?.series, {
        user: shares.user + shares.nice,
        system: shares.system,
        memory: inUse,
        load: load1,
        received: rates.received,
        sent: rates.sent,
        read: rates.read,
        written: rates.written,
      }),
      counters,
    };
  },
);

/** Sector size of kernel counters, whatever the disk uses. */
const sectorBytes = 512;

const mostPoints = 300;

/** Points in a row of the list of nodes. */
const fewPoints = 20;

function longer<Name extends string>(
  before: Readonly<Record<Name, readonly number[]>> | undefined,
  next: Readonly<Record<Name, number>>,
  most = mostPoints,
): Readonly<Record<Name, readonly number[]>> {
  const entries = Object.entries(next).map(([name, value]) => {
    const points = before?.[name as Name] ?? []; // same keys
    return [name, [...points.slice(1 - most), value]];
  });
  return Object.fromEntries(entries);
}

function measureRates(before: Counters | undefined, after: Counters): Rates {
  const seconds = before === undefined ? 0 : (after.at - before.at) / 1000;
  const rate = (name: keyof Rates) =>
    before === undefined || seconds <= 0
      ? 0
      // A reboot resets the counters.
      : Math.max(0, after[name] - before[name]) / seconds;
  return {
    contextSwitches: rate("contextSwitches"),
    created: rate("created"),
    received: rate("received"),
    sent: rate("sent"),
    read: rate("read"),
    written: rate("written"),
  };
}

/** `seconds`: time between the polls. */
function busiest(
  list: readonly ProcessInfo[],
  before: Counters | undefined,
  seconds: number,
): readonly ProcessShare[] {
  return list.map((process) => {
    const earlier = before?.processes.get(process.pid) ?? process.cpuTime;
    const spent = Math.max(0, process.cpuTime - earlier);
    return { process, processors: seconds > 0 ? spent / seconds : 0 };
  }).sort((a, b) =>
    b.processors - a.processors ||
    Number(b.process.residentMemory - a.process.residentMemory)
  );
}

/** Processors by frequency, fastest first: `2x3.2GHz 2x2GHz`. */
function processorText(
  processors: readonly CPUInfo[],
  frequencies: readonly CPUFreqStats[] | undefined,
): string {
  const known = (frequencies ?? [])
    .map(({ currentFrequency }) => Number(currentFrequency) / 1000);
  const mhz = known.some((one) => one > 0)
    ? known
    : processors.map(() => processors[0]?.cpuMhz ?? 0);
  const counts = new Map<string, number>();
  for (const one of mhz.toSorted((a, b) => b - a)) {
    const text = one >= 1000
      ? `${Number((one / 1000).toFixed(2))}GHz`
      : `${Math.round(one)}MHz`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count}x${text}`).join(" ") ||
    "n/a";
}

function sum(values: readonly bigint[]): number {
  return values.reduce((sum, value) => sum + Number(value), 0);
}
