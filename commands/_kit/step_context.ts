/** What a command finds when it is a step of a runbook. */

import { NodesError, UsageError } from "../../errors.ts";
import { fanOut } from "../../transport/node/fan_out.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import type { Programs } from "../../workflows/modules/command.ts";
import type { Json } from "../../workflows/operations/operation.ts";
import type { Perform, StepSite } from "../../workflows/runbooks/module.ts";
import type { AnyCommand, Context } from "./command.ts";
import { type Globals, globals as globalInputs } from "./globals.ts";
import {
  type AnyInputs,
  flagsOf,
  kebab,
  sortWords,
  valuesOf,
} from "./parse.ts";
import type { Environment } from "../../terminal/environment.ts";

/** What commands find in a run. */
export interface StepPlace {
  /** The nodes of the command line that runs the runbook. */
  readonly nodes: Nodes;
  /** Its global flags. */
  readonly globals: Globals;
  /** Its environment; steps write nothing into it. */
  readonly environment: Environment;
  /** Opens others. */
  readonly reopen: Context<unknown>["reopen"];
  /** Runs programs on this machine; absent where the operator has not allowed it. */
  readonly programs?: Programs | undefined;
}

/** What a step of a command is given. */
export interface StepInput {
  /** Node, or cluster, and the room of the run. */
  readonly site: StepSite;
  /** What stands under `with`. */
  readonly input: Readonly<Record<string, Json>>;
  /** Does the command's operation. */
  readonly perform: Perform;
  /** Told what the command would say to the person who waits. */
  readonly note: (text: string) => void;
}

/**
 * Makes what a command is given in a step.
 *
 * @param command The command.
 * @param place What it finds in a run.
 * @param given The step.
 * @throws {UsageError} If the values under `with` do not fit the command.
 */
export async function stepContext(
  command: AnyCommand,
  place: StepPlace,
  { site, input, perform, note }: StepInput,
): Promise<Context<Record<string, unknown>>> {
  const { node: _, ...given } = input;
  const words = wordsOf(command.inputs, given);
  const known = flagsOf(globalInputs, command.inputs);
  const values = await valuesOf(
    command.inputs,
    sortWords(words, known),
    (path) => Deno.readTextFile(path),
  );
  const { globals, environment, reopen } = place;
  const one = site.node !== "";
  return {
    input: values,
    globals: one ? { ...globals, nodes: [site.node] } : globals,
    nodes: one ? oneNode(site, place.nodes) : selected(place.nodes),
    reopen,
    environment: quiet(environment),
    // No command that runs runbooks is a step.
    commands: [],
    signal: site.signal,
    note,
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
    if (input.complete !== undefined && all.includes("-")) {
      throw streamless(key);
    }
    if (input.role === "argument") words.push(...all);
    else flags.push(...all.map((one) => `--${kebab(key)}=${one}`));
  }
  return [...flags, "--", ...words];
}

function streamless(key: string): UsageError {
  return new UsageError(
    `Value "-" of ${key} stands for a stream, and a step has none`,
    { hint: "Name a file" },
  );
}

function textOf(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The node of a step, over the connections of the run. */
function oneNode(
  { node, client: given, signal }: StepSite,
  nodes: Nodes,
): Nodes {
  const client = given.node === node ? given : { ...given, node };
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

/** The nodes of the command line; a step that needs one of them has to name it. */
function selected(nodes: Nodes): Nodes {
  return {
    ...nodes,
    async only(command) {
      const { length } = await nodes.names();
      if (length === 1) return await nodes.only(command);
      throw new UsageError(
        `"${command}" works on one node, and ${length} are selected`,
        { hint: "Put the step into a forEach, or name one under with.node" },
      );
    },
    close() {},
  };
}

/** Nobody reads what a step writes, and nobody answers it. */
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
