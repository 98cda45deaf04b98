import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";
import { readHead } from "../../../commands/runbook/list.ts";

const files = {
  "b.runbook.yaml": "title: B\nper: node\nsteps: 5\n",
  "a.runbook.ts": "export default 1;",
  "c.runbook.yml": "a: b: c\n",
  "d.runbook.yaml": "# nothing\n",
  "e.yaml": "title: Something else\n",
};

Deno.test("runbook list shows builtin runbooks, and those of a folder", async () => {
  await withFolder(files, async (folder) => {
    const { out, err, status } = await run(`runbook list ${folder} -o jsonl`);
    assert.equal(status, 0);
    const rows = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    const own = rows.filter(({ runbook }) => runbook.startsWith(folder))
      .map((row) => ({
        ...row,
        runbook: row.runbook.slice(folder.length + 1),
      }));
    assert.deepEqual(own, [
      { runbook: "a.runbook.ts", per: "cluster", title: "" },
      { runbook: "b.runbook.yaml", per: "node", title: "B" },
      { runbook: "c.runbook.yml", per: "cluster", title: "" },
      { runbook: "d.runbook.yaml", per: "cluster", title: "" },
    ]);
    assert.deepEqual(
      rows.find(({ runbook }) => runbook === "builtin:node-upgrade"),
      {
        runbook: "builtin:node-upgrade",
        per: "node",
        title: "Upgrade the operating system of one node",
      },
    );
    assert.match(err, /Cannot read ".*c.runbook.yml" at line 1, column 5/);
  });
});

Deno.test("runbook list is a table for people", async () => {
  const { out, status } = await run("runbook ls");
  assert.equal(status, 0);
  assert.match(out, /^RUNBOOK +SCOPE +TITLE\n/);
  assert.match(out, /^builtin:rolling-upgrade +cluster +Upgrade /m);
});

Deno.test("readHead reads the beginning of a runbook, whatever the rest is", async () => {
  const files = { "a.yaml": "title: A\nper: node\nx: 1\n", "b.yaml": "- a\n" };
  await withFolder(files, async (folder) => {
    assert.deepEqual(await readHead(`${folder}/a.yaml`), {
      title: "A",
      per: "node",
    });
    assert.deepEqual(await readHead(`${folder}/b.yaml`), {
      title: "",
      per: "cluster",
    });
  });
  assert.equal((await readHead("builtin:node-reboot")).per, "node");
  assert.deepEqual(await readHead("a.ts"), { title: "", per: "cluster" });
});

Deno.test("readHead says when a runbook is gone", async () => {
  await assert.rejects(readHead("/nowhere/a.yaml"), {
    name: "ConfigError",
    message: 'Cannot read "/nowhere/a.yaml": no such file',
  });
});
