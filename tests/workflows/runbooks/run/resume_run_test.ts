import assert from "node:assert/strict";
import { renderOsconfig } from "../../../../config/osconfig/osconfig_file.ts";
import { holdRun } from "../store/_runs.ts";
import {
  quick,
  runbook,
  withRunHome,
} from "../../../commands/runbook/_home.ts";

Deno.test("resumeRun takes the context the run was started with, whatever is the current one now", async () => {
  await withRunHome(async ({ osctl, write, osconfig, names, cluster }) => {
    const file = await write(quick);
    assert.equal((await osctl(["runbook", "run", file])).status, 76);
    const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
    const { ca, crt, key } = cluster.adminIdentity;
    const right = {
      endpoints: cluster.endpoints,
      nodes: names,
      ca: base64(ca),
      crt: base64(crt),
      key: base64(key),
    };
    const contexts = new Map<string, typeof right>([
      [cluster.name, right],
      ["other", { ...right, endpoints: ["127.0.0.1:1"] }],
    ]);
    await Deno.writeTextFile(
      osconfig,
      await renderOsconfig({ current: "other", contexts }),
    );
    const { status, err } = await osctl(["runbook", "resume", "--yes"]);
    assert.equal(status, 0, err);
  });
});

Deno.test("resumeRun refuses a run that another process has: status 8", async () => {
  await withRunHome(async ({ osctl, write, ids, home }) => {
    const file = await write(quick);
    await osctl(["runbook", "run", file]);
    const [id = ""] = await ids();
    using _ = await holdRun(`${home}/runs/${id}`);
    const { status, err } = await osctl(["runbook", "resume", id, "--yes"]);
    assert.equal(status, 8);
    assert.match(err, /is running in another process/);
  });
});

Deno.test("resumeRun tries what has failed anew, and what was not reached", async () => {
  const failing = runbook(
    `  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: pass, assert: { that: "inputs.fine", message: "Not yet" } }
    always:
      - { id: uncordon, run: node.uncordon }
`,
    "inputs:\n  fine: { type: bool, default: false, mutable: true }\n",
  );
  await withRunHome(async ({ osctl, write }) => {
    const file = await write(failing);
    const first = await osctl(["runbook", "run", file, "-o", "json"]);
    assert.equal(first.status, 5, first.err);
    const { buckets, next, run } = JSON.parse(first.out);
    assert.deepEqual([buckets.blocked.length, buckets["not-reached"].length], [
      1,
      1,
    ]);
    assert.equal(next, `osctl runbook resume ${run}`);
    const second = await osctl(
      ["runbook", "resume", "--set", "fine=true", "-o", "json"],
    );
    assert.equal(second.status, 0, second.err);
    const report = JSON.parse(second.out);
    assert.equal(report.buckets.done.length, 2);
    assert.equal(report.next, undefined);
  });
});

Deno.test("resumeRun sends nothing when a file cannot be written or a runbook is wrong: status 2", async () => {
  await withRunHome(async ({ osctl, write, ids, home, journal }) => {
    const file = await write(quick);
    await osctl(["runbook", "run", file]);
    const [id = ""] = await ids();
    const before = (await journal()).length;
    const wrong = await write("kind: Runbook\n", "wrong.runbook.yaml");
    for (
      const flags of [
        ["--events-file", `${home}/none/events`],
        ["--with-runbook", wrong],
        ["--with-runbook", `${home}/none.yaml`],
      ]
    ) {
      const ran = await osctl(["runbook", "resume", id, "--yes", ...flags]);
      assert.equal(ran.status, 2, ran.err);
    }
    assert.equal((await journal()).length, before);
  });
});
