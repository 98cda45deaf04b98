import assert from "node:assert/strict";
import { saveSnapshot } from "../../../../workflows/etcd/snapshot/save.ts";
import { fakeNodes } from "../../../_fake.ts";
import { withCluster } from "../../../_cluster.ts";
import { withFolder } from "../../../_folder.ts";
import { testClient } from "../../../simulator/_client.ts";

const { signal } = new AbortController();

Deno.test("saveSnapshot writes what a node sends, readable by nobody else", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({}, async ({ endpoints, adminIdentity: identity }) => {
      using client = testClient({ endpoint: endpoints[0]!, identity });
      const path = `${folder}/db`;
      const status = await saveSnapshot(client, path, signal);
      assert.equal(status.trailer, "valid");
      const { mode, size } = await Deno.stat(path);
      assert.equal((mode ?? 0) & 0o777, 0o600);
      assert.equal(size, status.fileSize);
    });
  });
});

Deno.test("saveSnapshot leaves what was there when anything else arrives", async () => {
  await withFolder({ db: "older" }, async (folder) => {
    const { nodes } = fakeNodes({
      a: {
        async *etcdSnapshot() {
          yield await Promise.resolve({ bytes: new Uint8Array(4096) });
        },
      },
    });
    const client = await nodes.at("a");
    await assert.rejects(saveSnapshot(client, `${folder}/db`, signal), {
      message: `What the node sent for "${folder}/db" is damaged: ` +
        "page 0: its magic is 0x00000000, that of a database 0xed0cdaed, and there is no other meta page",
    });
    assert.equal(await Deno.readTextFile(`${folder}/db`), "older");
    const names = await Array.fromAsync(Deno.readDir(folder));
    assert.deepEqual(names.map(({ name }) => name), ["db"]);
  });
});
