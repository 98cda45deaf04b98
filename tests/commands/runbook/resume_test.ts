import assert from "node:assert/strict";
import type { JournalRecord } from "../../workflows/runbooks/_records.ts";
import {
  countBoots,
  quick,
  runbook,
  type RunHome,
  withRunHome,
} from "./_home.ts";

/** Copies a folder as a backup does. */
async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    // One after the other: there are few.
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

/** Begins a run that stops before its question. */
async function ask({ osctl, write, ids }: RunHome, text = quick) {
  const file = await write(text);
  const { status, out } = await osctl(["runbook", "run", file]);
  assert.equal(status, 76);
  const [id = ""] = await ids();
  return { id, file, out };
}

Deno.test("runbook resume continues at an unanswered question, and does nothing twice", async () => {
  await withRunHome(async (home) => {
    const { osctl, journal } = home;
    const { id, out } = await ask(home);
    assert.match(
      out,
      new RegExp(`\nResume with\nosctl runbook resume ${id}\n$`),
    );
    const resumed = await osctl(["runbook", "resume", "--yes"]);
    assert.equal(resumed.status, 0, resumed.err);
    assert.match(resumed.err, new RegExp(`run ${id} resumed`));
    const records = await journal();
    const answers = records.filter(({ type }) => type === "approval.answered");
    assert.deepEqual(answers.map(({ data }) => [data?.approved, data?.how]), [
      [true, "flag"],
    ]);
    const cordons = records.filter(({ type, path }) =>
      type === "intent" && path === "workers/cordon"
    );
    assert.equal(cordons.length, 2);
  });
});

Deno.test("runbook resume asks again when no answer comes, and refuses a run that has succeeded", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const { id } = await ask(home);
    assert.equal((await osctl(["runbook", "resume", id])).status, 76);
    assert.equal((await osctl(["runbook", "resume", id, "--yes"])).status, 0);
    const { status, err } = await osctl(["runbook", "resume", id]);
    assert.equal(status, 5);
    assert.match(err, /has ended: succeeded/);
  });
});

Deno.test("runbook resume refuses a cluster that is another one", async () => {
  await withRunHome(async (home) => {
    const { id } = await ask(home);
    await withRunHome(async (other) => {
      const env = { OS_HOME: home.home };
      const { status, err } = await other.osctl(["runbook", "resume", id], {
        env,
      });
      assert.equal(status, 2);
      assert.match(
        err,
        /^error: Run "[\w-]+" is for cluster "simulated" \(ID [^ ]{8}…\), but these nodes belong to "simulated" \(ID [^ ]{8}…\)$/m,
      );
      assert.ok(
        err.includes(
          `\nhint: Choose the context with --context\nhint: If that cluster is gone: osctl runbook abort ${id} --reason "cluster is gone"\n`,
        ),
        err,
      );
    });
  });
});

Deno.test("runbook resume refuses a journal that is damaged, and continues after a torn last line", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const { id } = await ask(home);
    const path = `${home.home}/runs/${id}/journal.jsonl`;
    const whole = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, whole.replace('"gate"', '"gatE"'));
    const damaged = await osctl(["runbook", "resume", id, "--yes"]);
    assert.equal(damaged.status, 2);
    assert.match(damaged.err, /journal\.jsonl/);
    await Deno.writeTextFile(path, `${whole}{"v":1,"seq":`);
    const torn = await osctl(["runbook", "resume", id, "--yes"]);
    assert.equal(torn.status, 0, torn.err);
    assert.match(torn.err, /last line of the journal was incomplete/);
  });
});

Deno.test("runbook resume --skip leaves a step out, with a reason that stays", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const { id } = await ask(home);
    const line = ["runbook", "resume", id, "--yes", "-o", "json"];
    const without = await osctl([...line, "--skip", "workers/cordon"]);
    assert.equal(without.status, 2);
    assert.match(without.err, /--skip needs --reason/);
    const unknown = await osctl([...line, "--skip", "nope", "--reason", "x"]);
    assert.equal(unknown.status, 2);
    assert.match(unknown.err, /There is no step "nope" in this run/);
    const node = "simulated-worker-1";
    const skip = ["--skip", `workers/cordon@${node}`, "--reason", "by hand"];
    const { status, out, err } = await osctl([...line, ...skip]);
    assert.equal(status, 0, err);
    assert.deepEqual(JSON.parse(out).skipped, [
      { step: "workers/cordon", node, reason: "by hand" },
    ]);
  });
});

