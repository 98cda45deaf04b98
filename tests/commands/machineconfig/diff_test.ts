import assert from "node:assert/strict";
import { yamlSpecAnnotation } from "../../../talos.ts";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";
import { withWire } from "../../_wire.ts";

const from = "machine: {type: worker, token: one}\n";
const to = "machine: {type: worker, token: two, certSANs: [a]}\n";
const files = { "a.yaml": from, "b.yaml": to, "same.yaml": `# x\n${from}` };

const hunk = `@@ -1,6 +1,7 @@
 version: ""
 machine:
     type: worker
-    token: '******'
-    certSANs: []
+    token: '****** (new)'
+    certSANs:
+        - a
 cluster: null
`;
const patch = "machine:\n    token: two\n    certSANs:\n        - a\n";

function diff(
  folder: string,
  a: string,
  b: string,
  ...flags: readonly string[]
) {
  return run([
    "machineconfig",
    "diff",
    `${folder}/${a}`,
    `${folder}/${b}`,
    ...flags,
  ]);
}

Deno.test("machineconfig diff shows what is different, secrets hidden", () =>
  withFolder(files, async (folder) => {
    const { out, err, status } = await diff(folder, "a.yaml", "b.yaml");
    assert.equal(out, `v1alpha1 changed\n${hunk}`);
    assert.equal(err, "");
    assert.equal(status, 0);
  }));

Deno.test("machineconfig diff makes the patch that machineconfig patch applies", () =>
  withFolder(files, async (folder) => {
    const { out } = await diff(folder, "a.yaml", "b.yaml", "--as-patch");
    assert.equal(out, patch);
    const { out: patched } = await run([
      "machineconfig",
      "patch",
      `${folder}/a.yaml`,
      "-p",
      out,
    ]);
    await Deno.writeTextFile(`${folder}/c.yaml`, patched);
    assert.equal((await diff(folder, "b.yaml", "c.yaml")).out, "");
  }));

Deno.test("machineconfig diff names what it does not know in a file, and hides it", () =>
  withFolder(
    { ...files, "b.yaml": "machine: {newer: {key: secretsecret}}" },
    async (folder) => {
      const { out, err, status } = await diff(folder, "b.yaml", "a.yaml");
      assert.match(out, /- {8}key: \(redacted, 12 characters\)/);
      assert.ok(!out.includes("secretsecret"));
      assert.equal(
        err,
        `${folder}/b.yaml:1:11: machine.newer: Unknown key "newer", which is kept\n`,
      );
      assert.equal(status, 0);
    },
  ));

Deno.test("machineconfig diff needs either a second file or nodes", () =>
  withFolder(files, async (folder) => {
    const nothing = await run(["machineconfig", "diff", `${folder}/a.yaml`]);
    assert.match(nothing.err, /^error: A second configuration is missing\n/);
    assert.equal(nothing.status, 2);
    const both = await diff(folder, "a.yaml", "b.yaml", "--live");
    assert.match(
      both.err,
      /^error: Flag --live cannot be used with a second configuration\n/,
    );
    assert.equal(both.status, 2);
  }));

function node(config: string) {
  const resource = {
    metadata: { annotations: { [yamlSpecAnnotation]: "1" } },
    spec: { yamlSpec: JSON.stringify(config) },
  };
  return { get: () => ({ resource }) };
}

Deno.test("machineconfig diff shows what a file would change in nodes", () =>
  withFolder(files, async (folder) => {
    const nodes = { n1: node(from), n2: node(to) };
    const line = ["machineconfig", "diff", `${folder}/b.yaml`, "--live"];
    const { out, status } = await run([...line, "--exit-code"], nodes);
    assert.equal(out, `n1: v1alpha1 changed\n${hunk}`);
    assert.equal(status, 6);
    const { out: patches } = await run([...line, "--as-patch"], nodes);
    assert.deepEqual(
      new Set(patches.split(/^(?=#)/m)),
      new Set([`# n1\n${patch}`, "# n2\n"]),
    );
    const { out: rows } = await run([...line, "-o", "jsonl"], nodes);
    assert.deepEqual(JSON.parse(rows), {
      node: "n1",
      identity: "v1alpha1",
      change: "changed",
      diff: hunk,
    });
  }));

Deno.test("machineconfig diff compares with the nodes that answer when one does not", async () => {
  await withWire({ controlplanes: 3 }, async ({ cluster, names, osctl }) => {
    const [first = "", second = "", down = ""] = names;
    const live = await osctl(
      `get mc v1alpha1 -n ${first} -o jsonpath={.spec}`,
    );
    await cluster.setFault(down, "unavailable");
    await withFolder({ "live.yaml": live.out }, async (folder) => {
      const file = `${folder}/live.yaml`;
      const line = ["machineconfig", "diff", file, "--live", "--exit-code"];
      const same = await osctl([...line, "-n", first]);
      assert.deepEqual([same.out, same.err, same.status], ["", "", 0]);
      const change = "machine: {sysctls: {a.b: c}}";
      await osctl(["machineconfig", "patch", file, "-p", change, "-o", file]);
      const { out, err, status } = await osctl(line);
      const rows = out.match(/^10\..*/gm)?.toSorted();
      assert.deepEqual(rows, [
        `${first}: v1alpha1 changed`,
        `${second}: HostnameConfig changed`,
        `${second}: v1alpha1 changed`,
      ]);
      assert.ok(out.includes("\n+    sysctls:\n+        a.b: c\n"));
      assert.ok(err.includes(down), err);
      assert.equal(status, 3);
    });
  });
});

Deno.test("machineconfig diff --live refuses what no node takes as its configuration", () =>
  withFolder({
    "part.yaml": "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n",
  }, async (folder) => {
    const file = `${folder}/part.yaml`;
    const { out, err, status } = await run(
      `machineconfig diff ${file} --live -n a`,
    );
    assert.deepEqual([out, status], ["", 2]);
    assert.equal(
      err,
      `error: Cannot compare "${file}": it has no document with "machine"
hint: Give a whole configuration
`,
    );
  }));
