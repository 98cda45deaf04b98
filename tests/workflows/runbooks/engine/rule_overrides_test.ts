import assert from "node:assert/strict";
import { type Bench, openBench, type Ran } from "../_bench.ts";

/** A way that is too far, behind a gate; the policy is put in front. */
const gate = `
groups: { workers: { role: worker } }
steps:
  - id: way
    gate: [{ check: upgrade.path, with: { to: v1.15.0, group: workers } }]
    within: 10s
  - id: again
    gate: [{ check: upgrade.path, with: { to: v1.15.0, group: workers } }]
    within: 10s
`;

/** The same by the step that installs. */
const install = `
groups: { workers: { role: worker, take: 1 } }
steps:
  - id: all
    forEach: workers
    steps: [{ id: install, run: upgrade.install, with: { to: v1.15.0 } }]
`;

const allowed = `policy: { allow: [{ rule: version-path, when: inputs.far }] }
inputs: { far: { type: bool, default: true } }
`;

function open(): Promise<Bench> {
  return openBench({ controlPlanes: 1, workers: 2, version: "v1.13.4" });
}

function ask({ events }: Ran): readonly unknown[] {
  return events.flatMap(({ type, data }) =>
    type === "approval.requested" ? [data.tag] : []
  );
}

Deno.test("a gate refuses a way that is too far, and lets it pass once version-path is overridden", async () => {
  await using bench = await open();
  const refused = await bench.run(gate, {}, { answers: true });
  assert.equal(refused.end?.failure?.code, "refused");
  assert.match(
    refused.end?.failure?.message ?? "",
    /v1\.15\.0 is more than one minor version ahead of v1\.13\.4/,
  );
  assert.deepEqual(ask(refused), []);
  const passed = await bench.run(allowed + gate, {}, { answers: true });
  assert.equal(passed.verdict, "succeeded 0");
  assert.deepEqual(ask(passed), ["allow-version-path"]);
});

Deno.test("a rule whose condition does not hold counts at gates, too", async () => {
  await using bench = await open();
  const ran = await bench.run(allowed + gate, { far: false }, {
    answers: true,
  });
  assert.equal(ran.end?.failure?.code, "refused");
  assert.deepEqual(ask(ran), []);
});

Deno.test("a gate whose rule may not be overridden now stops the run, and a refusal ends it", async () => {
  await using bench = await open();
  const waiting = await bench.run(allowed + gate);
  assert.equal(waiting.verdict, "waiting-approval 76");
  const resumed = await bench.resume({ answers: true });
  assert.equal(resumed.verdict, "succeeded 0");
  const refused = await bench.run(allowed + gate, {}, { answers: false });
  assert.equal(refused.verdict, "refused 7");
});

Deno.test("an upgrade refuses a way that is too far, and takes it once version-path is overridden", async () => {
  await using bench = await open();
  const refused = await bench.run(install, {}, { answers: true });
  assert.equal(refused.end?.failure?.code, "refused");
  assert.match(
    refused.end?.failure?.message ?? "",
    /\(S8; --allow version-path\)/,
  );
  const passed = await bench.run(allowed + install, {}, { answers: true });
  assert.equal(passed.verdict, "succeeded 0");
  assert.deepEqual(ask(passed), ["allow-version-path"]);
});
