import { processMasker } from "../../lib/masker.ts";
import { type ExitStatus, exitStatus } from "../../errors.ts";
import { release } from "../../release.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import type {
  AnyCommand,
  ClaimSignals,
  CommandFile,
  Context,
  IndexEntry,
} from "./command.ts";
import { report, type Usage } from "./failure.ts";
import { findBetween, findEntry, refuseMisspelled } from "./find.ts";
import {
  type Globals,
  globals,
  helpFlag,
  outputFlag,
  tableInputs,
  versionFlag,
  watchInput,
} from "./globals.ts";
import { overview, page, usageLine, welcome } from "./help.ts";
import { withLiveLines } from "../../terminal/live_lines.ts";
import { withWaitingNotice } from "../../terminal/waiting_notice.ts";
import {
  type AnyInputs,
  display,
  listFlags,
  parseValues,
  type Sorted,
  sortWords,
} from "./parse.ts";
import { choosePager, openPager } from "../../terminal/pager.ts";
import { noteText } from "../../terminal/terminal_text.ts";
import { resolveNames, runRows } from "./run_rows.ts";
import { type CommandLine, targetInputs } from "./target_nodes.ts";
import type { Environment, Sink } from "../../terminal/environment.ts";

export { lazyNodes } from "../../transport/node/nodes.ts";

/** Parameters of a session. */
export interface SessionRequest {
  readonly globals: Globals;
  /** True for the maintenance service: encrypted, no authentication. */
  readonly insecure: boolean;
  /** Accepted server certificate fingerprints; empty accepts any in maintenance mode. */
  readonly fingerprints: readonly string[];
  /** Endpoints in addition to those of the context; default none. */
  readonly alsoAt?: readonly string[];
  readonly environment: Environment;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Prints a progress line. */
  readonly note: (text: string) => void;
}

/** Dependencies of the program. */
export interface Program {
  readonly entries: readonly IndexEntry[];
  /** Streams, environment, clock. */
  readonly environment: Environment;
  /** Opens the selected nodes; does nothing before their first use. */
  readonly open: (request: SessionRequest) => Nodes;
  /** Starts slow initialization early, for commands that are likely to make a call. */
  readonly prepare?: () => void;
  /** Reads a text file, for `@file` values. */
  readonly readFile: (path: string) => Promise<string>;
  /** Completes a command line, given the words after `__complete`. */
  readonly complete: (
    program: Program,
    words: readonly string[],
  ) => Promise<string>;
  /** Aborts when the user interrupts; the reason is a `CancelledError`. */
  readonly signal: AbortSignal;
  /**
   * Starts handling interrupts, which terminate the process until then; called
   * when a command reads the signal. Absent where there are no signals.
   */
  readonly listen?: () => void;
  /** Takes over signal handling; absent where there are no signals. */
  readonly claimSignals?: ClaimSignals;
}

/**
 * Runs one command line.
 *
 * @param argv Words after the program's name.
 * @returns Exit status; errors have been reported.
 */
export async function main(
  argv: readonly string[],
  given: Program,
): Promise<ExitStatus> {
  const outside = {
    ...given.environment,
    stderr: maskSink(given.environment.stderr),
  };
  const program = { ...given, environment: withLiveLines(outside) };
  const { environment, entries } = program;
  const print = (text: string) =>
    environment.stdout.write(new TextEncoder().encode(text));
  const printPage = async (text: string) => {
    const pager = choosePager(environment, !argv.includes("--no-pager"));
    const { sink, end } = openPager(environment, pager);
    await sink.write(new TextEncoder().encode(text)).finally(end);
  };
  try {
    if (argv[0] === "__complete" || argv[0] === "__complete-names") {
      const found = await program.complete(program, argv.slice(1));
      const isBare = argv[0] === "__complete-names";
      await print(isBare ? found.replaceAll(/\t.*/g, "") : found);
      return exitStatus.ok;
    }
    const known = listFlags(globals, helpFlag, versionFlag);
    const leading = sortWords(argv, known, true);
    const words = argv.slice(leading.read);
    const asked = words[0] === "help" ? words.slice(1) : words;
    const help = asked !== words || wantsHelp(argv);
    const columns = environment.stdout.columns();
    if (asked.length === 0) {
      const isVersion = leading.flags.some(({ named }) =>
        named.key === "version"
      );
      if (isVersion) await print(`osctl ${release.tag}\n`);
      else await printPage(help ? overview(entries, columns) : welcome());
      return exitStatus.ok;
    }
    const shared = { ...globals, ...helpFlag };
    const { entry, rest } = await findBetween(entries, asked, shared);
    if (!help && callsNodes(entry, rest)) program.prepare?.();
    const file = await entry.load?.();
    if (file === undefined || help) {
      const inputs = file === undefined ? {} : allInputs(file.command, file);
      await printPage(page(entry, file, entries, inputs, columns));
      return exitStatus.ok;
    }
    const line = { name: entry.name, file, argv };
    return await runCommand(program, entry, line, leading, rest);
  } catch (error) {
    return await report(environment, error);
  }
}

/**
 * All inputs of a command, including common ones.
 *
 * @param file Exports of its file; default only the command.
 */
export function allInputs(
  command: AnyCommand,
  file: CommandFile = { command },
): AnyInputs {
  const inputs = { ...command.inputs, ...targetInputs(file) };
  if (command.output === "own") return inputs;
  const { streams = "follow" in inputs, writes = false } = command;
  const more: AnyInputs = {
    output: outputFlag,
    ...listsRows(file) && tableInputs,
    ...listsRows(file) && !streams && !writes && watchInput,
  };
  const own = Object.entries(more).map(([key, input]) => [
    key,
    inputs[key] ?? withFreeShort(input, inputs),
  ]);
  return { ...inputs, ...Object.fromEntries(own) };
}

