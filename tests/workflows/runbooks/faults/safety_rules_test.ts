/** The safety rules that modules and checks see to; others are in the tables of faults and with the engine. */

import assert from "node:assert/strict";
import type { JournalRecord } from "../_records.ts";
import { withFolder } from "../../../_folder.ts";
import { openBench } from "../_bench.ts";
import { readState } from "./_upgrade.ts";

const worker = "demo-worker-1";
const image = (version: string) => `registry.example/installer:${version}`;
const head = `groups: { one: { names: [${worker}] } }`;

Deno.test("S6: a second installation in the same boot is refused, the same one is none", async () => {
  await using bench = await openBench();
  const install = (first: string, second: string) =>
    bench.run(`${head}
steps:
  - id: all
    forEach: one
    steps:
      - { id: a, run: upgrade.install, with: { image: "${image(first)}" } }
      - { id: b, run: upgrade.install, with: { image: "${image(second)}" } }
`);
  assert.equal((await install("v1.13.5", "v1.13.5")).verdict, "succeeded 0");
  const ran = await install("v1.13.5", "v1.13.6");
  assert.equal(ran.verdict, "blocked 5");
  assert.match(ran.end?.failure?.message ?? "", /\(S6\)/);
  assert.equal(readState(bench, worker), "v1.13.4 1 installs 0 boots");
});

for (
  const [what, to, reason] of [
    ["two minor versions", "v1.15.0", /v1\.15\.0/],
    ["an older one", "v1.12.0", /v1\.12\.0/],
  ] as const
) {
  Deno.test(`S8: this is no way to upgrade: ${what}`, async () => {
    await using bench = await openBench();
    const ran = await bench.run(
      `steps: [{ id: g, gate: [{ check: upgrade.path, with: { to: ${to} } }], within: 5s }]`,
    );
    assert.equal(ran.verdict, "blocked 5");
    assert.match(ran.end?.failure?.message ?? "", reason);
  });
}

Deno.test("S12: keys are in the vault before they are sent anywhere", async () => {
  await withFolder({}, async (folder) => {
    await using bench = await openBench({ controlPlanes: 1, workers: 1 });
    const { records } = await bench.run("builtin:rotate-ca", {
      osconfig: `${folder}/osconfig`,
      secretsOut: `${folder}/secrets`,
    }, { answers: true });
    const at = (wanted: (record: JournalRecord) => boolean) =>
      records.findIndex(wanted);
    const sent = at(({ type, path = "" }) =>
      type === "intent" && path.startsWith("os/accept")
    );
    const kept = at(({ type, data }) =>
      type === "secret" && /key/.test(String(data?.name))
    );
    assert.ok(kept > 0 && kept < sent, `${kept} before ${sent}`);
  });
});

Deno.test("S15: a node that another user has closed is not opened", async () => {
  await using bench = await openBench();
  const close = `${head}
steps: [{ id: all, forEach: one, steps: [{ id: c, run: node.cordon }] }]`;
  const open = `${head}
steps:
  - id: all
    forEach: one
    steps:
      - { id: c, run: node.cordon }
      - { id: u, run: node.uncordon, with: { only: ours } }
`;
  await bench.run(close, {}, { id: "run-1" });
  assert.equal(
    (await bench.run(open, {}, { id: "run-2" })).verdict,
    "succeeded 0",
  );
  assert.match(readState(bench, worker), /cordoned$/);
  assert.equal(
    (await bench.run(open, {}, { id: "run-1" })).verdict,
    "succeeded 0",
  );
  assert.match(readState(bench, worker), /boots$/);
});
