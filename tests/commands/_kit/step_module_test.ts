import assert from "node:assert/strict";
import { command as get } from "../../../commands/get.ts";
import { command as machineconfigPatch } from "../../../commands/machineconfig/patch.ts";
import * as nodeDrain from "../../../commands/node/drain.ts";
import * as reboot from "../../../commands/reboot.ts";
import * as reset from "../../../commands/reset.ts";
import * as service from "../../../commands/service.ts";
import * as upgradeInstall from "../../../commands/upgrade/install.ts";
import { command as version } from "../../../commands/version.ts";
import * as wipeDisk from "../../../commands/wipe/disk.ts";
import {
  stepModule,
  type StepPlace,
} from "../../../commands/_kit/step_module.ts";
import {
  findEffect,
  findIdempotency,
  type StepContext,
} from "../../../workflows/modules/module.ts";
import type {
  AnyCommand,
  CommandFile,
} from "../../../commands/_kit/command.ts";
import { fakeNodes } from "../../_fake.ts";
import { finders } from "../../_finders.ts";
import { readStep, withSteps } from "./_step.ts";

/** Inputs of a step, one line each. */
function inputs(name: string, file: CommandFile): readonly string[] {
  return Object.entries(stepModule(name, file).input).map((
    [key, { type, required, values, items }],
  ) =>
    [
      `${key}: ${type}`,
      ...items === undefined ? [] : [`of ${items.type}`],
      ...values === undefined ? [] : [values.join("|")],
      ...required ? ["required"] : [],
    ].join(" ")
  );
}

Deno.test("flags and arguments of a command are the inputs of its step", () => {
  assert.deepEqual(inputs("version", { command: version }), [
    "client: bool",
    "short: bool",
    "json: bool",
    "node: node",
  ]);
  assert.deepEqual(inputs("reset", reset), [
    "graceful: bool",
    "reboot: bool",
    "wipeMode: enum all|system-disk|user-disks",
    "userDisksToWipe: list",
    "systemLabelsToWipe: list",
    "node: node",
  ]);
  assert.deepEqual(inputs("wipe.disk", wipeDisk), [
    "devices: list of string required",
    "method: enum FAST|ZEROES",
    "dropPartition: bool",
    "skipVolumeCheck: bool",
    "skipSecondaryCheck: bool",
    "node: node",
  ]);
});

Deno.test("what a run has of its own is not an input: format, waiting, asking, rules; and steps end", () => {
  assert.deepEqual(inputs("reboot", reboot), [
    "mode: enum default|powercycle|force",
    "node: node",
  ]);
  assert.deepEqual(inputs("get", { command: get }), [
    "type: string required",
    "id: string",
    "namespace: string",
    "node: node",
  ]);
});

Deno.test("a file that a command writes is an input", () => {
  const lines = inputs("machineconfig.patch", { command: machineconfigPatch });
  assert.ok(lines.includes("output: path"), lines.join(", "));
});

Deno.test("a step is as bad as what its command does, whatever is asked for", () => {
  const of = (name: string, file: CommandFile) => {
    const module = stepModule(name, file);
    const { scope, volatile, safeAfter, codes } = module;
    const [effect, idempotency] = [findEffect(module), findIdempotency(module)];
    return { scope, effect, idempotency, volatile, safeAfter, codes };
  };
  const usual = { volatile: false, safeAfter: undefined, codes: undefined };
  assert.deepEqual(of("version", { command: version }), {
    ...usual,
    scope: "any",
    effect: "read",
    idempotency: "pure",
  });
  assert.deepEqual(of("reboot", reboot), {
    ...usual,
    scope: "node",
    effect: "disrupt",
    idempotency: "keyed",
    safeAfter: false,
  });
  assert.deepEqual(of("upgrade.install", upgradeInstall), {
    ...usual,
    scope: "node",
    effect: "disrupt",
    idempotency: "once",
    safeAfter: false,
  });
  assert.deepEqual(of("node.drain", nodeDrain), {
    ...usual,
    scope: "node",
    effect: "write",
    idempotency: "converge",
    volatile: true,
    codes: { "timed-out": "drain-blocked" },
  });
  assert.deepEqual(of("service", service), {
    ...usual,
    scope: "any",
    effect: "disrupt",
    idempotency: "converge",
  });
});

