import { maskValue, processMasker } from "../../lib/masker.ts";
import {
  type ExitStatus,
  exitStatus,
  NodesError,
  OsctlError,
  UsageError,
} from "../../errors.ts";
import type {
  FieldCondition,
  Format,
  RowQuery,
} from "../../terminal/format.ts";
import { type Renderer, renderer } from "../../terminal/render.ts";
import { choosePager, paged } from "../../terminal/pager.ts";
import { hasColor, painter } from "../../terminal/tone.ts";
import type { View } from "../../terminal/view.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { yieldPeriodically } from "../../lib/timer.ts";
import { type Context, type Rows, rowsIn } from "./command.ts";
import { failureRows, report, type Usage } from "./failure.ts";
import { outputFlag } from "./globals.ts";
import {
  type CommandLine,
  confirmNodes,
  findOperation,
} from "./target_nodes.ts";
import type { AnyRow } from "./watch_rows.ts";

/** What the kit's flags for tables are, where a command has them. */
interface ListValues {
  readonly output?: Format;
  /** Of commands whose `--output` is something else. */
  readonly format?: Format;
  readonly sortBy?: string | undefined;
  readonly noHeaders?: boolean;
  readonly fieldSelector?: readonly string[];
  readonly watch?: boolean;
  readonly follow?: boolean;
}

/** Runs a command, and writes rows and failures. Returns the status to end the process with. */
export async function runRows(
  line: CommandLine,
  context: Context<Readonly<Record<string, unknown>>>,
  usage: Usage,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const { environment, input, nodes } = context;
  const { command } = line.file;
  const { discloses = false } = command;
  const isDisclosed = typeof discloses === "function"
    ? discloses(input)
    : discloses;
  const view: View<AnyRow> = typeof command.view === "function"
    ? command.view(input, environment)
    : command.view;
  let rank: ReadonlyMap<unknown, number> = new Map();
  const look = findView(line, context);
  const isLong = look.ordered &&
    (view.kind === "text" ? view.gather : textFormats.has(look.format.kind));
  const output = paged(
    environment,
    choosePager(environment, isLong && !context.globals.noPager),
  );
  const drawn = await renderer<AnyRow>({
    view,
    ...look,
    sink: output.sink,
    rank: (row) => rank.get(row.node) ?? -1,
  }).catch((error: unknown) => ({ error }));
  if ("error" in drawn) return await report(environment, drawn.error, usage);
  try {
    const meant = await confirmNodes(context, line);
    // Copying a context listens for interrupts, which most reads need not.
    const own = meant === nodes ? context : { ...context, nodes: meant };
    let ranked = false;
    let isEmpty = true;
    const breathe = yieldPeriodically(signal);
    const rows = (await runCommand(line, own, view))[Symbol.asyncIterator]();
    for (let next = await rows.next(); !next.done; next = await rows.next()) {
      try {
        for (const row of rowsIn(next.value)) {
          isEmpty = false;
          if (!ranked && row?.node !== undefined) {
            ranked = true;
            rank = await rankNodes(nodes);
          }
          const full = drawn.row(
            isDisclosed ? row : maskValue(row, processMasker.mask),
          );
          if (full !== undefined) await full;
        }
        const pause = breathe();
        if (pause !== undefined) await pause;
      } catch (error) {
        // Other than for await: a command that goes on without its reader may throw how it ended.
        await rows.return?.();
        throw error;
      }
    }
    await drawn.end();
    await output.end();
    if (signal.aborted) throw signal.reason;
    if (isEmpty) sayEmpty(line, view, context.note);
    return exitStatus.ok;
  } catch (error) {
    // Whatever an interrupted command raises, the interrupt is why.
    return await finish(
      context,
      { ...drawn, end: () => drawn.end().finally(output.end) },
      signal.aborted ? signal.reason : error,
      usage,
    );
  }
}

/**
 * What nodes are called, by the names they were selected by: `worker-2 (10.0.0.6)`.
 *
 * @param context Absent before the command line is read.
 */
