import assert from "node:assert/strict";
import { command as patch } from "../../../commands/patch.ts";
import { entries } from "../../../commands/_index.ts";
import { shortened } from "../../../commands/runbook/_short_steps.ts";
import { finders } from "../../_finders.ts";
import type { Json } from "../../../workflows/operations/operation.ts";
import type {
  CommandModule,
  StepSite,
} from "../../../workflows/runbooks/module.ts";

const find = finders.module;

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
  const given: Record<string, Json>[] = [];
  const whole: CommandModule = {
    ...await find("patch") as CommandModule,
    async *run(_, input) {
      given.push(input);
      yield { text: "patching" };
      return { rows: [] };
    },
  };
  const short = patch.shortSteps?.["config.patch"] ?? assert.fail();
  const module = shortened("config.patch", whole, short);
  const steps = module.run(
    {} as StepSite, // not looked at
    { file: "a.yaml", mode: "staged", trial: "2m", node: "cp-1" },
    () => assert.fail(),
  );
  assert.deepEqual((await steps.next()).value, { text: "patching" });
  assert.deepEqual(given, [{
    patchFile: "a.yaml",
    mode: "staged",
    timeout: "2m",
    node: "cp-1",
    type: "machineconfig",
  }]);
  assert.equal(module.name, "config.patch");
});