Deno.test("a step that changes something waits as long as its command does, unless it says so", async () => {
  const longest = async (name: string) =>
    (await finders.module(name))?.timeout ?? "";
  assert.deepEqual(
    await Promise.all([
      "version",
      "reboot",
      "node.cordon",
      "image.pull",
      "config.patch",
      "etcd.removeMember",
    ].map(longest)),
    ["", "30m0s", "30s", "30m0s", "30m0s", "5m"],
  );
});

Deno.test("a step that was found for a check is not run", async () => {
  const module = stepModule("version", { command: version });
  await assert.rejects(
    () => readStep(module, {} as StepContext), // not looked at
    { name: "TypeError", message: '"version" was found for a check only' },
  );
});

/** A command that gives rows, and how its step ends. */
async function stepOf(
  rows: readonly unknown[],
  signal: AbortSignal = new AbortController().signal,
) {
  const command: AnyCommand = {
    ...version,
    inputs: {},
    async *run({ note }) {
      for (const row of rows) {
        note(`row ${typeof row}`);
        yield await Promise.resolve(row);
      }
      note("that is all");
    },
  };
  const { nodes } = fakeNodes({ a: {} });
  const client = await nodes.at("a");
  const environment = {
    env: () => undefined,
    now: () => new Date(),
    os: "linux",
  };
  const place = { nodes, globals: {}, environment } as unknown as StepPlace; // looked at
  const reported: string[] = [];
  const rest = { run: "r", note: (text: string) => reported.push(text) };
  const site = { node: "a", client, signal, ...rest } as unknown as StepContext; // looked at
  const output = await readStep(stepModule("x", { command }, place), site);
  return { reported, rows: rowsOf(output) };
}

Deno.test("rows of a step are as in the journal, and what the command says is reported", async () => {
  const seen = await stepOf([
    { bytes: 7n, gone: undefined },
    new Uint8Array(3),
  ]);
  assert.deepEqual(seen, {
    reported: ["row object", "row object", "that is all"],
    rows: [{ bytes: "7" }],
  });
  const many = Array.from({ length: 1_200 }, (_, index) => ({ index }));
  assert.equal((await stepOf(many)).rows.length, 1_000);
  await assert.rejects(() => stepOf([undefined]), {
    message: "A row of the step cannot be encoded as JSON",
  });
});

Deno.test("a step that was interrupted does not end well", async () => {
  const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
  await assert.rejects(() => stepOf([{ a: 1 }], late), {
    name: "TimeoutError",
  });
});

Deno.test("a reading step gives the rows of its node, or of all that are selected", async () => {
  await withSteps({ workers: 1 }, async ({ names, step }) => {
    const [first = "", second = ""] = names;
    const one = await step("version", {}, second);
    assert.deepEqual(one.performed, []);
    assert.deepEqual(
      rowsOf(one.output).flatMap(({ node, tag }) => node ? [[node, tag]] : []),
      [[second, "v1.12.11"]],
    );
    const all = await step("memory", {});
    assert.deepEqual(
      rowsOf(all.output).map(({ node }) => node).sort(),
      [first, second].sort(),
    );
  });
});

Deno.test("values under with are those of the command, and what does not fit is said", async () => {
  await withSteps({}, async ({ names: [node], step }) => {
    const found = await step("get", { type: "hostname", id: "hostname" }, node);
    const [row] = rowsOf(found.output);
    assert.deepEqual(row?.spec, {
      hostname: "simulated-controlplane-1",
      domainname: "",
    });
    const listed = await step("list", { path: "/etc", long: true }, node);
    assert.ok(rowsOf(listed.output).some(({ name }) => name === "os-release"));
    await assert.rejects(() => step("get", { type: "nothing" }, node), {
      message: /"nothing"/,
    });
    await assert.rejects(() => step("wipe.disk", { devices: [] }, node), {
      name: "UsageError",
      message: /Argument <devices> is missing/,
    });
  });
});

Deno.test("secrets and files are not shown in the output of a step", async () => {
  await withSteps({}, async ({ names: [node], step }) => {
    const found = await step("get", { type: "machineconfig" }, node);
    for (const row of rowsOf(found.output)) assert.equal(row.spec, null);
    const text = JSON.stringify(found);
    assert.ok(rowsOf(found.output).length > 0);
    assert.ok(!text.includes("PRIVATE KEY") && !text.includes("LS0tLS1"));
    const read = await step("read", { path: "/etc/os-release" }, node);
    assert.deepEqual(read.output, { rows: [] });
    await assert.rejects(() => step("kubeconfig", { path: "-" }, node), {
      name: "UsageError",
      message:
        'Value "-" of path means standard input or output, which a step does not have',
    });
  });
});