export async function resolveNames(
  names: readonly string[],
  context: Pick<Context<unknown>, "nodes"> | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (context === undefined) return new Map();
  // Loaded on demand: most commands are not waited for.
  const { nodeNames } = await import("./failure_context.ts");
  return await nodeNames(names, context);
}

const textFormats: ReadonlySet<string> = new Set(["json", "yaml"]);

/** A list without rows is no failure, and looks like one where nothing is said. */
function sayEmpty(
  { file: { command, change } }: CommandLine,
  { kind }: View<AnyRow>,
  note: (text: string) => void,
): void {
  const { empty = "Nothing found", output = "rows" } = command;
  const isList = kind === "table" && output === "rows" && change === undefined;
  if (isList && empty !== false) note(empty);
}

/** Rows of the command; with the kit's own `--watch`, again and again. */
async function runCommand(
  { name, file }: CommandLine,
  context: Context<Readonly<Record<string, unknown>>>,
  view: View<AnyRow>,
): Promise<Rows<AnyRow>> {
  const { command } = file;
  if (context.input.watch !== true || "watch" in command.inputs) {
    return command.run(context);
  }
  if (findOperation(file, context.input) !== undefined) {
    throw new UsageError(`"${name}" cannot make changes with --watch`, {
      hint: "Omit --watch, or the action",
    });
  }
  // Loaded on demand: most lists are read once.
  const { watchedRows } = await import("./watch_rows.ts");
  return watchedRows(() => command.run(context), { view, ...context });
}

function findView(
  { file: { command, change } }: CommandLine,
  { input, globals, environment, note }: Context<
    Readonly<Record<string, unknown>>
  >,
) {
  // These flags are the kit's own, or of the same meaning.
  const values = input as ListValues;
  const { stdout, env, live } = environment;
  const { terminal } = stdout;
  const isWatched = values.watch === true;
  const query: RowQuery = {
    sortBy: values.sortBy,
    where: (values.fieldSelector ?? []).map(parseCondition),
  };
  return {
    format: command.output === "own"
      ? values.format ?? outputFlag.initial
      : values.output ?? outputFlag.initial,
    query,
    headers: values.noHeaders !== true,
    paint: painter(hasColor(globals.color ?? "auto", { terminal, env })),
    note,
    ordered: !(isWatched || values.follow || command.streams || change),
    ...isWatched && { changes: terminal ? { live } : {} },
  };
}

/** A condition as it was typed; its flag has checked it. */
function parseCondition(text: string): FieldCondition {
  const [, field = "", operator, value = ""] =
    /^([^=!]+)(!=|==?)(.*)$/s.exec(text) ?? [];
  return { field: field.trim(), value, equal: operator !== "!=" };
}

/** Rows that name nodes that were not selected keep their order. */
async function rankNodes(nodes: Nodes): Promise<ReadonlyMap<unknown, number>> {
  try {
    return new Map((await nodes.names()).map((name, i) => [name, i]));
  } catch {
    return new Map();
  }
}

async function finish(
  context: Context<Readonly<Record<string, unknown>>>,
  drawn: Renderer<AnyRow>,
  error: unknown,
  usage: Usage,
): Promise<ExitStatus> {
  // The reader of our output has enough: that is not a failure.
  if (error instanceof Deno.errors.BrokenPipe) return exitStatus.ok;
  try {
    if (error instanceof NodesError) {
      for (const row of failureRows(error)) {
        await drawn.failure(maskValue(row, processMasker.mask));
      }
    }
    await drawn.end();
  } catch (broken) {
    // An output that takes nothing more does not hide why the command failed.
    if (
      !(broken instanceof Deno.errors.BrokenPipe) &&
      !(broken instanceof OsctlError)
    ) throw broken;
  }
  const { environment, globals, input } = context;
  // Loaded on demand: most commands succeed.
  const { failureContext } = await import("./failure_context.ts");
  return await report(environment, error, usage, {
    found: await failureContext(error, context),
    // Some commands have a flag of this name, which shows more as well.
    verbose: globals.verbose || input.verbose === true,
  });
}
