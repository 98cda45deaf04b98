import assert from "node:assert/strict";
import {
  beginJournal,
  type OpenOperationJournal,
} from "../../../workflows/operations/journal_file.ts";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";
import { machine, members } from "../_machine.ts";

const now = () => new Date("2026-01-02T03:04:05Z");

const begin = {
  operation: "reboot",
  input: { mode: "default" },
  nodes: ["a", "b", "c"],
  context: "lab",
  allow: [],
  waitMs: 60_000,
};

/** Runs a test with a client configuration, and an operation that was left in the middle. */
function withOperation(
  leave: (journal: OpenOperationJournal) => Promise<void>,
  test: (id: string, env: Record<string, string>) => Promise<void>,
) {
  const files = { config: "context: lab\ncontexts:\n    lab: {}\n" };
  return withFolder(files, async (folder) => {
    let id = "";
    {
      using journal = await beginJournal(`${folder}/operations`, begin, now);
      await leave(journal);
      id = journal.id;
    }
    await test(id, { OS_HOME: folder, OSCONFIG: `${folder}/config` });
  });
}

async function leaveUnfinished(journal: OpenOperationJournal): Promise<void> {
  const done = { type: "outcome", outcome: "done", reason: "ready" } as const;
  await journal.append({ type: "intent", node: "a", key: { bootId: "x" } });
  await journal.append({ ...done, node: "a" });
  await journal.append({
    type: "intent",
    node: "b",
    key: { bootId: "boot-0" },
  });
}

Deno.test("operation resume does what is left, and nothing twice", async () => {
  await withOperation(leaveUnfinished, async (id, env) => {
    const [b, c] = [machine(), machine()];
    const { reboot: _, ...happened } = b.node;
    const { out, err, status } = await run(`operation resume ${id} -o jsonl`, {
      b: happened,
      c: c.node,
      "": members({ a: "worker", b: "worker", c: "worker" }),
    }, { env });
    const rows = out.trimEnd().split("\n").map((row) => JSON.parse(row));
    assert.deepEqual(
      rows.map(({ node, outcome }) => [node, outcome]).toSorted(),
      [["a", "done"], ["b", "done"], ["c", "done"]],
    );
    assert.match(err, /b: an earlier attempt is done\n/);
    assert.equal(c.asked.reboot?.length, 1);
    assert.equal(status, 0);
    const again = await run(`operation resume ${id}`, {}, { env });
    assert.deepEqual(again, {
      ...again,
      out: "",
      err: `error: Operation "${id}" has already finished\n`,
      status: 2,
    });
  });
});

Deno.test("operation resume wants the context it was started with", async () => {
  await withOperation(leaveUnfinished, async (id, env) => {
    const { err, status } = await run(
      `operation resume ${id} --context other`,
      {},
      { env },
    );
    assert.match(
      err,
      new RegExp(
        `error: Operation "${id}" was started with context "lab"\nhint: Pass --context lab\n`,
      ),
    );
    assert.equal(status, 2);
  });
});

Deno.test("operation resume refuses what it does not know", async () => {
  await withFolder({}, async (folder) => {
    const env = { OS_HOME: folder };
    const { err, status } = await run("operation resume nope", {}, { env });
    assert.equal(
      err,
      'error: Cannot find operation "nope"\nhint: List them with: osctl operation list\n',
    );
    assert.equal(status, 2);
  });
});

Deno.test("operation list shows what was left in the middle", async () => {
  await withOperation(leaveUnfinished, async (id, env) => {
    const { out } = await run("operation list", {}, { env });
    const width = Math.max(id.length, 2);
    assert.equal(
      out,
      `${
        "ID".padEnd(width)
      }   OPERATION   CONTEXT   STATE         STARTED   FINISHED
${id}   reboot      lab       interrupted   0s        1/3
`,
    );
  });
});

Deno.test("operation resume leaves alone what was started on another machine, unless that is meant: status 5", async () => {
  const files = { config: "context: lab\ncontexts:\n    lab: {}\n" };
  await withFolder(files, async (folder) => {
    const elsewhere = { ...begin, nodes: ["a"], host: "other-desk" };
    const journal = await beginJournal(`${folder}/operations`, elsewhere, now);
    const { id } = journal;
    journal[Symbol.dispose]();
    const env = { OS_HOME: folder, OSCONFIG: `${folder}/config` };
    // No node is asked for anything.
    const copied = await run(`operation resume ${id}`, {}, { env });
    assert.equal(copied.status, 5);
    assert.match(copied.err, /was started on machine "other-desk"\n/);
    const { node, asked } = machine();
    const nodes = { a: node, "": members({ a: "worker" }) };
    const line = `operation resume ${id} --elsewhere`;
    const meant = await run(line, nodes, { env });
    assert.equal(meant.status, 0, meant.err);
    assert.equal(asked.reboot?.length, 1);
  });
});

Deno.test("operation resume without an id takes the only one there is", async () => {
  await withOperation(leaveUnfinished, async (id, env) => {
    const again = beginJournal(`${env.OS_HOME}/operations`, begin, now);
    {
      using held = await again;
      assert.notEqual(held.id, id);
      const [b, c] = [machine(), machine()];
      const { reboot: _, ...happened } = b.node;
      // The other one is being run.
      const { err, status } = await run("operation resume", {
        b: happened,
        c: c.node,
        "": members({ a: "worker", b: "worker", c: "worker" }),
      }, { env });
      assert.match(err, new RegExp(`^Resuming reboot ${id}\n`));
      assert.equal(status, 0);
    }
    const second = await beginJournal(`${env.OS_HOME}/operations`, begin, now);
    second[Symbol.dispose]();
    const several = await run("operation resume", {}, { env });
    assert.match(several.err, /^error: 2 operations can be resumed: /);
    assert.equal(several.status, 2);
  });
  const none = await run("operation resume", {}, {
    env: { OS_HOME: "/nowhere" },
  });
  assert.match(none.err, /^error: No operation is interrupted or unfinished\n/);
});
