import assert from "node:assert/strict";
import { onCluster } from "../_step_context.ts";
import { ConfigError } from "../../../errors.ts";
import { saveSnapshot } from "../../../workflows/etcd/snapshot/snapshot_file.ts";
import { etcdCopyDatabase } from "../../../workflows/modules/etcd_recovery.ts";

const planes = ["10.5.0.2", "10.5.0.3", "10.5.0.4"] as const;

Deno.test("a lost etcd is rebuilt from a snapshot on one node, and the others join", async () => {
  await onCluster(
    { controlplanes: 3 },
    async ({ folder, read, change, context }, cluster) => {
      const before = await read("etcd.assess");
      assert.deepEqual(before, {
        quorum: true,
        voters: 3,
        healthy: 3,
        needed: 2,
        nodes: planes.map((node) => ({
          node,
          reachable: true,
          service: "Running",
          dataDir: "data",
        })),
      });
      const { client, signal } = await context(planes[0]);
      const file = `${folder}/db`;
      const { revision } = await saveSnapshot(client, file, signal);
      const source = await read("etcd.chooseSource", { file });
      assert.equal(source.revision, revision);
      assert.equal(source.verified, true);
      const recover = {
        file: source.file!,
        sha256: source.sha256!,
        skipHashCheck: source.salvaged!,
        dead: [],
      };
      const early = await change(
        "etcd.bootstrapFromSnapshot",
        recover,
        planes[0],
      );
      assert.equal(early.outcome, "refused");
      assert.match(early.reason, /10\.5\.0\.3 has etcd data \(S13\)/);
      // At once: as long as etcd has a quorum, a wiped node joins again.
      const wipes = await Promise.all(planes.map(async (node) => {
        const input = { graceful: false, reboot: true };
        return await change("node.resetEphemeral", input, node);
      }));
      assert.deepEqual(wipes.map(({ outcome }) => outcome), [
        "done",
        "done",
        "done",
      ]);
      const wiped = await read("etcd.assess");
      assert.equal(wiped.quorum, false);
      await assert.rejects(
        () => read("etcd.snapshot", { artifact: "none" }),
        /No etcd member is healthy/,
      );
      assert.equal(wiped.voters, 0);
      const again = await change("node.resetEphemeral", {}, planes[1]);
      assert.equal(again.outcome, "unchanged");
      const other = await change("etcd.bootstrapFromSnapshot", {
        ...recover,
        sha256: "00",
      }, planes[1]);
      assert.match(other.reason, /has changed since it was chosen/);
      const done = await change(
        "etcd.bootstrapFromSnapshot",
        recover,
        planes[1],
      );
      assert.deepEqual(done, { outcome: "done", reason: "etcd is running" });
      await cluster.settled();
      const second = await change(
        "etcd.bootstrapFromSnapshot",
        recover,
        planes[2],
      );
      assert.match(second.reason, /has etcd data \(S13\)/);
      const after = await read("etcd.assess");
      assert.equal(after.quorum, true);
      assert.equal(after.voters, 3);
      const taken = await read("etcd.snapshot", { artifact: "after" });
      assert.equal(taken.file, `${folder}/after`);
      assert.ok(planes.some((node) => node === taken.node));
      assert.ok(Number(taken.revision) >= revision);
    },
  );
});

Deno.test("artifacts stay in the folder of the run", async () => {
  await onCluster({}, async ({ read }) => {
    for (const artifact of ["../x", "/x", "", ".x", "a/b"]) {
      await assert.rejects(
        () => read("etcd.copyDatabase", { artifact }, "10.5.0.2"),
        ConfigError,
      );
    }
  });
});

Deno.test("a database that is whole is kept, and one that is not is not a candidate", async () => {
  await onCluster({}, async ({ folder, read, context }) => {
    const there = await context("10.5.0.2");
    await saveSnapshot(there.client, `${folder}/db`, there.signal);
    const whole = await Deno.readFile(`${folder}/db`);
    // Without the checksum that is sent with snapshots.
    const database = whole.subarray(0, whole.length - 32);
    async function copy(bytes: Uint8Array) {
      assert.ok(etcdCopyDatabase.kind === "read");
      const machine = {
        ...there.client.machine,
        // As a node sends a file.
        async *read() {
          yield { metadata: undefined, bytes } as never;
        },
      };
      const steps = etcdCopyDatabase.read(
        { ...there, client: { ...there.client, machine } },
        { artifact: "cp-1.db" },
      );
      while (true) {
        const { done, value } = await steps.next();
        if (done) return value;
      }
    }
    const copied = await copy(database);
    assert.equal(copied.file, `${folder}/cp-1.db`);
    const source = await read("etcd.chooseSource", {
      candidates: { "cp-1": copied, "cp-2": {}, "cp-3": null },
    });
    assert.equal(source.node, "cp-1");
    assert.equal(source.salvaged, true);
    assert.equal(source.revision, copied.revision);
    await assert.rejects(() => copy(database.subarray(0, 5000)));
    await assert.rejects(
      () => read("etcd.chooseSource", { candidates: {} }),
      /Nothing to recover etcd from/,
    );
  });
});
