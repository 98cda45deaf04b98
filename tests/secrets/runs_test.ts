/** Nothing that a run writes or says holds what is secret in the configurations of its nodes. */

import assert from "node:assert/strict";
import {
  runbook,
  type RunHome,
  withRunHome,
} from "../commands/runbook/_home.ts";
import { logRaw } from "../../simulator/node/logs.ts";
import { filesBelow, leaksIn } from "./_planted_secrets.ts";

const before = `machine:
  env: {TOKEN: pl4nt-in-env, HTTPS_PROXY: "http://user:pl4ntpass@10.0.0.9:3128"}
  files:
  - {path: /var/pl, op: create, permissions: 0o600, content: "password=pl4nt-in-file\\n"}
  systemDiskEncryption:
    state:
      provider: luks2
      keys: [{slot: 0, static: {passphrase: pl4nt-passphrase}}]
cluster:
  inlineManifests:
  - {name: a, contents: "kind: Secret\\nstringData: {a: pl4nt-in-manifest}\\n"}
`;

const after = before.replaceAll("pl4nt-", "pl4nt-new-");

const steps = `  - id: all
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - id: change
        run: patch
        with: { type: mc, patch: [PATH], mode: no-reboot }
    rescue:
      - { id: evidence, run: node.collectSupport }
`;

async function withRefusals(
  test: (home: RunHome, file: string) => Promise<void>,
): Promise<void> {
  await withRunHome(async (home) => {
    for (const node of home.cluster.nodes) {
      logRaw(node, "init says pl4nt-in-env, pl4nt-new-passphrase");
    }
    const old = await home.write(before, "before.yaml");
    const set = await home.osctl([
      "patch",
      "mc",
      "-p",
      `@${old}`,
      "--mode=staged",
      ...["--nodes", home.names.join(",")],
    ]);
    assert.equal(set.status, 0, set.err);
    const patch = await home.write(after, "after.yaml");
    const file = await home.write(
      runbook(steps.replace("PATH", `"@${patch}"`)),
    );
    await test(home, file);
  });
}

for (const format of ["table", "json", "jsonl", "yaml"]) {
  Deno.test(`a run that nodes refuse with a diff says and keeps no marker, -o ${format}`, () =>
    withRefusals(async ({ osctl, home, ids }, file) => {
      const ran = await osctl([
        ...["runbook", "run", file, "--yes", "-o", format],
        ...[
          "--events-file",
          `${home}/told-events`,
          "--junit",
          `${home}/told-junit`,
        ],
      ]);
      assert.notEqual(ran.status, 0);
      assert.match(ran.out + ran.err, /immediate mode/);
      const [id = ""] = await ids();
      const shown = [ran];
      for (
        const line of [
          `show ${file}`,
          `status ${id}`,
          `events ${id}`,
          "history",
        ]
      ) {
        shown.push(await osctl(`runbook ${line} -o ${format}`));
      }
      for (const { out, err } of shown) {
        assert.deepEqual(leaksIn(out + err), []);
      }
      const files = [
        ...await filesBelow(`${home}/runs`),
        `${home}/told-events`,
        `${home}/told-junit`,
      ];
      assert.ok(files.length > 10, files.join("\n"));
      for (const path of files) {
        assert.deepEqual(leaksIn(await Deno.readTextFile(path)), [], path);
      }
    }));
}

Deno.test("a configuration that is rolled out and refused leaves no marker", () =>
  withRefusals(async ({ osctl, home }) => {
    const { out, err, status } = await osctl([
      ...["runbook", "run", "builtin:config-rollout", "--yes", "-o", "jsonl"],
      ...["-i", `patch=${home}/after.yaml`, "-i", "mode=no-reboot"],
    ]);
    assert.notEqual(status, 0);
    assert.match(out + err, /immediate mode/);
    assert.deepEqual(leaksIn(out + err), []);
    for (const path of await filesBelow(`${home}/runs`)) {
      assert.deepEqual(leaksIn(await Deno.readTextFile(path)), [], path);
    }
  }));
