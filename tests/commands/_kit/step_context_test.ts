import assert from "node:assert/strict";
import { command as imagePull } from "../../../commands/image/pull.ts";
import { command as patch } from "../../../commands/patch.ts";
import { command as restart } from "../../../commands/restart.ts";
import {
  stepContext,
  type StepPlace,
} from "../../../commands/_kit/step_context.ts";
import type { AnyCommand } from "../../../commands/_kit/command.ts";
import { NodesError, RpcError } from "../../../errors.ts";
import type { Json } from "../../../workflows/operations/operation.ts";
import type { StepSite } from "../../../workflows/runbooks/module.ts";
import { fakeNodes } from "../../_fake.ts";

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
  } as unknown as StepPlace; // the parts that are looked at
  const { signal } = new AbortController();
  const client = await nodes.at("cp-1");
  const site = { node, client, signal } as StepSite;
  const context = await stepContext(command, place, {
    site,
    input,
    perform: () => assert.fail(),
    note() {},
  });
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
        'Value "-" of patchFile stands for a stream, and a step has none',
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
    message: '"health" works on one node, and 2 are selected',
    hint: "Put the step into a forEach, or name one under with.node",
  });
  context.nodes.close();
  assert.equal((await context.nodes.at("cp-2")).node, "cp-2");
});

Deno.test("nobody reads what a step writes, and nobody answers it", async () => {
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