Deno.test("a changing step does its operation through the run", async () => {
  await withSteps({}, async ({ names: [node], step, site }) => {
    const { client } = await site(node);
    const bootId = async () => {
      const chunks = client.machine.read({
        path: "/proc/sys/kernel/random/boot_id",
      });
      let text = "";
      for await (const { bytes } of chunks) {
        text += new TextDecoder().decode(bytes);
      }
      return text.trim();
    };
    const before = await bootId();
    const done = await step("node.reboot", { mode: "powercycle" }, node);
    assert.deepEqual(done.performed, [
      { name: "reboot", input: { mode: "powercycle" }, outcome: "done" },
    ]);
    assert.deepEqual(
      rowsOf(done.output).map(({ node, outcome }) => [node, outcome]),
      [[node, "done"]],
    );
    assert.notEqual(await bootId(), before);
  });
});

Deno.test("a step that changes a configuration does so through the run, and tells what the command says", async () => {
  await withSteps({}, async ({ names: [node], step, folder, site }) => {
    const file = `${folder}/patch.yaml`;
    await Deno.writeTextFile(
      file,
      'machine:\n  sysctls:\n    vm.nr_hugepages: "7"\n',
    );
    const input = { file, mode: "no-reboot" };
    const first = await step("config.patch", input, node);
    assert.deepEqual(
      first.performed.map(({ name, outcome }) => [name, outcome]),
      [["apply-config", "done"]],
    );
    assert.ok(
      first.reported.includes(`${node}: patched`),
      first.reported.join("\n"),
    );
    const { client } = await site(node);
    const { resource } = await client.state.get({
      namespace: "config",
      type: "MachineConfigs.config.talos.dev",
      id: "v1alpha1",
      options: {},
    });
    assert.match(resource?.spec?.yamlSpec ?? "", /vm\.nr_hugepages/);
    const again = await step("config.patch", input, node);
    assert.deepEqual(again.performed, []);
    assert.deepEqual(
      rowsOf(again.output).map(({ outcome }) => outcome),
      ["unchanged"],
    );
  });
});

Deno.test("a node is closed and opened in the name of the run", async () => {
  await withSteps({ workers: 1 }, async ({ names: [, worker], step }) => {
    const closed = await step("node.cordon", {}, worker);
    const opened = await step("node.uncordon", { only: "ours" }, worker);
    assert.deepEqual([...closed.performed, ...opened.performed], [
      {
        name: "node cordon",
        input: { owner: "20260102-test" },
        outcome: "done",
      },
      {
        name: "node uncordon",
        input: { force: false, only: "ours", owner: "20260102-test" },
        outcome: "done",
      },
    ]);
  });
});

function rowsOf(
  { rows }: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] {
  assert.ok(Array.isArray(rows));
  return rows;
}

Deno.test("a command that knows the rules of upgrades is told which are overridden, and no other is", async () => {
  const seen = async ({ inputs: { allow } }: AnyCommand) => {
    assert.ok(allow);
    const asked: string[] = [];
    const overridden = (rule: string) => {
      asked.push(rule);
      return Promise.resolve(rule === "image-identity");
    };
    const command: AnyCommand = {
      ...version,
      inputs: { allow },
      async *run({ input }) {
        yield await Promise.resolve({ allow: input.allow ?? null });
      },
    };
    const { nodes } = fakeNodes({ a: {} });
    const environment = {
      env: () => undefined,
      now: () => new Date(),
      os: "linux",
    };
    const place = { nodes, globals: {}, environment } as unknown as StepPlace; // looked at
    const signal = new AbortController().signal;
    const site = { node: "", signal, run: "r", overridden };
    const module = stepModule("x", { command }, place);
    const output = await readStep(module, site as unknown as StepContext); // looked at
    return { asked, rows: rowsOf(output) };
  };
  assert.deepEqual(await seen(upgradeInstall.command), {
    asked: ["version-path", "image-identity"],
    rows: [{ allow: ["image-identity"] }],
  });
  assert.deepEqual(await seen(reboot.command), {
    asked: [],
    rows: [{ allow: [] }],
  });
});
