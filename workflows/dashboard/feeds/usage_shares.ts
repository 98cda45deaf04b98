/** Shares of processor time and memory, from kernel counters. */

/** Processor time in seconds since the boot; missing counters are 0. Source: `CPUStat`. */
export interface ProcessorTimes {
  readonly user?: number;
  /** Programs with low priority. */
  readonly nice?: number;
  readonly system?: number;
  readonly idle?: number;
  /** Idle, waiting for a disk. */
  readonly iowait?: number;
  readonly irq?: number;
  /** Soft interrupts. */
  readonly softIrq?: number;
  /** Other virtual machines on the host. */
  readonly steal?: number;
}

/** Shares of the time between two moments, 0 to 1; all 0 if no time has passed. */
export interface ProcessorShares {
  readonly used: number;
  readonly user: number;
  /** Programs with low priority. */
  readonly nice: number;
  readonly system: number;
  readonly idle: number;
  /** Idle, waiting for a disk. */
  readonly iowait: number;
  /** Interrupts and soft interrupts. */
  readonly irq: number;
  /** Other virtual machines on the host. */
  readonly steal: number;
  /** Seconds between the moments, summed over all processors. */
  readonly seconds: number;
}

/** Shares between two moments; since the boot if the first is omitted. */
export function processorShare(
  before: ProcessorTimes = {},
  after: ProcessorTimes,
): ProcessorShares {
  const spent = (name: keyof ProcessorTimes) =>
    Math.max(0, (after[name] ?? 0) - (before[name] ?? 0));
  const irq = spent("irq") + spent("softIrq");
  const waiting = spent("iowait");
  const idle = spent("idle");
  const busy = spent("user") + spent("nice") + spent("system") + irq +
    spent("steal");
  const seconds = idle + waiting + busy;
  const share = (time: number) => seconds > 0 ? time / seconds : 0;
  return {
    used: share(busy),
    user: share(spent("user")),
    nice: share(spent("nice")),
    system: share(spent("system")),
    idle: share(idle),
    iowait: share(waiting),
    irq: share(irq),
    steal: share(spent("steal")),
    seconds,
  };
}

/** Parts of a memory, in KiB. Source: `MemInfo`. */
interface MemoryParts {
  readonly memtotal: bigint;
  readonly memfree: bigint;
  readonly cached: bigint;
  /** Cached files, second part. */
  readonly buffers: bigint;
}

/** Share of a memory that is in use, 0 to 1. */
export function memoryShare(memory: MemoryParts | undefined): number {
  const total = Number(memory?.memtotal ?? 0);
  if (memory === undefined || total === 0) return 0;
  const { memfree, cached, buffers } = memory;
  return (total - Number(memfree + cached + buffers)) / total;
}
