import assert from "node:assert/strict";
import { type FakeNodes, RpcError } from "../_fake.ts";
import { withFolder } from "../_folder.ts";
import { type Ran, runOn, type RunOptions } from "../_run.ts";
import {
  configurationFor,
  configure,
  withoutApply,
} from "./_configured_nodes.ts";

const worker = await configurationFor("worker");
const addSysctl =
  `sed -i "s/^machine:/machine:\\n    sysctls:\\n        a: '1'/" "$1"`;

interface Edited extends Ran {
  readonly shown: readonly string[];
  /** The file that was kept; `undefined` if there is none. */
  readonly kept: string | undefined;
  /** Permissions of the file with it. */
  readonly mode: number | undefined;
}

/** Runs `edit mc` with a shell script as editor, which is given the file as `$1`. */
async function edit(
  script: string,
  nodes: FakeNodes,
  flags = "",
  options: RunOptions = {},
): Promise<Edited> {
  let edited: Edited | undefined;
  await withFolder({
    "editor.sh": `n=$(ls "$0".shown.* 2>/dev/null | wc -l)
cp "$1" "$0.shown.$n"
${script}
`,
  }, async (folder) => {
    const editor = `${folder}/editor.sh`;
    const ran = await runOn(`edit mc ${flags}`, nodes, {
      ...options,
      env: { EDITOR: `sh "${editor}"`, ...options.env },
    });
    const [, path] = /saved to "(.*)"/.exec(ran.err) ?? [];
    const kept = path && await Deno.readTextFile(path);
    const mode = path ? (await Deno.stat(path)).mode ?? undefined : undefined;
    if (path) await Deno.remove(path);
    edited = {
      ...ran,
      err: ran.err.replaceAll(folder, "").replaceAll(path ?? "\0", "KEPT"),
      shown: await listShown(folder),
      kept: kept || undefined,
      mode: mode === undefined ? undefined : mode & 0o777,
    };
  });
  assert.ok(edited);
  return edited;
}

async function listShown(folder: string): Promise<readonly string[]> {
  const names = (await Array.fromAsync(Deno.readDir(folder)))
    .map(({ name }) => name).filter((name) => name.includes(".shown."));
  return await Promise.all(
    names.sort().map((name) => Deno.readTextFile(`${folder}/${name}`)),
  );
}

Deno.test("edit sends what was typed", async () => {
  const node = configure(worker);
  const ran = await edit(addSysctl, { a: node.handlers });
  assert.deepEqual([ran.status, node.sent], [0, ["auto"]], ran.err);
  assert.deepEqual(ran.shown, [`# Configuration of a\n${worker}`]);
  assert.equal(
    node.active,
    worker.replace("machine:\n", "machine:\n    sysctls:\n        a: '1'\n"),
  );
  assert.equal(ran.kept, undefined);
});

Deno.test("edit --diff shows the change of one node, and sends it after a yes only", async () => {
  const typed = { typed: true, stdin: "n\n" };
  const nodes = { a: withoutApply(configure(worker)) };
  const refused = await edit(addSysctl, nodes, "--diff", typed);
  assert.equal(refused.status, 5);
  assert.match(refused.err, /^\+ +a: "1"$/m);
  assert.match(refused.err, /Send this change to 1 node\? \(y\/N\): /);
  const node = configure(worker);
  const sent = await edit(addSysctl, { a: node.handlers }, "--diff --yes");
  assert.deepEqual([sent.status, node.sent], [0, ["auto"]], sent.err);
});

Deno.test("edit sends nothing when nothing was changed, and says when the editor may not have been seen", async () => {
  const ran = await edit("true", { a: withoutApply(configure(worker)) });
  assert.equal(ran.status, 0);
  assert.equal(
    ran.err,
    `The editor "sh "/editor.sh"" exited immediately; if it runs in the background, make it wait, as in EDITOR="code --wait"
Nothing was sent: no changes were made
`,
  );
});

Deno.test("edit waits for Enter on a terminal when the editor continues in the background", async () => {
  const nodes = { a: withoutApply(configure(worker)) };
  const ran = await edit("true", nodes, "", { typed: true, stdin: "\n" });
  assert.equal(ran.status, 0);
  assert.equal(
    ran.err,
    `The editor "sh "/editor.sh"" exited immediately. Press Enter when the file is saved: Nothing was sent: no changes were made
`,
  );
});

Deno.test("edit sends nothing when the file is empty, or only comments are left", async () => {
  for (const script of ['> "$1"', `sed -i '/^[^#]/d' "$1"`]) {
    const ran = await edit(script, { a: withoutApply(configure(worker)) });
    assert.deepEqual([ran.status, ran.err], [
      0,
      "Nothing was sent: the file is empty\n",
    ]);
  }
});

Deno.test("edit ends at the second same problem and keeps what was typed", async () => {
  const ran = await edit(
    `sed -i 's/type: worker/type: boss/; s/^cluster:/cluster: # '$n'/' "$1"`,
    { a: withoutApply(configure(worker)) },
  );
  assert.deepEqual([ran.status, ran.shown.length], [2, 2], ran.err);
  assert.match(ran.kept ?? "", /type: boss/);
  assert.equal(ran.mode, 0o600);
  assert.match(ran.err, /^Your edit was saved to "KEPT"$/m);
});

