import { maskValue, processMasker } from "../../lib/masker.ts";
import {
  type ExitStatus,
  exitStatus,
  NodesError,
  OsctlError,
  UsageError,
} from "../../errors.ts";
import type { AnyInputs } from "./parse.ts";
import type {
  FieldCondition,
  Format,
  RowQuery,
} from "../../terminal/format.ts";
import { type Renderer, renderer } from "../../terminal/render.ts";
import { hasColor, painter } from "../../terminal/tone.ts";
import type { View } from "../../terminal/view.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { yieldPeriodically } from "../../lib/timer.ts";
import { type Context, LineBlock, type Rows, rowsIn } from "./command.ts";
import { failureRows, report, type Usage } from "./failure.ts";
import { outputFlag } from "./globals.ts";
import {
  type CommandLine,
  confirmNodes,
  findOperation,
} from "./target_nodes.ts";
import type { AnyRow } from "./watch_rows.ts";

/** Values of the common table flags, if the command has them. */
interface ListValues {
  readonly output?: Format;
  /** Used by commands with a different `--output`. */
  readonly format?: Format;
  readonly sortBy?: string | undefined;
  readonly noHeaders?: boolean;
  readonly fieldSelector?: readonly string[];
  readonly watch?: boolean;
  readonly follow?: boolean;
}

/** Runs a command, and writes rows and failures. Returns the exit status. */
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
  const drawn = await renderer<AnyRow>({
    view,
    ...look,
    sink: environment.stdout,
    rank: (row) => rank.get(row.node) ?? -1,
  }).catch((error: unknown) => ({ error }));
  if ("error" in drawn) return await report(environment, drawn.error, usage);
  try {
    const meant = await confirmNodes(context, line);
    // Copying a context starts interrupt handling, which most reads do not
    // need.
    const own = meant === nodes ? context : { ...context, nodes: meant };
    let ranked = false;
    let isEmpty = true;
    const breathe = yieldPeriodically(signal);
    const rows = (await runCommand(line, own, view))[Symbol.asyncIterator]();
    for (let next = await rows.next(); !next.done; next = await rows.next()) {
      try {
        const isWritten = next.value instanceof LineBlock &&
          await writeBlock(drawn, next.value, isDisclosed);
        if (isWritten) isEmpty = false;
        for (const row of isWritten ? [] : rowsIn(next.value)) {
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
        // Unlike for await: a command without a reader may throw its failure.
        await rows.return?.();
        throw error;
      }
    }
    await drawn.end();
    if (signal.aborted) throw signal.reason;
    if (isEmpty) sayEmpty(line, view, context.note);
    return exitStatus.ok;
  } catch (error) {
    // Errors after an interrupt are caused by it.
    return await finish(
      context,
      drawn,
      signal.aborted ? signal.reason : error,
      { usage, inputs: line.file.command.inputs },
    );
  }
}

/** Writes lines as one text, if there is nothing to mask in it; false if nothing was written. */
async function writeBlock(
  { text: write }: Renderer<AnyRow>,
  block: LineBlock<AnyRow>,
  isDisclosed: boolean,
): Promise<boolean> {
  if (write === undefined) return false;
  const text = block.text();
  if (!isDisclosed && processMasker.mask(text) !== text) return false;
  await write(text);
  return true;
}

/**
 * Display names of nodes by selected name: `worker-2 (10.0.0.6)`.
 *
 * @param context Absent before the command line is read.
 */
export async function resolveNames(
  names: readonly string[],
  context: Pick<Context<unknown>, "nodes"> | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (context === undefined) return new Map();
  // Loaded on demand: most commands finish without waiting.
  const { nodeNames } = await import("./failure_context.ts");
  return await nodeNames(names, context);
}

/** An empty list is not a failure, but looks like one without a message. */
function sayEmpty(
  { file: { command, change } }: CommandLine,
  { kind }: View<AnyRow>,
  note: (text: string) => void,
): void {
  const { empty = "Nothing found", output = "rows" } = command;
  const isList = kind === "table" && output === "rows" && change === undefined;
  if (isList && empty !== false) note(empty);
}

/** Rows of the command; with the common `--watch`, repeatedly. */
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
  // These flags are the common ones, or have the same meaning.
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

/** A condition as typed, validated by its flag. */
function parseCondition(text: string): FieldCondition {
  const [, field = "", operator, value = ""] =
    /^([^=!]+)(!=|==?)(.*)$/s.exec(text) ?? [];
  return { field: field.trim(), value, equal: operator !== "!=" };
}

/** Rows of nodes that were not selected keep their order. */
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
  { usage, inputs }: { readonly usage: Usage; readonly inputs: AnyInputs },
): Promise<ExitStatus> {
  // The reader closed our output: not a failure.
  if (error instanceof Deno.errors.BrokenPipe) return exitStatus.ok;
  try {
    if (error instanceof NodesError) {
      for (const row of failureRows(error)) {
        await drawn.failure(maskValue(row, processMasker.mask));
      }
    }
    await drawn.end();
  } catch (broken) {
    // A failed write must not hide why the command failed.
    if (
      !(broken instanceof Deno.errors.BrokenPipe) &&
      !(broken instanceof OsctlError)
    ) throw broken;
  }
  const { environment, globals, input } = context;
  // Loaded on demand: most commands succeed.
  const { failureContext } = await import("./failure_context.ts");
  return await report(environment, error, usage, {
    found: await failureContext(error, context, inputs),
    // Some commands have their own flag of this name with a similar meaning.
    verbose: globals.verbose || input.verbose === true,
  });
}
