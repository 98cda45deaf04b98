import assert from "node:assert/strict";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";
import { withControlPlanes } from "./_control_planes.ts";

Deno.test("etcd snapshot asks a healthy follower and checks what it gets", async () => {
  await withControlPlanes(3, async ({ osctl, rows, folder }) => {
    const file = `${folder}/db.snapshot`;
    const { out, err, status } = await osctl(`etcd snapshot ${file} -o jsonl`);
    assert.equal(status, 0, err);
    const row = JSON.parse(out);
    const states = await rows("etcd status");
    const asked = states.find(({ node }) => node === row.node);
    assert.notEqual(asked.member, asked.leader);
    assert.equal(err, `taking the snapshot from ${row.node}\n`);
    assert.equal(row.trailer, "valid");
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    const [checked] = await rows(`etcd snapshot verify ${file}`);
    assert.equal(checked.hash, row.hash);
    assert.deepEqual(
      await names(folder),
      ["db.snapshot"],
    );
  });
});

Deno.test("etcd snapshot checks first that it can write the file", async () => {
  await withFolder({}, async (folder) => {
    for (
      const [file, why] of [
        [`${folder}/none/db`, "no such file or directory"],
        [folder, "it is a directory"],
      ]
    ) {
      // No node is asked.
      const { err, status } = await run(`etcd snapshot ${file}`, { a: {} });
      assert.equal(err.split("\n")[0], `error: Cannot write "${file}": ${why}`);
      assert.equal(status, 2);
    }
  });
});

async function names(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name).toSorted();
}

const cuts = [
  [
    "truncated-copy",
    /error: What the node sent for ".*\/db\.snapshot" is damaged: it is truncated/,
  ],
  [
    "stream-drop",
    /error: Cannot take a snapshot of "10\.5\.0\.2": the connection was lost\nhint: Nothing was written; choose another member with --nodes\n/,
  ],
] as const;

for (const [fault, reported] of cuts) {
  Deno.test(`etcd snapshot is zero behind on a ${fault}`, async () => {
    await withControlPlanes(
      1,
      async ({ osctl, cluster, folder, names: nodes }) => {
        const [node] = cluster.nodes;
        assert.ok(node);
        await setFault(node, fault, { method: "EtcdSnapshot" });
        const file = `${folder}/db.snapshot`;
        await Deno.writeTextFile(file, "older");
        const line = `etcd snapshot ${file} -n ${nodes[0]}`;
        const { err, status } = await osctl(line);
        assert.match(err, reported);
        assert.equal(status, 1);
        assert.equal(await Deno.readTextFile(file), "older");
        assert.deepEqual(await names(folder), ["db.snapshot"]);
      },
    );
  });
}

Deno.test("etcd snapshot - passes a verified snapshot on, and nothing of a damaged one", () =>
  withControlPlanes(1, async ({ osctl, cluster, folder }) => {
    const { bytes, err, status } = await osctl("etcd snapshot -");
    assert.equal(status, 0, err);
    await Deno.writeFile(`${folder}/db`, bytes);
    const checked = await osctl(`etcd snapshot verify ${folder}/db`);
    assert.equal(checked.status, 0, checked.err);
    const [node] = cluster.nodes;
    assert.ok(node);
    await setFault(node, "truncated-copy", { method: "EtcdSnapshot" });
    const damaged = await osctl("etcd snapshot -");
    assert.deepEqual([damaged.out, damaged.status], ["", 1], damaged.err);
    await assert.rejects(Deno.stat("-"), Deno.errors.NotFound);
  }));
