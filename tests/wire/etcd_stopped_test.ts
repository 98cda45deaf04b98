import assert from "node:assert/strict";
import { withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

Deno.test("etcd: operations that need the quorum of a stopped etcd are refused with the cause", async () => {
  await withWire({ pace }, async ({ cluster, osctl, names: [node = ""] }) => {
    await cluster.setFault(node, "etcd-stopped");
    const { err, status } = await osctl(
      `etcd remove-member 1234 --yes -n ${node}`,
    );
    assert.match(
      err,
      /etcd is not running on 10\.5\.0\.2: start it with "osctl service etcd start -n 10\.5\.0\.2", or, in a new cluster, run osctl bootstrap/,
    );
    assert.notEqual(status, 0);
  });
});

/** Cause and remedy of a call of etcd, or of a rule that needs its state. */
const cause =
  /etcd is not running on 10\.5\.0\.2: start it with "osctl service etcd start -n 10\.5\.0\.2", or, in a new cluster, run osctl bootstrap|etcd is not running on the node \(state \w+\)[^]*hint: Start it with: osctl service etcd start --nodes 10\.5\.0\.2; in a new cluster run: osctl bootstrap --nodes 10\.5\.0\.2/;

const lines: readonly (readonly [line: string, status: number])[] = [
  ["etcd status", 1],
  ["etcd members", 1],
  ["etcd alarm list", 1],
  ["etcd alarm disarm", 1],
  ["etcd defrag", 1],
  ["etcd forfeit-leadership", 1],
  ["etcd leave --yes", 1],
  ["etcd downgrade validate 3.5", 1],
  ["etcd downgrade cancel", 1],
  ["etcd snapshot FOLDER/db", 1],
  ["reboot", 5],
  ["shutdown --yes", 5],
  ["reset --yes", 5],
];

Deno.test("every command of a stopped etcd ends soon, with the cause and what to do", async () => {
  await withWire({ pace }, async ({ cluster, osctl, names: [node = ""] }) => {
    await cluster.setFault(node, "etcd-stopped");
    const folder = await Deno.makeTempDir();
    try {
      const ran = await Promise.all(lines.map(async ([line, status]) => {
        const startedAt = Date.now();
        const path = line.replace("FOLDER", folder);
        const { err, ...ended } = await osctl(`${path} -n ${node}`);
        const ms = Date.now() - startedAt;
        return { line, err, ms, status, ended: ended.status };
      }));
      for (const { line, err, ms, status, ended } of ran) {
        assert.match(err, cause, line);
        assert.equal(ended, status, `${line}: ${err}`);
        assert.ok(ms < 15_000, `${line} took ${ms} ms`);
      }
      assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
});
