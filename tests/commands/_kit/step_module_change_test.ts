import assert from "node:assert/strict";
import * as reboot from "../../../commands/reboot.ts";
import { command as version } from "../../../commands/version.ts";
import {
  shortModule,
  stepModule,
  type StepPlace,
} from "../../../commands/_kit/step_module.ts";
import { NodesError, RpcError } from "../../../errors.ts";
import type { AnyChange } from "../../../workflows/operations/change.ts";
import type { Outcome } from "../../../workflows/operations/operation.ts";
import type { Json } from "../../../lib/json.ts";
import type {
  ChangingModule,
  StepContext,
} from "../../../workflows/modules/module.ts";
import { command as imagePull } from "../../../commands/image/pull.ts";
import { command as patch } from "../../../commands/patch.ts";
import { command as restart } from "../../../commands/restart.ts";
import { cordon } from "../../../workflows/operations/kubernetes/cordon.ts";
import { entries } from "../../../commands/_index.ts";
import type { AnyCommand, Context } from "../../../commands/_kit/command.ts";
import { fakeNodes } from "../../_fake.ts";
import { finders } from "../../_finders.ts";
import { readStep } from "./_step.ts";

/** What a command is given in a step. */
async function contextOf(
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

Deno.test("values under with become those of the command, as if they were typed", async () => {
  const one = await contextOf(patch, {
    type: "machineconfig",
    patchFile: "a b.yaml",
    mode: "try",
    timeout: "90s",
    check: ["etcd", "kubelet"],
    dryRun: true,
    node: "cp-1",
  });
  const { input } = one.context;
  assert.deepEqual(
    [input.type, input.id, input.patchFile, input.mode, input.timeout],
    ["machineconfig", undefined, "a b.yaml", "try", 90_000],
  );
  assert.deepEqual([input.check, input.dryRun, input.patch], [
    ["etcd", "kubelet"],
    true,
    [],
  ]);
  const word = await contextOf(restart, { id: "--odd", kubernetes: false });
  assert.equal(word.context.input.id, "--odd");
});

Deno.test("what does not fit the command is refused by name", async () => {
  await assert.rejects(
    () => contextOf(patch, { type: "machineconfig", mode: "soon" }),
    { name: "UsageError", message: /Invalid value "soon" for -m, --mode/ },
  );
  await assert.rejects(() => contextOf(restart, {}), {
    name: "UsageError",
    message: /Argument <id> is missing/,
  });
  await assert.rejects(
    () => contextOf(patch, { type: "mc", patchFile: "-" }),
    {
      name: "UsageError",
      message:
        'Value "-" of patchFile means standard input or output, which a step does not have',
      hint: "Name a file",
    },
  );
});

Deno.test("a step of a node has that node only, whatever the command line selects", async () => {
  const { context, client } = await contextOf(imagePull, { image: "a" });
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

Deno.test("a step's node has the name that the run knows it by", async () => {
  const { context } = await contextOf(imagePull, { image: "a" }, "10.0.0.2");
  assert.equal((await context.nodes.only("x")).node, "10.0.0.2");
});

Deno.test("a failure of the node is one of that node", async () => {
  const { context } = await contextOf(imagePull, { image: "a" });
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
  const { context } = await contextOf(imagePull, { image: "a" }, "");
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

Deno.test("what a step writes is not read, and its questions are not answered", async () => {
  const { context, written } = await contextOf(imagePull, { image: "a" });
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

/** How a step of a change ends, on these nodes. */
async function changed(
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
  const { operation = module.operation, input, outputOf } = step;
  const output = await outputOf?.({ outcome, reason: "because" });
  return { name: operation.name, input, rows: output?.rows, reported };
}

Deno.test("a step makes the change of its command, and gives its row", async () => {
  for (const outcome of ["done", "unchanged", "accepted"] as const) {
    assert.deepEqual(await changed({ input: { mode: "default" } }, outcome), {
      name: "reboot",
      input: { mode: "default" },
      rows: [{ node: "cp-1", outcome, reason: "because" }],
      reported: ["prepared for r"],
    });
  }
});

Deno.test("a step takes the node, the operation and the row that the change names", async () => {
  const { name, rows } = await changed({
    input: null,
    names: ["cp-2"],
    operationOf: (node) => node === "cp-2" ? cordon : reboot.change.operation,
    rowOf: ({ node, outcome }) => ({ node, was: outcome }),
  });
  assert.equal(name, "node cordon");
  assert.deepEqual(rows, [{ node: "cp-2", was: "done" }]);
});

Deno.test("a step whose node needs nothing has its row", async () => {
  const rows = [{ node: "cp-1", outcome: "unchanged" }];
  const seen = await changed({ input: null, names: [], rows });
  assert.deepEqual(seen.rows, rows);
});

Deno.test("a step works on one node, and only on one that was named", async () => {
  const hint = "Put the step into a forEach, or name one under with.node";
  await assert.rejects(
    () => changed({ input: null }, "done", { names: ["a", "b"] }),
    {
      name: "RefusedError",
      message: 'A step works on one node, but "reboot" would run on 2',
      hint,
    },
  );
  await assert.rejects(() => changed({ input: null }, "done", { named: [] }), {
    message:
      'The step has no node, and "reboot" does not run on the default nodes of the context',
    hint,
  });
});

const { module: find } = finders;

Deno.test("short steps take what they name, and need what is needed", async () => {
  const inputs = async (name: string) => {
    const { input } = await find(name) ?? assert.fail();
    return Object.entries(input).map(([key, { type, required }]) =>
      `${key}: ${type}${required ? ", required" : ""}`
    );
  };
  assert.deepEqual(await inputs("config.patch"), [
    "file: path, required",
    "mode: enum",
    "check: list",
    "trial: duration",
    "validate: enum",
    "node: node",
  ]);
  assert.deepEqual(await inputs("config.apply"), [
    "file: path, required",
    "patches: list",
    "mode: enum",
    "check: list",
    "trial: duration",
    "validate: enum",
    "node: node",
  ]);
  assert.deepEqual(await inputs("upgrade.legacy"), [
    "image: string, required",
    "mode: enum",
    "node: node",
  ]);
});

Deno.test("short steps stand for inputs that their commands have", async () => {
  for (const { name: command, load } of entries) {
    const file = await load?.();
    const { shortSteps = {} } = file?.command ?? {};
    for (const [name, { inputs, fixed }] of Object.entries(shortSteps)) {
      const whole = await find(command.replaceAll(" ", "."));
      const known = Object.keys(whole?.input ?? {});
      for (const there of [...Object.values(inputs), ...Object.keys(fixed)]) {
        assert.ok(known.includes(there), `${name}: ${there}`);
      }
    }
  }
});

Deno.test("a short step gives its command the names that it has there", async () => {
  const given: Readonly<Record<string, Json>>[] = [];
  const whole: ChangingModule = {
    ...await find("patch") as ChangingModule,
    prepare(_, input) {
      given.push(input);
      return { output: {} };
    },
  };
  const short = patch.shortSteps?.["config.patch"] ?? assert.fail();
  const module = shortModule("config.patch", whole, short);
  await module.prepare(
    {} as StepContext, // not looked at
    { file: "a.yaml", mode: "staged", trial: "2m", node: "cp-1" },
  );
  assert.deepEqual(given, [{
    patchFile: "a.yaml",
    mode: "staged",
    timeout: "2m",
    node: "cp-1",
    type: "machineconfig",
  }]);
  assert.equal(module.name, "config.patch");
});
