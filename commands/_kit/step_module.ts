import {
  NodesError,
  OsctlError,
  RefusedError,
  UsageError,
} from "../../errors.ts";
import type { Environment } from "../../terminal/environment.ts";
import { changeClient } from "../../transport/call/client.ts";
import { fanOut } from "../../transport/node/fan_out.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import type { Programs } from "../../workflows/modules/command.ts";
import type { AnyChange } from "../../workflows/operations/change.ts";
import type { Json } from "../../lib/json.ts";
import type {
  ValueField,
  ValueFields,
} from "../../workflows/runbook_cel/field.ts";
import type {
  ChangingModule,
  Module,
  ModuleHead,
  PreparedStep,
  StepContext,
} from "../../workflows/modules/module.ts";
import { upgradeAllowances } from "../../workflows/upgrade/upgrade_problems.ts";
import { type ResourceRow, shownAs } from "../_resources/resource_row.ts";
import type { AnyCommand, CommandFile, Context, ShortStep } from "./command.ts";
import { type Globals, outputFlag } from "./globals.ts";
import type { AnyInput, Flag } from "./inputs.ts";
import { operationFor } from "./operate.ts";
import { type AnyInputs, parseValues, sortJson } from "./parse.ts";

/** Environment of commands in a run. */
export interface StepPlace {
  /** The nodes selected by the command that runs the runbook. */
  readonly nodes: Nodes;
  readonly globals: Globals;
  /** Its environment; steps write nothing to it. */
  readonly environment: Environment;
  readonly reopen: Context<unknown>["reopen"];
  /** Runs programs on this machine; absent unless the operator allowed it. */
  readonly programs?: Programs | undefined;
}

type Given = Readonly<Record<string, Json>>;

/**
 * Wraps a command as a runbook module.
 *
 * @param name Name with dots: `etcd.snapshot`.
 * @param place Environment in a run; absent for checks without a run.
 */
export function stepModule(
  name: string,
  { command, change }: CommandFile,
  place?: StepPlace,
): Module {
  const head: ModuleHead = {
    name,
    summary: command.summary,
    scope: change === undefined || change.operations ? "any" : "node",
    input: inputFields(command.inputs),
    output: {
      rows: {
        type: "list",
        summary: "Rows, as printed with -o json",
      },
    },
    retryable: ["unavailable", "deadline", "busy", "not-started"],
    widenable: ["precondition", "registry"],
    ...readTimeout(command.inputs),
    volatile: change?.volatile ?? false,
    ...(change?.safeAfter === false && { safeAfter: false }),
    ...(change?.changedFacts && { changedFacts: change.changedFacts }),
    ...(change?.codes && { codes: change.codes }),
  };
  const toContext = (step: StepContext, given: Given) => {
    if (place !== undefined) return stepContext(command, place, step, given);
    throw new TypeError(`"${name}" was found for a check only`);
  };
  if (change === undefined) {
    return {
      ...head,
      kind: "read",
      // deno-lint-ignore require-yield
      async *read(step, given) {
        return await collectRows(command, await toContext(step, given));
      },
    };
  }
  return {
    ...head,
    kind: "change",
    operation: change.operation,
    prepare: async (step, given) => {
      const context = await toContext(step, given);
      const { input } = context;
      const isRead = input.dryRun === true ||
        change.chooseOperation?.(input) === undefined && change.chooseOperation;
      return isRead
        ? { output: await collectRows(command, context) }
        : await prepare(change, context, step);
    },
  };
}

/** The change of the step's single node. */
async function prepare(
  change: AnyChange,
  context: Context<Record<string, unknown>>,
  { run }: StepContext,
): Promise<PreparedStep> {
  const { input: values, nodes, globals } = context;
  const prepared = await change.prepare(values, { ...context, run });
  const {
    operation = operationFor(change, values),
    chooseOperation,
    input,
    rows = [],
  } = prepared;
  const names = prepared.names ?? await nodes.names();
  const [node] = names;
  if (rows.length > 0 && node === undefined) {
    return { output: { rows: rows.map(plainJson) } };
  }
  if (node === undefined || names.length > 1) {
    throw new RefusedError(
      `A step works on one node, but "${operation.name}" would run on ${names.length}`,
      { hint: "Put the step into a forEach, or name one under with.node" },
    );
  }
  if (prepared.names === undefined && globals.nodes.length === 0) {
    throw new RefusedError(
      `The step has no node, and "${operation.name}" does not run on the default nodes of the context`,
      { hint: "Put the step into a forEach, or name one under with.node" },
    );
  }
  return {
    operation: chooseOperation?.(node) ?? operation,
    input,
    toOutput({ outcome, reason }) {
      const row = { node, outcome, reason };
      return { rows: [plainJson(prepared.toRow?.(row) ?? row)] };
    },
  };
}

async function collectRows(
  { run }: AnyCommand,
  context: Context<unknown>,
): Promise<{ readonly rows: readonly Json[] }> {
  const rows: Json[] = [];
  for await (const row of run(context)) {
    // Files and archives go to standard output, which a step does not have.
    const isData = !(row instanceof Uint8Array);
    if (rows.length < mostRows && isData) rows.push(plainJson(row));
  }
  // An aborted stream finishes without an error.
  context.signal.throwIfAborted();
  return { rows };
}

/** Limit for the rows a step keeps; the journal has all of them. */
const mostRows = 1_000;

