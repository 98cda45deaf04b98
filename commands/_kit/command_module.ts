/** Every command as a step of a runbook. */

import { OsctlError } from "../../errors.ts";
import { fanOut } from "../../transport/fan_out.ts";
import type { Nodes } from "../../transport/nodes.ts";
import type { AnyOperation, Json } from "../../workflows/operation.ts";
import type { Field, Fields } from "../../workflows/runbooks/field.ts";
import type {
  CommandModule,
  Perform,
  StepSite,
} from "../../workflows/runbooks/module.ts";
import type { AnyCommand, Context } from "./command.ts";
import { type Globals, globals as globalInputs } from "./globals.ts";
import type { Flag, Input } from "./inputs.ts";
import {
  type AnyInputs,
  flagsOf,
  kebab,
  sortWords,
  valuesOf,
} from "./parse.ts";
import type { World } from "./world.ts";

/** What commands find in a run. */
export interface StepPlace {
  /** The nodes of the command line that runs the runbook. */
  readonly nodes: Nodes;
  /** Its global flags. */
  readonly globals: Globals;
  /** Its world; steps write nothing into it. */
  readonly world: World;
  /** Opens others. */
  readonly reopen: Context<unknown>["reopen"];
}

/** A command as its file exports it. */
export interface CommandFile {
  /** The command. */
  readonly command: AnyCommand;
  /** What it does to a node; absent for those that only read. */
  readonly operation?: AnyOperation;
}

/** Flags of the command line that have no place in a runbook: the run has its own. */
const withheld: ReadonlySet<string> = new Set([
  "wait",
  "debug",
  "yes",
  "allow",
  "insecure",
  "certFingerprint",
  "output",
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
  { command, operation }: CommandFile,
  place?: StepPlace,
): CommandModule {
  return {
    kind: "command",
    name,
    summary: command.summary,
    scope: operation === undefined ? "cluster" : "node",
    effect: operation?.effect ?? "read",
    idempotency: operation?.idempotency ?? "pure",
    input: inputFields(command.inputs),
    output: {
      rows: {
        type: "list",
        summary: "Rows, as the command gives them with -o json",
      },
    },
    retryable: ["unavailable", "deadline", "busy", "not-started"],
    widenable: ["precondition", "registry"],
    volatile: volatile.has(name),
    ...(steady.has(name) ? { safeAfter: false } : {}),
    ...(name === "node.drain"
      ? { codes: { "timed-out": "drain-blocked" as const } }
      : {}),
    async *run(site, input, perform) {
      if (place === undefined) {
        throw new TypeError(`"${name}" was found for a check only`);
      }
      const rows: Json[] = [];
      const context = await contextOf(command, place, { site, input, perform });
      for await (const row of command.run(context)) {
        if (rows.length < mostRows) rows.push(plainJson(row));
        yield { text: "reading" };
      }
      return { rows };
    },
  };
}

/** Most rows that a step keeps; all of them stand in the journal. */
const mostRows = 1_000;

/** Commands whose effect passes by itself, or is taken back at the end of a block. */
const volatile: ReadonlySet<string> = new Set([
  "node.cordon",
  "node.drain",
  "etcd.forfeitLeadership",
]);

/** Commands behind which a run must not stop. */
const steady: ReadonlySet<string> = new Set([
  "upgrade.install",
  "upgrade.legacy",
  "upgrade",
  "node.reboot",
  "reboot",
  "node.rollback",
  "rollback",
]);

function inputFields(inputs: AnyInputs): Fields {
  const fields = Object.entries(inputs).flatMap(([key, input]) =>
    withheld.has(key) ? [] : [[key, fieldOf(input)] as const]
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
    return {
      ...input.most > 1
        ? { type: "list", items: { type: "string", summary } }
        : { type: "string" },
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

/** What a step of a command is given. */
interface StepInput {
  readonly site: StepSite;
  readonly input: Readonly<Record<string, Json>>;
  readonly perform: Perform;
}

async function contextOf(
  command: AnyCommand,
  place: StepPlace,
  { site, input, perform }: StepInput,
): Promise<Context<Record<string, unknown>>> {
  const { node: _, ...given } = input;
  const words = wordsOf(command.inputs, given);
  const known = flagsOf(globalInputs, command.inputs);
  const values = await valuesOf(
    command.inputs,
    sortWords(words, known),
    (path) => Deno.readTextFile(path),
  );
  const { globals, world, reopen } = place;
  const one = site.node !== "";
  return {
    input: values,
    globals: one ? { ...globals, nodes: [site.node] } : globals,
    nodes: one ? oneNode(site, place.nodes) : place.nodes,
    reopen,
    world: quiet(world),
    signal: site.signal,
    note() {},
    perform,
  };
}

/** Values as they would be typed. */
function wordsOf(
  inputs: AnyInputs,
  given: Readonly<Record<string, Json>>,
): readonly string[] {
  const flags: string[] = [];
  const words: string[] = [];
  for (const [key, input] of Object.entries(inputs)) {
    const value = given[key];
    if (value === undefined) continue;
    const all = (Array.isArray(value) ? value : [value]).map(textOf);
    if (input.role === "argument") words.push(...all);
    else flags.push(...all.map((one) => `--${kebab(key)}=${one}`));
  }
  return [...flags, "--", ...words];
}

function textOf(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The node of a step, over the connections of the run. */
function oneNode({ node, client, signal }: StepSite, nodes: Nodes): Nodes {
  return {
    ...nodes,
    names: () => Promise.resolve([node]),
    only: () => Promise.resolve(client),
    async *call(ask) {
      yield { node, value: await ask(client) };
    },
    stream: (open) =>
      fanOut({
        nodes: [node],
        atOnce: 1,
        signal,
        open: () => open(client),
      }),
    close() {},
  };
}

/** Nobody reads what a step writes, and nobody answers it. */
function quiet({ env, now, os }: World): World {
  const sink = {
    terminal: false,
    columns: () => undefined,
    write: () => Promise.resolve(),
  };
  return {
    env,
    now,
    os,
    stdout: sink,
    stderr: sink,
    stdin: { terminal: false, readable: new Blob().stream() },
  };
}

/** A row as it stands in the journal. */
function plainJson(row: unknown): Json {
  const text = JSON.stringify(
    row,
    (_, value) => typeof value === "bigint" ? String(value) : value,
  );
  if (text === undefined) throw new OsctlError("A row of the step is no data");
  return JSON.parse(text);
}
