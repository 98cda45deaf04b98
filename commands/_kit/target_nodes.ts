/** The one rule for which nodes a command changes, by the effect of its operation. */

import { namesNodes } from "./globals.ts";
import { RefusedError } from "../../errors.ts";
import type { AnyChange } from "../../workflows/operations/change.ts";
import type { AnyOperation } from "../../workflows/operations/operation.ts";
import type { AnyCommand, CommandFile, Context } from "./command.ts";
import { yesFlag } from "./inputs.ts";
import { selectNodes } from "../../transport/node/select_nodes.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import type { AnyInputs } from "./parse.ts";
import { shellWord } from "../../terminal/shell_word.ts";

/** The operation of a command line. Returns `undefined` if it changes nothing. */
export function findOperation(
  { change }: CommandFile,
  input: Readonly<Record<string, unknown>>,
): AnyOperation | undefined {
  if (change === undefined || input.dryRun === true) return undefined;
  return change.chooseOperation === undefined
    ? change.operation
    : change.chooseOperation(input);
}

/** Reports whether the user has to type the cluster name, however the nodes were selected. */
export function asksForCluster({ guarded, effect }: AnyOperation): boolean {
  return guarded === true || effect === "destroy";
}

/** Flags of every command that changes nodes, except those it declares itself. */
export function targetInputs(file: CommandFile): AnyInputs {
  return file.change === undefined || "yes" in file.command.inputs
    ? {}
    : { yes: yesFlag };
}

/** A command line before it runs. */
export interface CommandLine {
  readonly name: string;
  readonly file: CommandFile;
  /** Words after the program's name. */
  readonly argv: readonly string[];
}

/**
 * Asks before a command changes the default nodes of the context; read-only commands and explicitly named nodes need no
 * confirmation. Throws `RefusedError` if the answer is no, or there is no terminal; nothing is sent. Throws
 * `UsageError` if no node is selected, or several are for a change of one.
 *
 * @returns The nodes to work on: those of the context, or the one selected from them.
 */
export async function confirmNodes(
  context: Context<Readonly<Record<string, unknown>>>,
  line: CommandLine,
): Promise<Nodes> {
  const { globals, input, environment } = context;
  const { file } = line;
  const operation = findOperation(file, input);
  // Operations on an etcd member name that instead.
  if (operation === undefined || operation.member !== undefined) {
    return context.nodes;
  }
  const name = file.change?.operations ? operation.name : line.name;
  const nodes = file.change?.oneNode === "any"
    ? await anyNode(context)
    : context.nodes;
  if (file.change?.oneNode) await nodes.only(name);
  const isNamed = namesNodes(globals);
  if (isNamed || environment.env("OSCTL_COMPAT") === "peer") return nodes;
  const names = await nodes.names();
  const yes = input.yes === true && !asksForCluster(operation);
  if (!yes && !environment.stdin.terminal) {
    throw new RefusedError(
      `"${name}" does not run on the default nodes of the context`,
      { hint: namingHint(line.argv, names) },
    );
  }
  // The guard lists the nodes and asks for confirmation.
  if (asksForCluster(operation)) return nodes;
  // Loaded on demand: most commands need no confirmation.
  const { askNodes } = await import("./ask_nodes.ts");
  const target = file.change?.target?.(input);
  await askNodes(context, { name, target, names, yes });
  return nodes;
}

async function anyNode(
  context: Context<Readonly<Record<string, unknown>>>,
): Promise<Nodes> {
  // Loaded on demand: it reads YAML, which few changes need.
  const { chosenNode } = await import("./one_node.ts");
  const chosen = await chosenNode(context);
  return chosen === undefined
    ? context.nodes
    : selectNodes(context.nodes, [chosen]);
}

const longestLine = 300;

function namingHint(
  argv: readonly string[],
  names: readonly string[],
): string {
  const [first = ""] = names;
  // The command line with all of them would invite to change them all.
  if (names.length > 1) {
    return `Name the nodes: --nodes ${first}, or @workers, @all`;
  }
  const flag = ["--nodes", first];
  // Words after "--" are not flags.
  const end = argv.indexOf("--");
  const words = argv.toSpliced(end < 0 ? argv.length : end, 0, ...flag);
  const typed = ["osctl", ...words.map(shellWord)].join(" ");
  return typed.length > longestLine || argv.some(isInline)
    ? `Add to the command: ${flag.join(" ")}`
    : `Type: ${typed}`;
}

/** Patches and the like may contain secrets, and are read later. */
function isInline(word: string): boolean {
  return /[[{\n]|:\s/.test(word);
}

/**
 * Help on the default nodes of a command, and how many it changes at once.
 * Returns pairs of heading and text; none for read-only commands.
 */
export function targetHelp(
  file: CommandFile,
): readonly (readonly [heading: string, text: string])[] {
  const { command, change } = file;
  if (change === undefined) return [];
  return [["Default", defaultNodes(command, change)], [
    "Batch",
    formatBatch(change),
  ]];
}

function defaultNodes(
  { inputs }: AnyCommand,
  { operation, operations }: AnyChange,
): string {
  if (operation.member !== undefined) {
    return "a healthy control plane; the argument names the member";
  }
  const words = Object.keys(operations ?? {}).join(", ");
  const when = words !== ""
    ? ` for ${words}`
    : "dryRun" in inputs
    ? " without --dry-run"
    : "";
  const question = asksForCluster(operation)
    ? "asks you to type the cluster name"
    : "asks for confirmation, unless --yes is given";
  return `none${when}: name them with --nodes; on a terminal, osctl offers those of the context and ${question}`;
}

function formatBatch({ operation, oneNode }: AnyChange): string {
  if (oneNode || operation.member !== undefined) return "one node";
  if (operation.rolling) {
    return "one node at a time if it disrupts them; --max-unavailable allows more workers";
  }
  if (operation.quorum({}) !== "none") {
    return "all workers at once, control planes one at a time";
  }
  // If it depends on the service, only etcd affects other nodes.
  return operation.quorum({ id: "etcd" }) === "none"
    ? "all nodes at once"
    : "all nodes at once; for etcd, control planes one at a time";
}
