/** Commands as steps against simulated nodes, over real sockets, with a run that performs operations. */

import assert from "node:assert/strict";
import {
  type Globals,
  globals as globalInputs,
} from "../../../commands/_kit/globals.ts";
import { lazyNodes } from "../../../transport/node/nodes.ts";
import {
  listFlags,
  parseValues,
  sortWords,
} from "../../../commands/_kit/parse.ts";
import { openSession } from "../../../commands/_kit/session.ts";
import type { StepPlace } from "../../../commands/_kit/step_module.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { makeFinders } from "../../../commands/_runbook/finders.ts";
import { entries } from "../../../commands/_index.ts";
import type { ClusterOptions } from "../../../simulator/cluster/cluster.ts";
import type { Verdict } from "../../../workflows/operations/operation.ts";
import type { Json } from "../../../lib/json.ts";
import { createArbiter } from "../../../workflows/operations/arbiter.ts";
import { runOnNode } from "../../../workflows/operations/run.ts";
import type { Module, StepContext } from "../../../workflows/modules/module.ts";
import { withRunner } from "../../workflows/_step_context.ts";
import { withWire } from "../../_wire.ts";

export interface Stepped {
  readonly output: Readonly<Record<string, Json>>;
  readonly reported: readonly string[];
  /** Operations that were performed, with their input and how they ended. */
  readonly performed: readonly {
    readonly name: string;
    readonly input: Json;
    readonly outcome: Verdict["outcome"];
  }[];
}

export interface StepTest {
  /** Addresses of the nodes, control planes first. */
  readonly names: readonly string[];
  readonly place: StepPlace;
  /** A context; any endpoint without a node. */
  readonly context: (node?: string) => Promise<StepContext>;
  readonly step: (
    name: string,
    input: Readonly<Record<string, Json>>,
    node?: string,
  ) => Promise<Stepped>;
  readonly folder: string;
}

/** Runs a test with a cluster. */
export async function withSteps(
  options: ClusterOptions,
  test: (steps: StepTest) => Promise<void>,
): Promise<void> {
  await withWire(options, async ({ cluster, names, osconfig }) => {
    const folder = await Deno.makeTempDir();
    const ended = new AbortController();
    const globals = await globalsFor(osconfig);
    const environment = environmentFor(folder);
    const request = {
      globals,
      insecure: false,
      fingerprints: [],
      environment,
      signal: ended.signal,
      note() {},
    };
    const nodes = lazyNodes(() => openSession(request));
    const place: StepPlace = {
      nodes,
      globals,
      environment,
      reopen: ({ nodes, alsoAt, nodeTimeoutMs: nodeTimeout }) =>
        lazyNodes(() =>
          openSession({
            ...request,
            globals: { ...globals, nodes, nodeTimeout },
            alsoAt,
          })
        ),
    };
    try {
      await withRunner({ cluster, folder }, async ({ context }) => {
        const step: StepTest["step"] = async (name, input, node) => {
          const module = await makeFinders(entries, place).module(name);
          if (module === undefined) throw new TypeError(name);
          return await runStep(module, await context(node), input);
        };
        await test({ names, place, context, step, folder });
      });
    } finally {
      nodes.close();
      ended.abort();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

async function runStep(
  module: Module,
  place: StepContext,
  input: Readonly<Record<string, Json>>,
): Promise<Stepped> {
  const reported: string[] = [];
  const note = (text: string) => void reported.push(text);
  const context: StepContext = { ...place, note };
  if (module.kind === "read") {
    const steps = module.read(context, input);
    while (true) {
      // One after the other, to the end.
      const { done, value } = await steps.next();
      if (done) return { output: value, reported, performed: [] };
      note(value.text);
    }
  }
  const prepared = await module.prepare(context, input);
  if ("output" in prepared) return { ...prepared, reported, performed: [] };
  const { operation = module.operation, input: wanted, toOutput } = prepared;
  const { cluster, clock, signal } = context;
  const allowed = new Set(["single-member-downtime"] as const);
  const run = runOnNode(context, {
    operation,
    input: wanted,
    arbiter: createArbiter({ ...cluster, allowed, clock }),
    journal: { id: "", append: () => Promise.resolve() },
    wait: true,
    interrupted: signal,
  });
  for await (const event of run) {
    if (!("verdict" in event)) continue;
    const { verdict } = event;
    const { outcome } = verdict;
    const performed = [{ name: operation.name, input: wanted, outcome }];
    return { output: await toOutput?.(verdict) ?? {}, reported, performed };
  }
  throw new TypeError("No end");
}

/** Runs a step that reads. */
export async function readStep(
  module: Module,
  context: StepContext,
  input: Readonly<Record<string, Json>> = {},
) {
  assert.ok(module.kind === "read");
  const { done, value } = await module.read(context, input).next();
  assert.ok(done);
  return value;
}

async function globalsFor(osconfig: string): Promise<Globals> {
  const words = sortWords([`--osconfig=${osconfig}`], listFlags(globalInputs));
  const values = await parseValues(globalInputs, words, () => {
    throw new TypeError("No file is read");
  });
  // The record was made from the declarations of `Globals`.
  return values as unknown as Globals;
}

function environmentFor(home: string): Environment {
  const sink = {
    terminal: false,
    columns: () => undefined,
    write: () => Promise.reject(new TypeError("Steps write nothing")),
  };
  return {
    stdout: sink,
    stderr: sink,
    stdin: { terminal: false, readable: new Blob().stream() },
    env: (name) => name === "OS_HOME" ? home : undefined,
    now: () => new Date(),
    os: "linux",
  };
}
