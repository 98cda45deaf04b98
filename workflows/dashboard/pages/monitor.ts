/** Monitor page: processors, memory, load, network, disks, processes. */

import { formatDuration } from "../../../lib/duration.ts";
import { bytesText, ibytesText } from "../../../terminal/units.ts";
import type { ScreenLine } from "../../../terminal/screen_line.ts";
import type { Metrics, ProcessShare } from "../feeds/all.ts";
import { metrics } from "../feeds/all.ts";
import {
  type Fact,
  factBlocks,
  gauge,
  percent,
  problemLines,
  type ScreenColumn,
  sparkline,
  tableLines,
  textRows,
} from "./layout.ts";
import type { Page } from "./page.ts";

/** Metrics of a node. */
export const monitorPage: Page = {
  name: "Monitor",
  text: "CPU, load, memory, network, disk and processes",
  keys: ["f2", "2"],
  needs: ({ node }) => [{ node, feed: metrics }],
  draw({ data, node, size: { columns } }) {
    const { value, problem } = data.of(node, metrics);
    const problems = problemLines(problem);
    if (value === undefined) {
      const waiting = problems.length > 0 ? problems : ["Waiting for metrics"];
      return { head: [], rows: textRows(waiting), kind: "text" };
    }
    const { header, lines } = tableLines(
      processColumns(value),
      value.processes,
      columns,
    );
    return {
      head: [],
      rows: textRows([
        ...problems,
        ...gauges(value, columns),
        ...factBlocks(listBlocks(value), columns),
        ...plots(value, columns),
        header,
        ...lines,
      ]),
      kind: "text",
    };
  },
};

function gauges(
  { shares, memoryShare }: Metrics,
  columns: number,
): readonly ScreenLine[] {
  return [
    gauge("CPU", shares.used, columns),
    gauge("MEM", memoryShare, columns),
  ];
}

function listBlocks(value: Metrics): readonly (readonly Fact[])[] {
  const { shares, memory, load, rates, running, blocked } = value;
  const [one, five, fifteen] = load;
  const kib = (name: "memtotal" | "memfree" | "shmem" | "buffers" | "cached") =>
    memory === undefined ? "n/a" : ibytesText(memory[name] * 1024n);
  return [
    [
      ["CPU", `${value.processorText}`],
      ["USER", `${percent(shares.user)}  nice ${percent(shares.nice)}`],
      ["SYSTEM", `${percent(shares.system)}  irq ${percent(shares.irq)}`],
      ["IDLE", `${percent(shares.idle)}  wait ${percent(shares.iowait)}`],
      ["STEAL", percent(shares.steal)],
    ],
    [
      [
        "LOAD",
        `${one.toFixed(2)}  ${five.toFixed(2)}  ${fifteen.toFixed(2)}`,
      ],
      ["RUNNING", `${running}  blocked ${blocked}`],
      ["CREATED", `${rates.created.toFixed(1)}/s`],
      ["SWITCHES", `${Math.round(rates.contextSwitches)}/s`],
    ],
    [
      ["MEMORY", `${kib("memtotal")}  free ${kib("memfree")}`],
      ["BUFFERS", `${kib("buffers")}  cache ${kib("cached")}`],
      ["SHARED", kib("shmem")],
      [
        "SWAPPED",
        memory === undefined
          ? "n/a"
          : ibytesText((memory.swaptotal - memory.swapfree) * 1024n),
      ],
    ],
  ];
}

/** Widths of the name of a plot, and of its value. */
const [nameWidth, valueWidth] = [11, 12];

function plots(
  { series, shares, memoryShare, load, rates, processorCount }: Metrics,
  columns: number,
): readonly ScreenLine[] {
  const room = Math.max(0, columns - nameWidth - valueWidth);
  const plot = (
    name: string,
    points: readonly number[],
    text: string,
    least = 0,
  ): ScreenLine => [
    { text: name.padEnd(nameWidth), style: "title" },
    { text: sparkline(points, room, least), style: "good" },
    { text: ` ${text}` },
  ];
  const rate = (bytes: number) => `${bytesText(Math.round(bytes))}/s`;
  return [
    plot("CPU USER", series.user, percent(shares.user + shares.nice), 1),
    plot("CPU SYSTEM", series.system, percent(shares.system), 1),
    plot("MEM USED", series.memory, percent(memoryShare), 1),
    plot("LOAD", series.load, load[0].toFixed(2), processorCount),
    plot("NET RX", series.received, rate(rates.received)),
    plot("NET TX", series.sent, rate(rates.sent)),
    plot("DISK READ", series.read, rate(rates.read)),
    plot("DISK WRITE", series.written, rate(rates.written)),
  ];
}

function processColumns(
  { memory }: Metrics,
): readonly ScreenColumn<ProcessShare>[] {
  const total = Number(memory?.memtotal ?? 0n) * 1024;
  return [
    { header: "PID", cell: ({ process }) => `${process.pid}`, priority: 0 },
    { header: "S", cell: ({ process }) => process.state, priority: 5 },
    {
      header: "CPU%",
      cell: ({ processors }) => (processors * 100).toFixed(1),
      style: ({ processors }) => processors >= 0.9 ? "bad" : undefined,
      priority: 1,
    },
    {
      header: "MEM%",
      cell: ({ process }) =>
        total === 0
          ? "-"
          : (Number(process.residentMemory) / total * 100).toFixed(1),
      priority: 2,
    },
    {
      header: "VIRT",
      cell: ({ process }) => bytesText(process.virtualMemory),
      priority: 7,
    },
    {
      header: "RES",
      cell: ({ process }) => bytesText(process.residentMemory),
      priority: 4,
    },
    {
      header: "TIME+",
      cell: ({ process }) =>
        formatDuration(Math.floor(process.cpuTime) * 1_000),
      priority: 3,
    },
    { header: "THR", cell: ({ process }) => `${process.threads}`, priority: 6 },
    {
      header: "COMMAND",
      cell: ({ process }) => process.args || process.command,
      priority: 0,
    },
  ];
}