Deno.test("edit ends when a problem is left as it is", async () => {
  const ran = await edit(
    `[ $n = 0 ] && sed -i 's/type: worker/type: boss/' "$1"; true`,
    { a: withoutApply(configure(worker)) },
  );
  assert.deepEqual([ran.status, ran.shown.length], [2, 2], ran.err);
  assert.match(ran.err, /Unchanged since the last attempt: /);
  assert.match(ran.kept ?? "", /type: boss/);
});

Deno.test("edit shows what the node refuses, and ends when it refuses again", async () => {
  const node = configure(worker, {
    taken(node) {
      node.active = node.saved = worker;
      throw new RpcError("INVALID_ARGUMENT", "no such disk");
    },
  });
  const script = `case $n in
0) ${addSysctl};;
*) sed -i "s/a: '1'/a: '2'/" "$1";;
esac`;
  const ran = await edit(script, { a: node.handlers });
  assert.deepEqual([ran.status, ran.shown.length], [1, 2], ran.err);
  assert.match(ran.shown[1] ?? "", /^# a: failed: no such disk$/m);
  assert.match(ran.kept ?? "", /sysctls/);
});

Deno.test("edit keeps what was typed when the editor fails", async () => {
  const ran = await edit(`${addSysctl}; exit 7`, {
    a: withoutApply(configure(worker)),
  });
  assert.equal(ran.status, 1);
  assert.match(ran.err, /exited with status 7/);
  assert.match(ran.kept ?? "", /sysctls/);
});

Deno.test("edit is held back like apply-config, and keeps what was typed", async () => {
  const ran = await edit(
    `sed -i 's/installer:v1.12.0/installer:v1.13.0/' "$1"`,
    { a: withoutApply(configure(worker)) },
  );
  assert.equal(ran.status, 5, ran.err);
  assert.match(ran.err, /--allow skew/);
  assert.match(ran.kept ?? "", /v1\.13\.0/);
});

Deno.test("edit opens one editor for several nodes, shows the change for each and asks once", async () => {
  const named = worker.replace("auto: stable", 'auto: "off"\nhostname: b');
  const [a, b] = [configure(worker), configure(named)];
  const nodes = { a: a.handlers, b: b.handlers };
  const ran = await edit(addSysctl, nodes, "", { stdin: "y\n" });
  assert.deepEqual([ran.status, ran.shown.length], [0, 1], ran.err);
  assert.deepEqual([a.sent, b.sent], [["auto"], ["auto"]]);
  assert.match(ran.err, /^a: v1alpha1 changed$/m);
  assert.match(ran.err, /^b: v1alpha1 changed$/m);
  assert.equal(ran.err.split("Send this change to 2 nodes? (y/N)").length, 2);
  assert.match(b.active, /\nhostname: b\n/);
  assert.match(b.active, /sysctls:/);
});

Deno.test("edit sends nothing to several nodes when the answer is no, or no answer comes", async () => {
  for (const stdin of ["n\n", ""]) {
    const nodes = {
      a: withoutApply(configure(worker)),
      b: withoutApply(configure(worker)),
    };
    const ran = await edit(addSysctl, nodes, "", { stdin });
    assert.equal(ran.status, 5, ran.err);
    assert.match(ran.kept ?? "", /sysctls/);
  }
});

Deno.test("edit warns once of each problem that the node is to decide about", async () => {
  const node = configure(worker);
  const unknown = `sed -i "s/^machine:/machine:\\n    nonsense: 1/" "$1"`;
  const flags = "--validate warn --mode no-reboot";
  const ran = await edit(unknown, { a: node.handlers }, flags);
  assert.equal(ran.status, 0, ran.err);
  assert.equal(ran.err.match(/^warning: .*nonsense/gm)?.length, 1, ran.err);
});

Deno.test("edit --dry-run shows the change and sends nothing", async () => {
  const ran = await edit(
    addSysctl,
    { a: withoutApply(configure(worker)) },
    "--dry-run",
  );
  assert.equal(ran.status, 0, ran.err);
  assert.match(ran.out, /^a: v1alpha1 changed\n/);
});

Deno.test("edit names what is wrong on the command line", async () => {
  const env = { EDITOR: "true" };
  const ran = await runOn("edit mc maintenance", {}, { env });
  assert.deepEqual([ran.err.split("\n")[0], ran.status], [
    'error: Machine configuration "maintenance" cannot be changed',
    2,
  ]);
});

Deno.test("edit without a terminal refuses an editor that waits for keys, before it asks the node", async () => {
  const { err, status } = await runOn("edit mc", { a: {} });
  assert.equal(status, 2);
  assert.equal(
    err.split("\n").slice(0, 3).join("\n"),
    `error: Cannot edit: the editor "vi" needs a terminal, and standard input is none
hint: Use: osctl patch machineconfig, or osctl apply-config
hint: Or set EDITOR to a program that changes the file`,
  );
});
