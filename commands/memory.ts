import { requireField, single } from "../transport/call/reply.ts";
import {
  bytesText,
  type ColumnSpec,
  type Command,
  table,
  textual,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";

/** Memory of a node, in bytes. Source: `MachineService.Memory`, which reports KiB. */
interface MemoryRow {
  readonly node: string;
  readonly total: number;
  /** Total minus free memory, buffers and cache. */
  readonly used: number;
  readonly free: number;
  readonly shared: number;
  /** Memory of block device buffers. */
  readonly buffers: number;
  readonly cache: number;
  readonly available: number;
  /** All fields of the kernel's table by name, in bytes; huge pages are counts. */
  readonly details: Readonly<Record<string, number>>;
}

const inputs = {
  verbose: toggle("show every field", { short: "v" }),
  ...maintenanceInputs,
};

export const command = {
  summary: "Show memory usage",
  aliases: ["m", "free"],
  inputs,
  examples: ["memory --nodes @all", "memory --nodes 10.0.0.2 --verbose"],
  view: ({ verbose }) =>
    verbose ? textual(everyField) : table({
      NODE: { cell: (row) => row.node, name: true },
      TOTAL: sizeColumn((row) => row.total, 1),
      USED: sizeColumn((row) => row.used, 3),
      FREE: sizeColumn((row) => row.free, 4),
      SHARED: sizeColumn((row) => row.shared, 7),
      BUFFERS: sizeColumn((row) => row.buffers, 6),
      CACHE: sizeColumn((row) => row.cache, 5),
      AVAILABLE: sizeColumn((row) => row.available, 2),
    }),
  async *run({ nodes }) {
    const answers = nodes.call(async ({ machine }) =>
      requireField(
        single((await machine.memory({})).messages).meminfo,
        "memory figures",
      )
    );
    for await (const { node, value } of answers) {
      const table: Partial<Record<string, bigint>> = { ...value };
      const details = Object.fromEntries(
        labels.map((label) => [label, amount(label, table)]),
      );
      const of = (label: Label) => details[label] ?? 0;
      yield {
        node,
        total: of("MemTotal"),
        used: of("MemTotal") - of("MemFree") - of("Cached") - of("Buffers"),
        free: of("MemFree"),
        shared: of("Shmem"),
        buffers: of("Buffers"),
        cache: of("Cached"),
        available: of("MemAvailable"),
        details,
      };
    }
  },
} satisfies Command<MemoryRow, Values<typeof inputs>>;

/** Fields in display order; the lower-case label is the field name in the API. */
// deno-fmt-ignore
const labels = [
  "MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached", "SwapCached",
  "Active", "Inactive", "ActiveAnon", "InactiveAnon", "ActiveFile",
  "InactiveFile", "Unevictable", "Mlocked", "SwapTotal", "SwapFree", "Dirty",
  "Writeback", "AnonPages", "Mapped", "Shmem", "Slab", "SReclaimable",
  "SUnreclaim", "KernelStack", "PageTables", "NFSUnstable", "Bounce",
  "WritebackTmp", "CommitLimit", "CommittedAS", "VmallocTotal", "VmallocUsed",
  "VmallocChunk", "HardwareCorrupted", "AnonHugePages", "ShmemHugePages",
  "ShmemPmdMapped", "CmaTotal", "CmaFree", "HugePagesTotal", "HugePagesFree",
  "HugePagesRsvd", "HugePagesSurp", "Hugepagesize", "DirectMap4k",
  "DirectMap2M", "DirectMap1G",
] as const;

type Label = (typeof labels)[number];

/** Fields that count pages; all others are sizes. */
const counts: readonly Label[] = [
  "HugePagesTotal",
  "HugePagesFree",
  "HugePagesRsvd",
  "HugePagesSurp",
];

function amount(
  label: Label,
  table: Partial<Record<string, bigint>>,
): number {
  const value = Number(table[label.toLowerCase()] ?? 0n);
  return counts.includes(label) ? value : value * 1024;
}

/** A size with its unit, sorted by bytes. */
function sizeColumn(
  value: (row: MemoryRow) => number,
  priority: number,
): ColumnSpec<MemoryRow> {
  return { cell: (row) => bytesText(value(row)), value, priority };
}

function everyField({ node, details }: MemoryRow): string {
  const lines = labels.map((label) => {
    const value = details[label] ?? 0;
    return counts.includes(label)
      ? `${label}: ${value}\n`
      : `${label}: ${value / 1024} kB\n`;
  });
  return `NODE: ${node}\n${lines.join("")}`;
}
