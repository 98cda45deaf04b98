import assert from "node:assert/strict";
import * as reboot from "../../../commands/reboot.ts";
import { command as version } from "../../../commands/version.ts";
import {
  stepModule,
  type StepPlace,
} from "../../../commands/_kit/step_module.ts";
import { NodesError, RpcError } from "../../../errors.ts";
import type { AnyChange } from "../../../workflows/operations/change.ts";
import type { Outcome } from "../../../workflows/operations/operation.ts";
import type { Json } from "../../../lib/json.ts";
import type { StepContext } from "../../../workflows/modules/module.ts";
import { command as imagePull } from "../../../commands/image/pull.ts";

import type { AnyCommand, Context } from "../../../commands/_kit/command.ts";
import { fakeNodes } from "../../_fake.ts";

import { readStep } from "./_step.ts";

async function makeStepContext(
  command: AnyCommand,
  input: Readonly<Record<string, Json>>,
  node = "cp-1",
) {
  const { nodes } = fakeNodes({ "cp-1": {}, "cp-2": {} });
  const written: Uint8Array[] = [];
  const sink = {
    terminal: true,
    columns: () => 80,
    write: (bytes: Uint8Array) => Promise.resolve(void written.push(bytes)),
  };
  const place = {
    nodes,
    globals: { nodes: ["cp-1", "cp-2"], context: "lab" },
    environment: {
      stdout: sink,
      stderr: sink,
      stdin: { terminal: true, readable: new Blob(["yes\n"]).stream() },
      screen: {},
      env: (name: string) => `value of ${name}`,
      now: () => new Date(0),
      os: "linux",
    },
    reopen: () => assert.fail(),
  } as unknown as StepPlace; // the parts that are checked
  const { signal } = new AbortController();
  const client = await nodes.at("cp-1");
  const rest = { run: "r", note() {} };
  const site = { node, client, signal, ...rest } as unknown as StepContext; // looked at
  const seen: Context<Record<string, unknown>>[] = [];
  const probe: AnyCommand = {
    ...command,
    async *run(context) {
      await Promise.resolve(seen.push(context));
      yield* [];
    },
  };
  await readStep(stepModule("x", { command: probe }, place), site, input);
  const [context = assert.fail()] = seen;
  return { context, written, client };
}

Deno.test("a step of a node has that node only, whatever the command line selects", async () => {
  const { context, client } = await makeStepContext(imagePull, { image: "a" });
  const { nodes, globals } = context;
  assert.deepEqual(await nodes.names(), ["cp-1"]);
  assert.deepEqual([globals.nodes, globals.context], [["cp-1"], "lab"]);
  assert.equal(await nodes.only("x"), client);
  assert.equal(await nodes.at("cp-1"), client);
  assert.equal((await nodes.at("cp-2")).node, "cp-2");
  const seen = await Array.fromAsync(
    nodes.call((one) => Promise.resolve(one.node)),
  );
  assert.deepEqual(seen, [{ node: "cp-1", value: "cp-1" }]);
  const streamed = await Array.fromAsync(nodes.stream(async function* (one) {
    yield await Promise.resolve(one.node);
  }));
  assert.deepEqual(streamed, [{ node: "cp-1", value: "cp-1" }]);
  nodes.close();
});

Deno.test("a failure of the node is one of that node", async () => {
  const { context } = await makeStepContext(imagePull, { image: "a" });
  const failing = context.nodes.call(() =>
    Promise.reject(new RpcError("UNAVAILABLE", "away"))
  );
  await assert.rejects(() => Array.fromAsync(failing), (error) => {
    assert.ok(error instanceof NodesError);
    assert.deepEqual([...error.failures.keys()], ["cp-1"]);
    return true;
  });
});

Deno.test("a step of the cluster has the nodes of the command line", async () => {
  const { context } = await makeStepContext(imagePull, { image: "a" }, "");
  assert.deepEqual(await context.nodes.names(), ["cp-1", "cp-2"]);
  assert.deepEqual(context.globals.nodes, ["cp-1", "cp-2"]);
  await assert.rejects(() => context.nodes.only("health"), {
    name: "UsageError",
    message: '"health" works on one node, but 2 are selected',
    hint: "Put the step into a forEach, or name one under with.node",
  });
  context.nodes.close();
  assert.equal((await context.nodes.at("cp-2")).node, "cp-2");
});

Deno.test("step module: a step has no standard input, and its questions stay unanswered", async () => {
  const { context, written } = await makeStepContext(imagePull, { image: "a" });
  const { stdout, stderr, stdin, screen, env, now, os } = context.environment;
  await stdout.write(new Uint8Array(3));
  await stderr.write(new Uint8Array(3));
  assert.deepEqual(written, []);
  assert.deepEqual(
    [stdout.terminal, stderr.terminal, stdin.terminal, screen],
    [false, false, false, undefined],
  );
  assert.equal(stdout.columns(), undefined);
  assert.equal((await new Response(stdin.readable).bytes()).length, 0);
  assert.deepEqual([env("A"), now().getTime(), os], ["value of A", 0, "linux"]);
});

async function changeConfig(
  prepared: Awaited<ReturnType<AnyChange["prepare"]>>,
  outcome: Outcome = "done",
  { names = ["cp-1"], named = names }: {
    readonly names?: readonly string[];
    readonly named?: readonly string[];
  } = {},
) {
  const { nodes } = fakeNodes(
    Object.fromEntries(names.map((name) => [name, {}])),
  );
  const environment = { env: () => undefined, now: () => new Date() };
  const globals = { nodes: named };
  const place = { nodes, globals, environment } as unknown as StepPlace; // looked at
  const change: AnyChange = {
    operation: reboot.change.operation,
    prepare: (_, { run, note }) => {
      note(`prepared for ${run}`);
      return prepared;
    },
  };
  const command: AnyCommand = { ...version, inputs: {} };
  const module = stepModule("x", { command, change }, place);
  assert.ok(module.kind === "change");
  const reported: string[] = [];
  const rest = { run: "r", note: (text: string) => reported.push(text) };
  const site = { node: "", ...rest } as unknown as StepContext; // looked at
  const step = await module.prepare(site, {});
  if ("output" in step) return { rows: step.output.rows, reported };
  const { operation = module.operation, input, toOutput } = step;
  const output = await toOutput?.({ outcome, reason: "because" });
  return { name: operation.name, input, rows: output?.rows, reported };
}

Deno.test("a step works on one node, and only on one that was named", async () => {
  const hint = "Put the step into a forEach, or name one under with.node";
  await assert.rejects(
    () => changeConfig({ input: null }, "done", { names: ["a", "b"] }),
    {
      name: "RefusedError",
      message: 'A step works on one node, but "reboot" would run on 2',
      hint,
    },
  );
  await assert.rejects(
    () => changeConfig({ input: null }, "done", { named: [] }),
    {
      message:
        'The step has no node, and "reboot" does not run on the default nodes of the context',
      hint,
    },
  );
});
