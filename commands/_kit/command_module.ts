/** Every command as a step of a runbook. */

import { OsctlError } from "../../errors.ts";
import type { Json, Progress } from "../../workflows/operations/operation.ts";
import type { Field, Fields } from "../../workflows/runbooks/field.ts";
import type {
  CommandModule,
  Perform,
  StepSite,
} from "../../workflows/runbooks/module.ts";
import { upgradeAllowances } from "../../workflows/upgrade/findings.ts";
import type { AnyCommand, CommandFile } from "./command.ts";
import type { Flag, Input } from "./inputs.ts";
import { outputFlag } from "./output.ts";
import type { AnyInputs } from "./parse.ts";
import { type ResourceRow, shownAs } from "../_resources/resource_row.ts";
import { stepContext, type StepInput, type StepPlace } from "./step_context.ts";
import { worstOperation } from "./target_nodes.ts";

/** Flags of the command line that have no place in a runbook: the run has its own, and steps end. */
const withheld: ReadonlySet<string> = new Set([
  "wait",
  "maxUnavailable",
  "waitTimeout",
  "debug",
  "yes",
  "allow",
  "insecure",
  "certFingerprint",
  "trustAny",
  "licenses",
  "follow",
  "watch",
  "showSecrets",
]);

/**
 * Makes a module of a command.
 *
 * @param name Name with dots: `etcd.snapshot`.
 * @param file What the command's file exports.
 * @param place What it finds in a run; absent where runbooks are only checked.
 */
export function commandModule(
  name: string,
  file: CommandFile,
  place?: StepPlace,
): CommandModule {
  const { command } = file;
  const operation = worstOperation(file);
  return {
    kind: "command",
    name,
    summary: command.summary,
    scope: file.operation === undefined ? "cluster" : "node",
    effect: operation?.effect ?? "read",
    idempotency: operation?.idempotency ?? "pure",
    input: inputFields(file),
    output: {
      rows: {
        type: "list",
        summary: "Rows, as the command gives them with -o json",
      },
    },
    retryable: ["unavailable", "deadline", "busy", "not-started"],
    widenable: ["precondition", "registry"],
    ...longestOf(file),
    volatile: volatile.has(name),
    ...(steady.has(name) ? { safeAfter: false } : {}),
    ...codesOf(name),
    run(site, input, perform) {
      if (place === undefined) {
        throw new TypeError(`"${name}" was found for a check only`);
      }
      return rowsOf(file, place, {
        site,
        input,
        perform: owned(site, perform),
      });
    },
  };
}

/** What an end of some commands means to a run. */
const codes: Readonly<Record<string, CommandModule["codes"]>> = {
  "node.drain": { "timed-out": "drain-blocked" },
  "image.pull": { failed: "registry" },
};

function codesOf(name: string): Pick<CommandModule, "codes"> {
  const own = codes[name];
  return own === undefined ? {} : { codes: own };
}

/** Commands that change something say how long they wait. */
function longestOf(
  { command, operation }: CommandFile,
): Pick<CommandModule, "timeout"> {
  if (operation === undefined) return {};
  const { timeout, waitTimeout = timeout }: Readonly<
    Record<string, Input<unknown> | undefined>
  > = command.inputs;
  return waitTimeout?.role === "flag" ? { timeout: waitTimeout.shown } : {};
}

/** What closes a node tells the run, so that nobody opens what another one has closed. */
function owned({ room: { run: owner } }: StepSite, perform: Perform): Perform {
  return (operation, input) =>
    owning.has(operation.name) && isRecord(input)
      ? perform(operation, { ...input, owner })
      : perform(operation, input);
}

/** Operations that write down who closed a node, or look who did. */
const owning: ReadonlySet<string> = new Set([
  "node cordon",
  "node drain",
  "node uncordon",
]);

