import assert from "node:assert/strict";
import { lockKey } from "../../../workflows/runbooks/lock/local_lock.ts";
import { quick, withRunHome } from "./_home.ts";

Deno.test("runbook run-or-resume begins a run once for a key, resumes it, then tells its report again", async () => {
  await withRunHome(async ({ osctl, write, home, ids }) => {
    const file = await write(quick);
    const state = `${home}/state of it`;
    const line = ["runbook", "run-or-resume", "--runbook", file]
      .concat(["--run-key", "k1", "--state-dir", state]);
    const first = await osctl(line);
    assert.equal(first.status, 76, first.err);
    assert.ok(
      first.out.endsWith(
        `\nosctl runbook run-or-resume --runbook ${file} --run-key k1 --state-dir '${state}'\n`,
      ),
      first.out,
    );
    const second = await osctl([...line, "--yes"]);
    assert.equal(second.status, 0, second.err);
    const third = await osctl([...line, "-o", "json"]);
    assert.equal(third.status, 0);
    const { state: ended, buckets, outputs } = JSON.parse(third.out);
    assert.equal(ended, "succeeded");
    assert.equal(buckets.done.length, 2);
    assert.deepEqual(outputs, { touched: 2 });
    assert.equal((await osctl([...line, "-o", "jsonl"])).out, "");
    assert.match((await osctl(line)).out, /^quick on simulated succeeded\n/);
    const runs = await Array.fromAsync(Deno.readDir(`${state}/runs`));
    assert.equal(runs.length, 1);
    assert.deepEqual(await ids(), []);
  });
});

Deno.test("runbook run-or-resume keeps runs in the user's home when no folder is given", async () => {
  await withRunHome(async ({ osctl, write, ids }) => {
    const file = await write(quick);
    const of = (key: string) =>
      osctl([
        "runbook",
        "run-or-resume",
        "--runbook",
        file,
        "--run-key",
        key,
        "--yes",
      ]);
    assert.equal((await of("it's one")).status, 0);
    assert.equal((await of("two")).status, 0);
    assert.equal((await ids()).length, 2);
  });
});

Deno.test("runbook run-or-resume refuses a key that is at work elsewhere: status 8", async () => {
  await withRunHome(async ({ osctl, write, home, ids }) => {
    const file = await write(quick);
    using _ = await lockKey(`${home}/locks`, "k1");
    const { status, err } = await osctl(
      ["runbook", "run-or-resume", "--runbook", file, "--run-key", "k1"],
    );
    assert.equal(status, 8);
    assert.match(err, /run with key "k1" is running in another process/);
    assert.deepEqual(await ids(), []);
  });
});

Deno.test("runbook run-or-resume needs a key and a runbook, and a folder it can write to", async () => {
  await withRunHome(async ({ osctl, write, home }) => {
    const file = await write(quick);
    assert.equal((await osctl("runbook run-or-resume --run-key k")).status, 2);
    const line = ["runbook", "run-or-resume", "--runbook", file];
    assert.equal((await osctl(line)).status, 2);
    const inFile = ["--run-key", "k", "--state-dir", file];
    const { status, err } = await osctl([...line, ...inFile]);
    assert.equal(status, 2);
    assert.match(err, new RegExp(`Cannot write "${home}/`));
  });
});