Deno.test("runbook resume --drop-node takes a node out, which counts as failed", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const { id } = await ask(home);
    const node = "simulated-worker-1";
    const drop = (name: string) =>
      osctl([
        "runbook",
        "resume",
        id,
        "--yes",
        "-o",
        "json",
        "--drop-node",
        name,
        "--reason",
        "dead",
      ]);
    assert.equal((await drop("nobody")).status, 2);
    const { status, out } = await drop(node);
    assert.equal(status, 3);
    const { state, buckets, next } = JSON.parse(out);
    assert.equal(state, "partial");
    assert.equal(next, `osctl runbook resume ${id}`);
    const reported = JSON.parse(
      (await osctl(["runbook", "status", "-o", "json"])).out,
    );
    assert.deepEqual([reported.state, reported.next], [state, next]);
    assert.deepEqual(
      buckets.failed.map((
        one: { readonly node: string; readonly message: string },
      ) => [one.node, one.message]),
      [[node, "dropped: dead"]],
    );
  });
});

Deno.test("runbook resume --set changes inputs that are mutable, and no others", async () => {
  const text = runbook(
    `  - { id: go, approve: { tag: start, message: "\${{ inputs.pause }} \${{ inputs.what }}" } }\n`,
    `inputs:
  pause: { type: duration, default: 1s, mutable: true }
  what: { type: string, default: all }
`,
  );
  await withRunHome(async (home) => {
    const { osctl, journal } = home;
    const { id } = await ask(home, text);
    const set = (word: string, ...more: string[]) =>
      osctl(["runbook", "resume", id, "--set", word, ...more]);
    const fixed = await set("what=some");
    assert.equal(fixed.status, 2);
    assert.match(fixed.err, /Input "what" cannot be changed/);
    assert.equal((await set("pause=soon")).status, 2);
    assert.equal((await set("other=1")).status, 2);
    assert.equal((await set("pause=2s", "--yes")).status, 0);
    const messages = (await journal()).filter(({ type }) =>
      type === "approval.requested"
    )
      .map(({ data }) => data?.message);
    assert.deepEqual(messages, ["1s all", "2s all"]);
  });
});

Deno.test("runbook resume --resolve says what became of a step in doubt", async () => {
  await withRunHome(async (home) => {
    const { osctl, journal } = home;
    const { id } = await ask(home);
    const resolve = (word: string) =>
      osctl(["runbook", "resume", id, "--yes", "--resolve", word]);
    assert.equal((await resolve("workers/cordon")).status, 2);
    const { status, err } = await resolve(
      "workers/cordon@simulated-worker-1=done",
    );
    assert.equal(status, 0, err);
    const decided = (await journal()).filter(({ type }) => type === "decision");
    assert.deepEqual(
      decided.map(({ path, node, data }) => [path, node, data?.verdict]),
      [["workers/cordon", "simulated-worker-1", "done"]],
    );
  });
});

Deno.test("runbook resume --with-runbook continues by a corrected file, also the next time", async () => {
  const wrong = quick.replace("Touch", "Tuoch");
  await withRunHome(async (home) => {
    const { osctl, write, journal } = home;
    const { id } = await ask(home, wrong);
    const better = await write(quick, "better.runbook.yaml");
    const line = ["runbook", "resume", id];
    const first = await osctl([...line, "--with-runbook", better]);
    assert.equal(first.status, 76);
    assert.match(first.out, /Touch 2 workers\?/);
    await Deno.remove(better);
    const second = await osctl([...line, "--yes"]);
    assert.equal(second.status, 0, second.err);
    const rebased = (await journal()).filter(({ type }) => type === "rebase");
    assert.equal(rebased.length, 1);
    assert.deepEqual(Object.keys(rebased[0]?.data?.files ?? {}), [better]);
  });
});

Deno.test("runbook resume --with-runbook refuses a file in which something that was started is something else", async () => {
  await withRunHome(async (home) => {
    const { osctl, write, journal } = home;
    const { id } = await ask(home);
    const other = await write(
      quick.replace(
        "preflight, gate: etcd.quorum",
        "preflight, run: etcd.snapshot",
      )
        .replace(", within: 1m", ", with: { artifact: a.db }"),
      "other.runbook.yaml",
    );
    const { status, err } = await osctl([
      "runbook",
      "resume",
      id,
      "--with-runbook",
      other,
    ]);
    assert.equal(status, 5, err);
    assert.match(
      err,
      /step "preflight" was started as gate, and it is run etcd\.snapshot now/,
    );
    assert.ok((await journal()).every(({ type }) => type !== "rebase"));
  });
});

