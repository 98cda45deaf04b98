/** Recipes of the cookbook: each is a file that is checked, planned, rehearsed and run. */

import assert from "node:assert/strict";
import { type RunHome, withRunHome } from "../commands/runbook/_home.ts";

/** Nodes boot in it, one after the other; on a busy machine that takes long. */
export const longestSeconds = 180;

const folder =
  new URL("../../docs/runbooks/cookbook/", import.meta.url).pathname;

/** Flags each recipe is tried with; tests/docs/pages_test.ts tries the first. */
const recipes: Readonly<Record<string, readonly string[]>> = {
  "canary-undo.runbook.yaml": [
    ...["--input", `patch=${folder}labels.yaml`],
    ...["--input", "soak=0s"],
  ],
  "batches.runbook.yaml": ["--input", "soak=0s"],
  "window.runbook.yaml": [],
  "second-person.runbook.yaml": ["--input", "change=C-4711"],
  "own-program.runbook.yaml": [],
  "zones.runbook.ts": [],
};

/** Files beside the recipes. */
const others = ["fleet.yaml", "labels.yaml", "osctl-runbook.d.ts"];

Deno.test("every file of the cookbook is a recipe on its page", async () => {
  const files = await Array.fromAsync(Deno.readDir(folder));
  assert.deepEqual(
    files.map(({ name }) => name).toSorted(),
    [...Object.keys(recipes), ...others].toSorted(),
  );
  const page = await Deno.readTextFile(`${folder}../cookbook.md`);
  for (const name of [...Object.keys(recipes), "fleet.yaml"]) {
    assert.ok(page.includes(`(cookbook/${name})`), name);
  }
});

Deno.test("the guide to TypeScript has runbooks that are valid", async () => {
  const page = await Deno.readTextFile(`${folder}../typescript.md`);
  const [zones = "", restart = ""] = [...page.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, text = ""]) => text);
  assert.equal(zones, await Deno.readTextFile(`${folder}zones.runbook.ts`));
  await withRunHome(async (home) => {
    const valid = await home.write(restart, "restart.runbook.ts");
    await works(home, "trust", valid, "--yes");
    await works(home, "check", valid);
  }, { workers: 0 });
});

/** Runs a line of `runbook` that has to succeed. */
async function works(
  { osctl }: Pick<RunHome, "osctl">,
  ...words: readonly string[]
): Promise<string> {
  const { status, out, err } = await osctl(["runbook", ...words]);
  assert.equal(status, 0, `${words.join(" ")}\n${out}${err}`);
  return out;
}

Deno.test("every other recipe is valid, and succeeds in a rehearsal", async () => {
  await withRunHome(async (home) => {
    for (const [name, flags] of Object.entries(recipes).slice(1)) {
      const file = folder + name;
      if (name.endsWith(".ts")) await works(home, "trust", file, "--yes");
      await works(home, "check", file);
      const cluster = ["--cluster", "sim:1cp+1w"];
      await works(home, "rehearse", file, ...cluster, ...flags);
    }
  }, { workers: 0 });
});

Deno.test("every other recipe has a plan, and succeeds on a cluster", async () => {
  await withRunHome(async (home) => {
    for (const [name, flags] of Object.entries(recipes).slice(1)) {
      // The run is not to wait for the night.
      const text = (await Deno.readTextFile(folder + name))
        .replace(/^ {2}window:\n( {4}.*\n)+/m, "  deadline: 1h\n");
      const file = await home.write(text, name);
      if (name.endsWith(".ts")) await works(home, "trust", file, "--yes");
      const allowed = name.startsWith("own") ? ["--allow-commands"] : [];
      await works(home, "plan", file, ...flags, ...allowed);
      await works(home, "run", file, "--yes", ...flags, ...allowed);
    }
  }, { workers: 1 });
});

Deno.test("the canary recipe restores what it has changed when the canary does not recover", async () => {
  await withRunHome(async ({ osctl }) => {
    const { status, out } = await osctl([
      ...["runbook", "rehearse", `${folder}canary-undo.runbook.yaml`],
      ...["--input", `patch=${folder}labels.yaml`, "--cluster", "sim:1cp+2w"],
      ...["--fault", "node/worker-1: kubelet-silent @ canary/patch", "-o=json"],
    ]);
    assert.equal(status, 0);
    const [run] = JSON.parse(out).runs;
    assert.equal(run.state ?? run.report?.state, "failed");
  }, { workers: 0 });
});
