import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const head = "apiVersion: osctl/v1\nkind: Runbook\nname: a\ntitle: A\n";
const good = `${head}steps: [{ id: a, sleep: 1s }]\n`;
const wrong = `${head}steps: [{ id: a, slep: 1s }]\n`;

/** Runs with files in a folder; the folder's name is removed from what comes back. */
async function check(
  files: Readonly<Record<string, string>>,
  line: string,
): Promise<readonly [out: string, err: string, status: number]> {
  let result: readonly [string, string, number] = ["", "", -1];
  await withFolder(files, async (folder) => {
    const words = line.split(" ").map((word) =>
      word.endsWith(".yaml") ? `${folder}/${word}` : word
    );
    const { out, err, status } = await run(["runbook", "check", ...words]);
    const bare = (text: string) => text.replaceAll(`${folder}/`, "");
    result = [bare(out), bare(err), status];
  });
  return result;
}

Deno.test("runbook check says that a runbook is right", async () => {
  assert.deepEqual(await check({ "a.yaml": good }, "a.yaml"), [
    "a.yaml is valid\n",
    "",
    0,
  ]);
});

Deno.test("runbook check tells every problem, and continues with the others", async () => {
  const [out, err, status] = await check(
    { "a.yaml": wrong, "b.yaml": good },
    "a.yaml b.yaml c.yaml",
  );
  assert.equal(
    out,
    "a.yaml is not valid\nb.yaml is valid\nc.yaml is not valid\n",
  );
  assert.equal(
    err,
    `a.yaml:5:9: This step does nothing (Give one of run, gate, approve, assert, decide, sleep, forEach, block, use)
a.yaml:5:18: Unknown key "slep" (Did you mean "sleep"?)
There is no file "c.yaml"
error: 2 of 3 runbooks are not valid
`,
  );
  assert.equal(status, 2);
});

Deno.test("runbook check gives a runbook that is not there as data", async () => {
  const [out, err, status] = await check({}, "builtin:rolling-upgrad -o jsonl");
  assert.equal(status, 2);
  assert.equal(
    err,
    'There is no builtin runbook "rolling-upgrad" (Did you mean "rolling-upgrade"?)\nerror: The runbook is not valid\n',
  );
  assert.deepEqual(JSON.parse(out).problems, [{
    file: "builtin:rolling-upgrad",
    line: null,
    column: null,
    message: 'There is no builtin runbook "rolling-upgrad"',
    hint: 'Did you mean "rolling-upgrade"?',
  }]);
});

Deno.test("runbook check wants a runbook", async () => {
  const { out, err, status } = await run("runbook check");
  assert.deepEqual([out, status], ["", 2]);
  assert.match(err, /No runbook to check/);
});

Deno.test("runbook check knows the words that an argument of a command may be", async () => {
  const steps = (action: string) =>
    `${head}inputs:
  hard: { type: bool, default: false }
  action: { type: enum, values: [start, stop], default: stop }
  word: { type: enum, values: [start, halt], default: start }
steps: [{ id: a, run: service, with: { id: kubelet, action: ${action}, node: w-1 } }]
`;
  const wrongs = [
    "resart",
    "\"${{ inputs.hard ? 'restart' : 'resart' }}\"",
    '"${{ inputs.word }}"',
  ];
  for (const action of wrongs) {
    const [, err, status] = await check({ "a.yaml": steps(action) }, "a.yaml");
    assert.equal(status, 2);
    assert.match(err, /^a\.yaml:9:\d+: .*"(resart|halt)"/);
  }
  for (const action of ["restart", '"${{ inputs.action }}"']) {
    const [, err] = await check({ "a.yaml": steps(action) }, "a.yaml");
    assert.equal(err, "");
  }
});