/** Cuts the journal off behind the first record that fits, as if the process had been killed then. */
async function cut(
  { home, cluster }: RunHome,
  id: string,
  isLast: (record: JournalRecord) => boolean,
) {
  const path = `${home}/runs/${id}/journal.jsonl`;
  const lines = (await Deno.readTextFile(path)).split("\n");
  const at = lines.findIndex((line) => line !== "" && isLast(JSON.parse(line)));
  assert.ok(at >= 0);
  await Deno.writeTextFile(path, `${lines.slice(0, at + 1).join("\n")}\n`);
  // The Lease remembers how far the run had come.
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
  cluster.kubernetes.request({
    method: "DELETE",
    path: `${leases}/osctl-runbook`,
  });
  // The key was destroyed at the end; there is nothing in it.
  await Deno.remove(`${home}/runs/${id}/vault.bin`);
}

Deno.test("runbook resume asks a node whether it has restarted, and restarts it no second time", async () => {
  const text = runbook(`  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: restart, run: node.reboot, timeout: 1m }
`);
  await withRunHome(async (home) => {
    const { osctl, write, ids, cluster } = home;
    const file = await write(text);
    const { status, err } = await osctl(["runbook", "run", file]);
    assert.equal(status, 0, err);
    const [id = ""] = await ids();
    const node = "simulated-worker-1";
    assert.equal(countBoots(cluster)[node], 2);
    await cut(home, id, ({ type, node: n }) => type === "intent" && n === node);
    const resumed = await osctl(["runbook", "resume"]);
    assert.equal(resumed.status, 0, resumed.err);
    assert.match(
      resumed.err,
      /simulated-worker-1: rebooting: done in .*, not sent again\n/,
    );
    assert.equal(countBoots(cluster)[node], 2);
    // Nothing was written down of the other one.
    assert.equal(countBoots(cluster)["simulated-worker-2"], 3);
  });
});

Deno.test("runbook resume refuses a run whose journal was emptied, and history says so", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const { id } = await ask(home);
    const path = `${home.home}/runs/${id}/journal.jsonl`;
    for (const empty of [() => Deno.truncate(path), () => Deno.remove(path)]) {
      await empty();
      const { status, err } = await osctl(["runbook", "resume", id, "--yes"]);
      assert.equal(status, 2, err);
      assert.match(
        err,
        /Cannot read journal ".*\/journal\.jsonl": it is empty/,
      );
      assert.match(err, /Restore it from a backup; otherwise check the nodes/);
      const { out } = await osctl(["runbook", "history", "-o", "json"]);
      assert.match(out, /"state": "damaged"/);
    }
  });
});

/** Leaves the first lines of a journal. */
async function keepLines(path: string, lines: number): Promise<void> {
  const text = await Deno.readTextFile(path);
  const kept = text.split("\n").slice(0, lines).map((line) => `${line}\n`);
  await Deno.writeTextFile(path, kept.join(""));
}

Deno.test("runbook history and resume agree about a run that was killed before its first step", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const { id } = await ask(home);
    await keepLines(`${home.home}/runs/${id}/journal.jsonl`, 1);
    const { out } = await osctl(["runbook", "history", "-o", "jsonl"]);
    const row = JSON.parse(out);
    assert.deepEqual([row.state, row.next], [
      "interrupted",
      `osctl runbook resume ${id}`,
    ]);
    const { status, err } = await osctl(["runbook", "resume", "--yes"]);
    assert.equal(status, 0, err);
  });
});

Deno.test("runbook resume refuses a run that was aborted before its first step", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const { id } = await ask(home);
    await keepLines(`${home.home}/runs/${id}/journal.jsonl`, 1);
    const flags = ["--reason=wrong", `--typed=${id}`];
    const aborted = await osctl(["runbook", "abort", id, ...flags]);
    assert.equal(aborted.status, 0, aborted.err);
    const { status, err } = await osctl(["runbook", "resume", id, "--yes"]);
    assert.equal(status, 5, err);
    assert.match(err, /has ended: cancelled/);
  });
});

Deno.test("runbook resume refuses an old copy of a run: status 5", async () => {
  await withRunHome(async (home) => {
    const { osctl } = home;
    const { id } = await ask(home);
    const copy = `${home.home}/copy`;
    await copyFolder(`${home.home}/runs`, `${copy}/runs`);
    await copyFolder(`${home.home}/run-keys`, `${copy}/run-keys`);
    const done = await osctl(["runbook", "resume", id, "--yes"]);
    assert.equal(done.status, 0, done.err);
    const old = await osctl(["runbook", "resume", id, "--yes"], {
      env: { OS_HOME: copy },
    });
    assert.equal(old.status, 5, old.err);
    assert.match(old.err, /This is an old copy of run ".*": it was continued/);
  });
});