/** A common flag, without its short form if the command uses it. */
function withFreeShort(
  input: AnyInputs[string],
  inputs: AnyInputs,
): AnyInputs[string] {
  if (input.role === "argument" || input.short === undefined) return input;
  const { short, ...long } = input;
  return listFlags(inputs).some(({ flag }) => flag.short === short)
    ? long
    : input;
}

/** Reports whether rows may be a table, and getting them changes nothing. */
function listsRows({ command, change }: CommandFile): boolean {
  const { view } = command;
  // Commands whose arguments select the change list something without
  // arguments.
  return (change === undefined || change.operations !== undefined) &&
    (typeof view === "function" || view.kind === "table");
}

/** Finds a command and loads it. `name`: full name or alias. */
export async function loadNamed(
  entries: readonly IndexEntry[],
  name: string,
): Promise<CommandFile | undefined> {
  return await findEntry(entries, name)?.load?.();
}

/** True for commands that almost always call a node. */
function callsNodes(entry: IndexEntry, words: readonly string[]): boolean {
  const { section = "node", group = false } = entry;
  return section === "node" && !group && !words.includes("--client");
}

function maskSink(sink: Sink): Sink {
  return {
    ...sink,
    async write(bytes) {
      const text = new TextDecoder().decode(bytes);
      const safe = processMasker.mask(text);
      await sink.write(safe === text ? bytes : new TextEncoder().encode(safe));
    },
  };
}

async function runCommand(
  program: Program,
  entry: IndexEntry,
  line: CommandLine,
  leading: Sorted,
  rest: readonly string[],
): Promise<ExitStatus> {
  const { readFile } = program;
  let context: Context<Record<string, unknown>> | undefined;
  const silence = withWaitingNotice(program.environment, {
    findNames: (nodes) => resolveNames(nodes, context),
  });
  const { environment } = silence;
  const { file } = line;
  let { signal } = program;
  let forgetReader = () => {};
  // A command that reads the signal handles interrupts; others terminate
  // immediately.
  const listened = () => {
    program.listen?.();
    return signal;
  };
  const inputs = allInputs(file.command, file);
  let written: Promise<unknown> = Promise.resolve();
  const note = (text: string) => {
    written = Promise.all([written, writeNote(environment, text)]);
  };
  const usage: Usage = {
    line: `Usage: ${usageLine(entry, inputs)}`,
    name: entry.name,
  };
  try {
    const known = listFlags(globals, helpFlag, inputs);
    const sorted = sortWords(rest, known);
    refuseMisspelled(program.entries, entry, inputs, sorted.words);
    const values = await parseValues(inputs, sorted, readFile);
    const both = { flags: [...leading.flags, ...sorted.flags], words: [] };
    // Its keys are those of `Globals`.
    const shared = await parseValues(
      globals,
      both,
      readFile,
    ) as unknown as Globals;
    environment.live?.color(shared.color);
    warnDeprecated(sorted, note);
    if (isFollowed(file.command, values)) {
      const reader = new AbortController();
      signal = AbortSignal.any([signal, reader.signal]);
      forgetReader = environment.stdout.onReaderGone?.(() =>
        reader.abort(new Deno.errors.BrokenPipe("the reader is gone"))
      ) ?? forgetReader;
    }
    const request: SessionRequest = {
      globals: shared,
      insecure: values.insecure === true,
      fingerprints: (values.certFingerprint ?? []) as readonly string[],
      environment,
      get signal() {
        return listened();
      },
      note,
    };
    const nodes = program.open(request);
    context = {
      input: values,
      globals: shared,
      nodes,
      reopen: ({ nodes, alsoAt, nodeTimeoutMs: nodeTimeout, fingerprints }) =>
        program.open({
          ...request,
          ...(fingerprints && { fingerprints }),
          globals: { ...shared, nodes, selector: undefined, nodeTimeout },
          alsoAt,
          // Notes were printed when the other nodes were opened.
          note() {},
        }),
      environment,
      get signal() {
        return listened();
      },
      note,
      commands: program.entries,
      ...(file.change && { change: file.change }),
      claimSignals: program.claimSignals,
    };
  } catch (error) {
    await silence.end();
    return await report(environment, error, usage);
  }
  try {
    return await runRows(line, context, usage, signal);
  } finally {
    forgetReader();
    context.nodes.close();
    await silence.end();
    // Exiting would truncate pending output.
    await written;
  }
}

/** Reports whether rows continue until the reader closes. */
function isFollowed(
  { streams = false }: AnyCommand,
  values: Readonly<Record<string, unknown>>,
): boolean {
  return streams || values.follow === true || values.watch === true;
}

function writeNote(environment: Environment, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(`${noteText(text)}\n`);
  // Not awaited, and a closed standard error must not stop the command.
  return environment.stderr.write(bytes).catch(() => {});
}

function warnDeprecated(
  { flags }: Sorted,
  note: (text: string) => void,
): void {
  for (const { named } of flags) {
    const { deprecated } = named.flag;
    if (deprecated !== undefined) {
      note(`warning: Flag ${display(named)} is deprecated: ${deprecated}`);
    }
  }
}

function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.includes("--help") || words.includes("-h");
}