function isRecord(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function* rowsOf(
  { command }: CommandFile,
  place: StepPlace,
  given: Omit<StepInput, "note">,
): AsyncGenerator<Progress, Readonly<Record<string, Json>>> {
  const notes: string[] = [];
  const note = (text: string) => void notes.push(text);
  const input = { ...given.input, ...await allowOf(command, given) };
  const context = await stepContext(command, place, { ...given, input, note });
  const rows: Json[] = [];
  for await (const row of command.run(context)) {
    if (rows.length < mostRows && isData(row)) rows.push(plainJson(row));
    yield* notes.splice(0).map((text) => ({ text }));
  }
  yield* notes.map((text) => ({ text }));
  // What is cut off ends without a complaint.
  given.site.signal.throwIfAborted();
  return { rows };
}

/** Rules of its own that a command is to leave out; those of the quorum are the arbiter's. */
async function allowOf(
  { inputs }: AnyCommand,
  { site: { room } }: Pick<StepInput, "site">,
): Promise<{ readonly allow?: readonly string[] }> {
  const { allow: flag }: AnyInputs = inputs;
  const known = flag?.role === "flag" ? flag.choices ?? [] : [];
  const allow: string[] = [];
  for (const rule of upgradeAllowances) {
    // One question after the other.
    if (known.includes(rule) && await room.loosened(rule)) allow.push(rule);
  }
  return allow.length === 0 ? {} : { allow };
}

/** Files and archives are for standard output, which a step does not have. */
function isData(row: unknown): boolean {
  return !(row instanceof Uint8Array);
}

/** Most rows that a step keeps; all of them stand in the journal. */
const mostRows = 1_000;

/** Commands whose effect passes by itself, or is taken back at the end of a block; and what takes it back. */
const volatile: ReadonlySet<string> = new Set([
  "node.cordon",
  "node.drain",
  "node.uncordon",
  "etcd.forfeitLeadership",
]);

/** Commands behind which a run must not stop. */
const steady: ReadonlySet<string> = new Set([
  "upgrade.install",
  "upgrade",
  "reboot",
  "rollback",
]);

function inputFields({ command, operation }: CommandFile): Fields {
  const inputs: AnyInputs = command.inputs;
  // The longest wait of a step is that of the run, which it gives up or tries again.
  const hasOwn = operation !== undefined && !("waitTimeout" in inputs);
  const isLeftOut = (key: string, input: Input<unknown>) =>
    withheld.has(key) || input === outputFlag ||
    (key === "timeout" && hasOwn) ||
    (input.role === "flag" && input.deprecated !== undefined);
  const fields = Object.entries(inputs).flatMap(([key, input]) =>
    isLeftOut(key, input) ? [] : [[key, fieldOf(input)] as const]
  );
  return {
    ...Object.fromEntries(fields),
    node: {
      type: "node",
      summary: "Node it is done to; default that of the fan-out",
    },
  };
}

function fieldOf(input: Input<unknown>): Field {
  const summary = sentence(input.summary);
  if (input.role === "argument") {
    const { choices } = input;
    const one: Pick<Field, "type" | "values"> = choices === undefined
      ? { type: "string" }
      : { type: "enum", values: choices };
    return {
      ...input.most > 1 ? { type: "list", items: { ...one, summary } } : one,
      summary,
      required: input.least > 0,
    };
  }
  return {
    ...typeOf(input),
    summary,
    ...(input.required ? { required: true } : {}),
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function typeOf(flag: Flag<unknown>): Pick<Field, "type" | "values"> {
  if (flag.choices !== undefined && !Array.isArray(flag.initial)) {
    return { type: "enum", values: flag.choices };
  }
  switch (flag.type) {
    case "":
      return { type: "bool" };
    case "int":
    case "count":
      return { type: "int" };
    case "duration":
      return { type: "duration" };
    case "strings":
    case "stringArray":
      return { type: "list" };
    default:
      return { type: flag.complete === "files" ? "path" : "string" };
  }
}

/** A row as it stands in the journal; what is secret is left out. */
function plainJson(row: unknown): Json {
  const text = JSON.stringify(
    isSecret(row) ? { ...row, spec: null } : row,
    (_, value) => typeof value === "bigint" ? String(value) : value,
  );
  if (text === undefined) throw new OsctlError("A row of the step is no data");
  return JSON.parse(text);
}

function isSecret(row: unknown): row is { readonly spec: unknown } {
  return typeof row === "object" && row !== null && shownAs in row &&
    (row as ResourceRow)[shownAs].sensitive;
}
