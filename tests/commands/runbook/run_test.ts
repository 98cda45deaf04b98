import assert from "node:assert/strict";
import { eventsIn, quick, withRunHome } from "./_home.ts";

Deno.test("runbook run carries a runbook out, and reports every target", async () => {
  await withRunHome(async ({ osctl, write, ids }) => {
    const file = await write(quick);
    const { out, err, status } = await osctl(["runbook", "run", file, "--yes"]);
    assert.equal(status, 0, err);
    const [id = ""] = await ids();
    assert.match(out, /^quick on simulated succeeded\n/);
    assert.match(
      out,
      /\n2 nodes: 2 done\n\nDone\n {2}simulated-worker-1 {2}worker {2}v1\.12\.11 {2}\d/,
    );
    assert.match(out, /\n {2}touched: 2\n$/);
    assert.match(err, new RegExp(`^Run ${id} in `));
    assert.match(err, new RegExp(`run ${id} succeeded\n$`));
  });
});

Deno.test("runbook run keeps a folder for its owner alone, with what it was started with", async () => {
  await withRunHome(async ({ osctl, write, ids, home, journal }) => {
    const file = await write(quick);
    await osctl(["runbook", "run", file, "--yes"]);
    const [id = ""] = await ids();
    const folder = `${home}/runs/${id}`;
    assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
    const header = JSON.parse(await Deno.readTextFile(`${folder}/header.json`));
    assert.equal(header.source, file);
    assert.deepEqual(Object.keys(header.files), [file]);
    const [, start] = await journal();
    assert.equal(start?.type, "run.start");
    assert.deepEqual(start?.data?.files, header.files);
    assert.deepEqual(Object.keys(start?.data ?? {}), [
      "files",
      "ir",
      "operator",
      "inputs",
      "groups",
      "members",
      "versions",
    ]);
  });
});

Deno.test("runbook run tells events that fit the schema, the same on standard output and in the folder", async () => {
  await withRunHome(async ({ osctl, write, ids, home }) => {
    const file = await write(quick);
    const events = `${home}/events`;
    const line = ["runbook", "run", file, "--yes", "-o", "jsonl"];
    const { out, status } = await osctl([...line, "--events-file", events]);
    assert.equal(status, 0);
    const reported = eventsIn(out);
    assert.deepEqual(
      reported.map(({ seq }) => seq),
      reported.map((_, i) => i + 1),
    );
    assert.equal(reported.at(0)?.type, "run.planned");
    assert.equal(reported.at(-1)?.type, "run.ended");
    assert.deepEqual(
      [...new Set(reported.map(({ type }) => type))].toSorted(),
      [
        "approval.answered",
        "approval.requested",
        "group.resolved",
        "lock.acquired",
        "node.ended",
        "node.entered",
        "node.queued",
        "run.ended",
        "run.planned",
        "run.started",
        "step.done",
        "step.progress",
        "step.start",
      ],
    );
    const [id = ""] = await ids();
    const kept = await Deno.readTextFile(`${home}/runs/${id}/events.jsonl`);
    assert.equal(kept, out);
    assert.equal(await Deno.readTextFile(events), out);
    assert.equal((await Deno.stat(events)).mode! & 0o777, 0o600);
  });
});

Deno.test("runbook run sends nothing when an input, a file or a limit is wrong: status 2", async () => {
  await withRunHome(async ({ osctl, write, ids, home }) => {
    const file = await write(quick);
    const wrong = async (...words: string[]) => {
      const ran = await osctl(["runbook", "run", file, "--yes", ...words]);
      assert.equal(ran.status, 2, ran.err);
      assert.deepEqual(await ids(), []);
      return ran.err;
    };
    assert.match(await wrong("--input", "nope=1"), /"nope"/);
    const missing = `${home}/missing/events`;
    assert.match(await wrong("--events-file", missing), /Cannot write/);
    assert.match(await wrong("--junit", missing), /Cannot write/);
    assert.match(await wrong("--limit", "w-9"), /there is no node "w-9"/);
    assert.match(await wrong("--limit", "node.role == 'x'"), /no node matches/);
    await write(quick.replace("role: worker", "names: [w-9]"));
    assert.match(await wrong(), /Group "workers": there is no node "w-9"/);
  });
});

Deno.test("runbook run --limit touches only these nodes, and says so in its header", async () => {
  await withRunHome(async ({ osctl, write, ids, home, cluster }) => {
    const file = await write(quick);
    const name = cluster.nodes[1]!.identity.hostname; // of a worker
    const line = ["runbook", "run", file, "--yes", "--limit", name];
    const { out } = await osctl([...line, "-o", "json"]);
    const { buckets } = JSON.parse(out);
    assert.deepEqual(
      buckets.done.map(({ node }: { readonly node: string }) => node),
      [name],
    );
    const [id = ""] = await ids();
    const header = await Deno.readTextFile(`${home}/runs/${id}/header.json`);
    assert.deepEqual(JSON.parse(header).limit, [name]);
  });
});

for (
  const [runbook, version, reason] of [
    [
      "rolling-upgrade",
      "v1.14.0",
      /v1\.14\.0 is more than one minor version ahead of v1\.12\.11/,
    ],
    [
      "upgrade-kubernetes",
      "1.36.1",
      /v1\.36\.1 is more than one minor version ahead of v1\.34\.1/,
    ],
  ] as const
) {
  Deno.test(`${runbook} to a version too far ahead is refused at once by plan and run: status 5, and other runs may begin`, async () => {
    await withRunHome(async ({ osctl, write, journal }) => {
      const words = [`builtin:${runbook}`, `--input=version=${version}`];
      const plan = await osctl(["runbook", "plan", ...words]);
      assert.equal(plan.status, 5, plan.err);
      assert.match(plan.out.replaceAll(/\s+/g, " "), reason);
      const ran = await osctl(["runbook", "run", ...words, "--yes"]);
      assert.equal(ran.status, 5, ran.err);
      assert.match(ran.err, reason);
      const sent = (await journal()).filter(({ type }) => type === "intent");
      assert.deepEqual(sent, []);
      const file = await write(quick);
      const other = await osctl(["runbook", "run", file, "--yes"]);
      assert.equal(other.status, 0, other.err);
    });
  });
}

Deno.test("runbook plan refuses a patch that cannot be read: status 5", async () => {
  await withRunHome(async ({ osctl, home }) => {
    const line = ["runbook", "plan", "builtin:config-rollout"];
    const missing = await osctl([...line, `--input=patch=${home}/none.yaml`]);
    assert.equal(missing.status, 5, missing.err);
    assert.match(missing.err, /none\.yaml/);
    const wrong = `${home}/wrong.yaml`;
    await Deno.writeTextFile(wrong, "machine: [");
    const { status, err } = await osctl([...line, `--input=patch=${wrong}`]);
    assert.equal(status, 5, err);
    assert.match(err, /wrong\.yaml/);
  });
});
