/** What a command is: data, and one generator that yields rows. */

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

/** Heading under which the list of commands shows a command. */
export type Section =
  | "node"
  | "ca"
  | "runbook"
  | "configuration"
  | "cluster"
  | "osctl";

/** A command: the only place where it is described. */
export interface Command<Row, Values = Record<never, never>> {
  /** One line for lists, upper case first, no period. */
  readonly summary: string;
  /** Further paragraphs for the help page, separated by empty lines. */
  readonly description?: string;
  /** Other names, in full: `m` for `memory`, `etcd ls` for `etcd members`. */
  readonly aliases?: readonly string[];
  /** Heading in the list of commands, default that of its group, else `node`. */
  readonly section?: Section;
  /** Left out of lists and completion. */
  readonly hidden?: boolean;
  /** Command lines that work, without the leading `osctl`; shown in help. */
  readonly examples?: readonly string[];
  /** Flags and arguments; arguments in the order they are typed. */
  readonly inputs: InputTable<Values>;
  /** How rows look on a terminal; a function when the inputs or the present decide. */
  readonly view:
    | View<Row>
    | ((input: Values, environment: Environment) => View<Row>);
  /** Why it is not a step of a runbook: `it is for shells`. */
  readonly noStep?: string;
  /** Names of its step beside its own with dots: `node.reboot`. */
  readonly stepNames?: readonly string[];
  /** Steps that are a part of what it can do, by their names. */
  readonly shortSteps?: Readonly<Record<string, ShortStep>>;
  /**
   * `rows` (default) adds `-o table|json|jsonl|yaml|jsonpath=…`;
   * `own` leaves `-o` to the command, for those whose rows are not data.
   */
  readonly output?: "rows" | "own";
  /** What is said of a list without rows, default `Nothing found`; false when the command says it itself. */
  readonly empty?: string | false;
  /** True when its rows do not come to an end; it has no `--watch`. Default: whether it has `--follow`. */
  readonly streams?: boolean;
  /** True when it writes files or the like to get its rows; it has no `--watch`. */
  readonly writes?: boolean;
  /**
   * True, or for some inputs, when its output is a configuration or a file that the user asked for as it is. What any
   * other command says goes through the masker of secrets.
   */
  readonly discloses?: boolean | ((input: Values) => boolean);
  /**
   * Does the work. Returns rows as they come; they carry raw units. Throws `OsctlError` for every
   * expected failure.
   */
  readonly run: (context: Context<Values>) => Rows<Row>;
}

/** Rows one by one, or several that came at once: a step between generators takes as long as a row of a log. */
export type Rows<Row> = AsyncIterable<Row | readonly Row[]>;

/** The rows of one step. */
export function rowsIn<Row>(given: Row | readonly Row[]): readonly Row[] {
  return Array.isArray(given) ? given : [given as Row];
}

/** A step that is a part of what a command can do. */
export interface ShortStep {
  /** One line for people, upper case first, no period. */
  readonly summary: string;
  /** Inputs of the command by the names they have here. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Inputs, as named here, that have to be given. */
  readonly required: readonly string[];
  /** What the command is given besides. */
  readonly fixed: Readonly<Record<string, Json>>;
}

/** A command of any type, as the index holds it. */
// The index holds commands of all row and input types; only here is `any` right.
// deno-lint-ignore no-explicit-any
export type AnyCommand = Command<any, any>;

/** A command as its file exports it. */
export interface CommandFile {
  readonly command: AnyCommand;
  /** What it changes; absent for those that only read. */
  readonly change?: AnyChange;
}

/** What a running command is given. */
export interface Context<Values> {
  /** Values of the declared inputs. */
  readonly input: Values;
  readonly globals: Globals;
  /** The selected nodes; nothing is read or dialled before the first use. */
  readonly nodes: Nodes;
  /** Opens nodes over connections of their own; the caller closes them. */
  readonly reopen: (selection: Selection) => Nodes;
  /** Streams, environment and clock. */
  readonly environment: Environment;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Tells the person who waits something, as one line on standard error. `text`: line without its end. */
  readonly note: (text: string) => void;
  /** Every command, for those that run, show or check runbooks. */
  readonly commands: readonly IndexEntry[];
  /** Takes over what signals mean; absent where there are none. */
  readonly claimSignals?: ClaimSignals;
  /** What the command's file declares to change, nothing else may be; absent in a run, and where that is nothing. */
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
  /** Left out of lists and completion. */
  readonly hidden?: boolean;
  /** True for a group that does nothing by itself; it has no `load`. */
  readonly group?: boolean;
  /** True when it, or a command of the group, changes something. */
  readonly changes?: boolean;
  /** Why it is not a step of a runbook. */
  readonly noStep?: string;
  /** Names of steps beside its own with dots; default none. */
  readonly steps?: readonly string[];
  readonly load?: () => Promise<CommandFile>;
}

/** What `commands/_groups.ts` says about a group. */
export interface CommandGroup {
  readonly summary: string;
  readonly aliases?: readonly string[];
  /** Heading of the group and its commands, default `node`. */
  readonly section?: Section;
  /** Left out of lists and completion. */
  readonly hidden?: boolean;
  /** Why its commands are not steps of runbooks. */
  readonly noStep?: string;
}

type SilentCommand<Values> =
  & Omit<Command<never, Values>, "output" | "view" | "run">
  & {
    /** Does the work. Throws `OsctlError` for every expected failure. */
    readonly work: (context: Context<Values>) => Promise<void>;
  };

/** Makes a command of work without rows. */
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
