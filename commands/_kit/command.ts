/** A command: a declaration, and a generator that yields rows. */

import type { Nodes, Selection } from "../../transport/node/nodes.ts";
import type { AnyChange } from "../../workflows/operations/change.ts";
import type { Json } from "../../lib/json.ts";
import type { Globals } from "./globals.ts";
import type { InputTable } from "./inputs.ts";
import { lines, type View } from "../../terminal/view.ts";
import type { ClaimSignals, Environment } from "../../terminal/environment.ts";

export type {
  ClaimedSignal,
  ClaimSignals,
  SignalName,
} from "../../terminal/environment.ts";

/** Headings in the list of commands. */
export type Section =
  | "node"
  | "change"
  | "ca"
  | "runbook"
  | "configuration"
  | "cluster"
  | "osctl";

/** A command: its single definition. */
export interface Command<Row, Values = Record<never, never>> {
  /** Summary for lists, upper case first, no period. */
  readonly summary: string;
  /** Further paragraphs for the help page, separated by empty lines. */
  readonly description?: string;
  /** Other names, in full: `m` for `memory`, `etcd ls` for `etcd members`. */
  readonly aliases?: readonly string[];
  /** Heading in the list of commands, default that of its group, else `node`. */
  readonly section?: Section;
  /** Hidden from lists and completion. */
  readonly hidden?: boolean;
  /** Valid command lines without the leading `osctl`; shown in help. */
  readonly examples?: readonly string[];
  /** Flags and arguments; arguments in the order they are typed. */
  readonly inputs: InputTable<Values>;
  /** Terminal output of rows; a function if it depends on the inputs or the time. */
  readonly view:
    | View<Row>
    | ((input: Values, environment: Environment) => View<Row>);
  /** The reason it is not a runbook step: `it is for shells`. */
  readonly noStep?: string;
  /** Additional names of its step: `node.reboot`. */
  readonly stepNames?: readonly string[];
  /** Steps that cover a part of the command, by name. */
  readonly shortSteps?: Readonly<Record<string, ShortStep>>;
  /**
   * `rows` (default) adds `-o table|json|jsonl|yaml|jsonpath=…`; `own` leaves `-o` to commands whose rows are not data.
   */
  readonly output?: "rows" | "own";
  /** Message for an empty list, default `Nothing found`; false if the command prints it itself. */
  readonly empty?: string | false;
  /** True if its rows never end; it has no `--watch`. Default: whether it has `--follow`. */
  readonly streams?: boolean;
  /** True if it writes files or the like to get its rows; it has no `--watch`. */
  readonly writes?: boolean;
  /**
   * True, or a function of the inputs, if its output is a configuration or file
   * that the user requested verbatim. Secrets in all other output are masked.
   */
  readonly discloses?: boolean | ((input: Values) => boolean);
  /** Runs the command. Returns rows as they come, in raw units. Throws `OsctlError` for every expected failure. */
  readonly run: (context: Context<Values>) => Rows<Row>;
}

/** Rows, one by one or in batches: a step between generators takes as long as a log row. */
export type Rows<Row> = AsyncIterable<Row | readonly Row[] | LineBlock<Row>>;

/** A batch of rows that are lines. Where each is printed unchanged, the text of all of them takes a third of the time. */
export class LineBlock<Row> {
  /**
   * @param text The text that the view renders of all rows.
   * @param rows The rows.
   */
  constructor(
    readonly text: () => string,
    readonly rows: () => readonly Row[],
  ) {}
}

/** Rows of one batch. */
export function rowsIn<Row>(
  given: Row | readonly Row[] | LineBlock<Row>,
): readonly Row[] {
  if (given instanceof LineBlock) return given.rows();
  return Array.isArray(given) ? given : [given as Row];
}

/** A step that covers a part of a command. */
export interface ShortStep {
  /** One line for help, upper case first, no period. */
  readonly summary: string;
  /** Inputs of the command by their names in the step. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Required inputs, by their names in the step. */
  readonly required: readonly string[];
  readonly fixed: Readonly<Record<string, Json>>;
}

// `any` is right here: the index holds commands of all row and input types.
// deno-lint-ignore no-explicit-any
export type AnyCommand = Command<any, any>;

/** A command as its file exports it. */
export interface CommandFile {
  readonly command: AnyCommand;
  /** Its change; absent for read-only commands. */
  readonly change?: AnyChange;
}

/** Context of a running command. */
export interface Context<Values> {
  readonly input: Values;
  readonly globals: Globals;
  /** The selected nodes; nothing is read or dialed before the first use. */
  readonly nodes: Nodes;
  /** Opens nodes over new connections; the caller closes them. */
  readonly reopen: (selection: Selection) => Nodes;
  /** Streams, environment and clock. */
  readonly environment: Environment;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Prints a progress line to standard error. `text`: without a line end. */
  readonly note: (text: string) => void;
  /** All commands, for commands that run, show or check runbooks. */
  readonly commands: readonly IndexEntry[];
  /** Takes over signal handling; absent where there are no signals. */
  readonly claimSignals?: ClaimSignals;
  /** The only change the command may make, declared in its file; absent in a run and for read-only commands. */
  readonly change?: AnyChange;
}

/** One line of the generated index. */
export interface IndexEntry {
  /** Full name: `etcd members`. */
  readonly name: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
  /** Heading in the list of commands, default `node`. */
  readonly section?: Section;
  /** Hidden from lists and completion. */
  readonly hidden?: boolean;
  /** True for a group that is not a command; it has no `load`. */
  readonly group?: boolean;
  /** True if it, or a command of the group, changes something. */
  readonly changes?: boolean;
  /** The reason it is not a runbook step. */
  readonly noStep?: string;
  /** Additional names of its steps; default none. */
  readonly steps?: readonly string[];
  readonly load?: () => Promise<CommandFile>;
}

/** Settings of a group in `commands/_groups.ts`. */
export interface CommandGroup {
  readonly summary: string;
  readonly aliases?: readonly string[];
  /** Heading of the group and its commands, default `node`. */
  readonly section?: Section;
  /** Hidden from lists and completion. */
  readonly hidden?: boolean;
  /** The reason its commands are not runbook steps. */
  readonly noStep?: string;
}

type SilentCommand<Values> =
  & Omit<Command<never, Values>, "output" | "view" | "run">
  & {
    /** Runs the command. Throws `OsctlError` for every expected failure. */
    readonly work: (context: Context<Values>) => Promise<void>;
  };

/** Makes a command without rows. */
export function silently<Values>(
  { work, ...declared }: SilentCommand<Values>,
): Command<never, Values> {
  return {
    ...declared,
    output: "own",
    view: lines(() => ""),
    async *run(context) {
      await work(context);
      yield* [];
    },
  };
}
