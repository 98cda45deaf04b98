import { NodesError, UsageError } from "../errors.ts";
import type { ProcessInfo } from "../transport/gen/machine.ts";
import {
  bytesText,
  cell,
  choice,
  type ColumnTable,
  type Command,
  type Context,
  layOut,
  outputFlag,
  type Size,
  table,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { showFullScreen } from "../terminal/full_screen.ts";
import { single } from "../transport/call/reply.ts";

/** A process of a node. Source: `MachineService.Processes`. */
export interface ProcessRow {
  readonly node: string;
  readonly pid: number;
  /** PID of its parent. */
  readonly ppid: number;
  /** State letter of the kernel. */
  readonly state: string;
  readonly threads: number;
  /** CPU time in seconds. */
  readonly cpuTime: number;
  /** Virtual memory in bytes. */
  readonly virtualMemory: number;
  /** Resident memory in bytes. */
  readonly residentMemory: number;
  /** Security label, may be empty. */
  readonly label: string;
  readonly command: string;
  /** Path of the program, empty for kernel threads. */
  readonly executable: string;
  /** Command line, arguments separated by spaces. */
  readonly args: string;
}

/** Sort order of processes. */
type ProcessOrder = "rss" | "cpu";

const columns = {
  NODE: (row) => row.node,
  PID: (row) => String(row.pid),
  STATE: (row) => row.state,
  THREADS: (row) => String(row.threads),
  "CPU-TIME": (row) => row.cpuTime.toFixed(2),
  VIRTMEM: (row) => bytesText(row.virtualMemory),
  RESMEM: (row) => bytesText(row.residentMemory),
  LABEL: (row) => row.label,
  COMMAND: commandLine,
} satisfies Readonly<Record<string, (row: ProcessRow) => string>>;

/** The same columns, with drop priorities and numeric values. */
const listed: ColumnTable<ProcessRow> = {
  ...columns,
  THREADS: { cell: columns.THREADS, priority: 8 },
  STATE: { cell: columns.STATE, priority: 5 },
  "CPU-TIME": {
    cell: columns["CPU-TIME"],
    value: ({ cpuTime }) => cpuTime,
    priority: 3,
  },
  VIRTMEM: {
    cell: columns.VIRTMEM,
    value: ({ virtualMemory }) => virtualMemory,
    priority: 7,
  },
  RESMEM: {
    cell: columns.RESMEM,
    value: ({ residentMemory }) => residentMemory,
    priority: 2,
  },
  LABEL: { cell: columns.LABEL, priority: 6 },
  COMMAND: { cell: columns.COMMAND, prose: true, priority: 1 },
};

const inputs = {
  sort: choice("sort key, largest first", ["rss", "cpu"], {
    short: "s",
    initial: "rss",
  }),
  watch: toggle("full screen, refreshed every second", {
    short: "w",
    step: false,
  }),
  output: outputFlag,
};

type ProcessesInputs = Values<typeof inputs>;

export const command = {
  summary: "List processes",
  description:
    `With --watch, the list fills the terminal and refreshes every second. Keys: q quits, r or m sorts by memory, c sorts
by CPU time.`,
  aliases: ["p", "ps"],
  inputs,
  examples: ["processes", "processes --sort cpu --watch"],
  // With --watch, output is only on the screen.
  empty: false,
  view: table(listed),
  async *run(context) {
    const { input } = context;
    if (input.watch) return await watch(context);
    const answers = readProcesses(context);
    for await (const rows of answers) yield* sortRows(rows, input.sort);
  },
} satisfies Command<ProcessRow, ProcessesInputs>;

/** State of the screen. */
interface ProcessScreen {
  /** All processes, in any order. */
  readonly rows: readonly ProcessRow[];
  readonly order: ProcessOrder;
  /** Errors by node. */
  readonly problems: readonly string[];
}

/** The screen after a key press. `screen`: the previous state. Returns `undefined` on quit. */
export function press(
  screen: ProcessScreen,
  key: string,
): ProcessScreen | undefined {
  switch (key) {
    case "q":
      return undefined;
    case "r":
    case "m":
      return { ...screen, order: "rss" };
    case "c":
      return { ...screen, order: "cpu" };
    default:
      return screen;
  }
}

/** Draws the screen: errors first, then as many processes as fit. */
export function draw(
  { rows, order, problems }: ProcessScreen,
  size: Size,
): readonly string[] {
  const shown = sortRows(rows, order).slice(0, size.rows);
  const lines = [
    Object.keys(columns),
    ...shown.map((row) =>
      Object.values(columns).map((text) => cell(text(row)))
    ),
  ];
  return [...problems, ...layOut(lines, { gap: 2 }).text.split("\n")];
}

async function watch(context: Context<ProcessesInputs>): Promise<void> {
  const { input, environment, signal } = context;
  if (input.output.kind !== "table") {
    throw new UsageError("Flags --watch and --output cannot be combined");
  }
  await showFullScreen<ProcessScreen>({
    initial: { rows: [], order: input.sort, problems: [] },
    everyMs: 1_000,
    load: () => openScreen(context),
    press,
    draw,
  }, { environment, signal });
}

async function openScreen(
  context: Context<ProcessesInputs>,
): Promise<(screen: ProcessScreen) => ProcessScreen> {
  const rows: ProcessRow[] = [];
  try {
    for await (const some of readProcesses(context)) rows.push(...some);
    return (screen) => ({ ...screen, rows, problems: [] });
  } catch (error) {
    if (!(error instanceof NodesError)) throw error;
    const problems = [...error.failures].map(([node, cause]) =>
      `${node}: ${cause instanceof Error ? cause.message : cause}`
    );
    return (screen) => ({ ...screen, rows, problems });
  }
}

async function* readProcesses(
  { nodes }: Context<ProcessesInputs>,
): AsyncGenerator<readonly ProcessRow[]> {
  const answers = nodes.call(async ({ machine }) =>
    single((await machine.processes({})).messages).processes
  );
  for await (const { node, value: processes } of answers) {
    yield processes.map((one) => toRow(node, one));
  }
}

function toRow(node: string, one: ProcessInfo): ProcessRow {
  return {
    node,
    pid: one.pid,
    ppid: one.ppid,
    state: one.state,
    threads: one.threads,
    cpuTime: one.cpuTime,
    virtualMemory: Number(one.virtualMemory),
    residentMemory: Number(one.residentMemory),
    label: one.label,
    command: one.command,
    executable: one.executable,
    args: one.args,
  };
}

function sortRows(
  rows: readonly ProcessRow[],
  order: ProcessOrder,
): readonly ProcessRow[] {
  return rows.toSorted((a, b) =>
    order === "cpu"
      ? b.cpuTime - a.cpuTime
      : b.residentMemory - a.residentMemory
  );
}

/** The command line with the program path, in printable ASCII. */
function commandLine({ command, executable, args }: ProcessRow): string {
  const [first = ""] = args.split(" ", 1);
  const base = executable.split("/").at(-1);
  const full = first !== "" && first === base
    ? executable + args.slice(first.length)
    : args;
  return (executable === "" ? command : full).replace(/[^ -~]/g, " ");
}
