import assert from "node:assert/strict";

import * as reboot from "../../../commands/reboot.ts";

import * as upgradeInstall from "../../../commands/upgrade/install.ts";
import { command as version } from "../../../commands/version.ts";

import {
  stepModule,
  type StepPlace,
} from "../../../commands/_kit/step_module.ts";
import { type StepContext } from "../../../workflows/modules/module.ts";
import type { AnyCommand } from "../../../commands/_kit/command.ts";
import { fakeNodes } from "../../_fake.ts";

import { readStep, withSteps } from "./_step.ts";

Deno.test("a step that was found for a check is not run", async () => {
  const module = stepModule("version", { command: version });
  await assert.rejects(
    () => readStep(module, {} as StepContext), // not looked at
    { name: "TypeError", message: '"version" was found for a check only' },
  );
});

/** A command that gives rows, and how its step ends. */
async function rowStep(
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
  const context = {
    node: "a",
    client,
    signal,
    ...rest,
  } as unknown as StepContext; // looked at
  const output = await readStep(stepModule("x", { command }, place), context);
  return { reported, rows: stepRows(output) };
}

Deno.test("rows of a step are as in the journal, and what the command says is reported", async () => {
  const seen = await rowStep([
    { bytes: 7n, gone: undefined },
    new Uint8Array(3),
  ]);
  assert.deepEqual(seen, {
    reported: ["row object", "row object", "that is all"],
    rows: [{ bytes: "7" }],
  });
  const many = Array.from({ length: 1_200 }, (_, index) => ({ index }));
  assert.equal((await rowStep(many)).rows.length, 1_000);
  await assert.rejects(() => rowStep([undefined]), {
    message: "A row of the step cannot be encoded as JSON",
  });
});

Deno.test("a step that was interrupted does not end well", async () => {
  const late = AbortSignal.abort(new DOMException("late", "TimeoutError"));
  await assert.rejects(() => rowStep([{ a: 1 }], late), {
    name: "TimeoutError",
  });
});

Deno.test("a reading step gives the rows of its node, or of all that are selected", async () => {
  await withSteps({ workers: 1 }, async ({ names, step }) => {
    const [first = "", second = ""] = names;
    const one = await step("version", {}, second);
    assert.deepEqual(one.performed, []);
    assert.deepEqual(
      stepRows(one.output).flatMap(({ node, tag }) =>
        node ? [[node, tag]] : []
      ),
      [[second, "v1.12.11"]],
    );
    const all = await step("memory", {});
    assert.deepEqual(
      stepRows(all.output).map(({ node }) => node).sort(),
      [first, second].sort(),
    );
  });
});

Deno.test("secrets and files are not shown in the output of a step", async () => {
  await withSteps({}, async ({ names: [node], step }) => {
    const found = await step("get", { type: "machineconfig" }, node);
    for (const row of stepRows(found.output)) assert.equal(row.spec, null);
    const text = JSON.stringify(found);
    assert.ok(stepRows(found.output).length > 0);
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

Deno.test("a step that changes a configuration does so through the run, and tells what the command says", async () => {
  await withSteps({}, async ({ names: [node], step, folder, context }) => {
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
    const { client } = await context(node);
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
      stepRows(again.output).map(({ outcome }) => outcome),
      ["unchanged"],
    );
  });
});

function stepRows(
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
    const context = { node: "", signal, run: "r", overridden };
    const module = stepModule("x", { command }, place);
    const output = await readStep(module, context as unknown as StepContext); // looked at
    return { asked, rows: stepRows(output) };
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