/** Makes a step that covers a part of a command. */
export function shortModule(
  name: string,
  module: ChangingModule,
  { summary, inputs, required, fixed }: ShortStep,
): ChangingModule {
  const fields = Object.entries(inputs).flatMap(([here, there]) => {
    const field = module.input[there];
    if (field === undefined) return [];
    const must = required.includes(here) ? { required: true } : {};
    return [[here, { ...field, ...must }] as const];
  });
  return {
    ...module,
    name,
    summary,
    input: Object.fromEntries(fields),
    prepare: (step, given) => {
      const renamed = Object.entries(given).map(([here, value]) =>
        [inputs[here] ?? here, value] as const
      );
      return module.prepare(step, { ...Object.fromEntries(renamed), ...fixed });
    },
  };
}

async function stepContext(
  { inputs }: AnyCommand,
  { globals, environment, reopen, nodes }: StepPlace,
  step: StepContext,
  given: Given,
): Promise<Context<Record<string, unknown>>> {
  const wanted = { ...given, ...await readAllow(inputs, step) };
  const input = await parseValues(
    inputs,
    sortJson(inputs, wanted),
    (path) => Deno.readTextFile(path),
  );
  const one = step.node !== "";
  return {
    input,
    globals: one ? { ...globals, nodes: [step.node] } : globals,
    nodes: one ? oneNode(step, nodes) : limitSelection(nodes),
    reopen,
    environment: quiet(environment),
    // A step never runs runbooks.
    commands: [],
    signal: step.signal,
    note: step.note,
  };
}

/** Safety rules of its own for the command to skip; the quorum rules belong to the arbiter. */
async function readAllow(
  { allow: flag }: AnyInputs,
  { overridden }: StepContext,
): Promise<{ readonly allow?: readonly string[] }> {
  const known = flag?.role === "flag" ? flag.choices ?? [] : [];
  const allow: string[] = [];
  for (const rule of upgradeAllowances) {
    // One prompt at a time.
    if (known.includes(rule) && await overridden(rule)) allow.push(rule);
  }
  return allow.length === 0 ? {} : { allow };
}

/** The node of a step, over the connections of the run. */
function oneNode(
  { node, client: given, signal }: StepContext,
  nodes: Nodes,
): Nodes {
  const client = given.node === node ? given : changeClient(given, { node });
  const failed = (error: unknown) => {
    throw new NodesError(new Map([[node, error]]), 1);
  };
  return {
    ...nodes,
    names: () => Promise.resolve([node]),
    only: () => Promise.resolve(client),
    at: (name) => name === node ? Promise.resolve(client) : nodes.at(name),
    async *call(ask) {
      yield { node, value: await ask(client).catch(failed) };
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

/** The selected nodes; a step that needs a single one has to name it. */
function limitSelection(nodes: Nodes): Nodes {
  return {
    ...nodes,
    async only(command) {
      const { length } = await nodes.names();
      if (length === 1) return await nodes.only(command);
      throw new UsageError(
        `"${command}" works on one node, but ${length} are selected`,
        { hint: "Put the step into a forEach, or name one under with.node" },
      );
    },
    close() {},
  };
}

/** Discards output of a step, and answers no prompts. */
function quiet({ env, now, os }: Environment): Environment {
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

/** Commands that change nodes declare their timeout. */
function readTimeout(inputs: AnyInputs): Pick<ModuleHead, "timeout"> {
  const flag = Object.values(inputs).find((input) => input.step === "timeout");
  return flag?.role === "flag" ? { timeout: flag.shown } : {};
}

function inputFields(inputs: AnyInputs): ValueFields {
  const fields = Object.entries(inputs).flatMap(([key, input]) =>
    input.step !== undefined || input === outputFlag ||
      (input.role === "flag" && input.deprecated !== undefined)
      ? []
      : [[key, toField(input)] as const]
  );
  return {
    ...Object.fromEntries(fields),
    node: {
      type: "node",
      summary: "Node to work on; default that of the fan-out",
    },
  };
}

function toField(input: AnyInput<unknown>): ValueField {
  const summary = sentence(input.summary);
  if (input.role === "argument") {
    const { choices, complete } = input;
    const one: Pick<ValueField, "type" | "values"> = choices === undefined
      ? { type: isLocal(complete) ? "path" : "string" }
      : { type: "enum", values: choices };
    return {
      ...input.most > 1 ? { type: "list", items: { ...one, summary } } : one,
      summary,
      required: input.least > 0,
    };
  }
  return {
    ...toType(input),
    summary,
    ...(input.required ? { required: true } : {}),
  };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toType(flag: Flag<unknown>): Pick<ValueField, "type" | "values"> {
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
      return { type: isLocal(flag.complete) ? "path" : "string" };
  }
}

function isLocal(complete: AnyInput<unknown>["complete"]): boolean {
  return complete !== undefined &&
    ["files", "yaml", "directories"].includes(complete);
}

/** A row for the journal, without secrets. */
function plainJson(row: unknown): Json {
  const text = JSON.stringify(
    isSecret(row) ? { ...row, spec: null } : row,
    (_, value) => typeof value === "bigint" ? String(value) : value,
  );
  if (text === undefined) {
    throw new OsctlError("A row of the step cannot be encoded as JSON");
  }
  return JSON.parse(text);
}

function isSecret(row: unknown): row is { readonly spec: unknown } {
  return typeof row === "object" && row !== null &&
    Object.hasOwn(row, shownAs) &&
    (row as ResourceRow)[shownAs].sensitive;
}
