import assert from "node:assert/strict";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import {
  etcd36,
  type Etcdctl,
  etcdctlIn,
  realEtcd,
  realNeeds,
} from "../_etcd.ts";
import { withFolder } from "../_folder.ts";
import { type Need, needs } from "../_needs.ts";
import { type Wire, withWire } from "../_wire.ts";
import { toolStatus } from "../workflows/etcd/snapshot/_etcd.ts";

/** Longest time of a test here. */
export const longestSeconds = 180;

/** A wire to a cluster with the real etcd. */
interface Real extends Wire {
  /** Etcd's own command line, on the node with that index. */
  readonly etcdctl: (index: number, ...args: string[]) => ReturnType<Etcdctl>;
  /** Rows of a command line that ends well. */
  // Rows of all commands meet here.
  // deno-lint-ignore no-explicit-any
  readonly rows: (line: string) => Promise<readonly any[]>;
}

function withReal(
  folder: string,
  options: ClusterOptions,
  test: (real: Real) => Promise<void>,
): Promise<void> {
  return withWire({ ...options, etcd: realEtcd }, async (wire) => {
    const { cluster, osctl } = wire;
    const etcdctl = await etcdctlIn(folder, cluster);
    await test({
      ...wire,
      etcdctl: (index, ...args) => etcdctl(cluster.nodes[index]!, ...args),
      async rows(line) {
        const { out, err, status } = await osctl(`${line} -o jsonl`);
        assert.equal(status, 0, `${line}: ${err}`);
        return out.trimEnd().split("\n").filter(Boolean)
          .map((row) => JSON.parse(row));
      },
    });
  });
}

function testReal(
  name: string,
  test: (folder: string) => Promise<void>,
  ...more: readonly Need[]
): void {
  Deno.test({
    name,
    ...needs(...realNeeds, ...more),
    fn: () => withFolder({}, test),
  });
}

testReal(
  "etcd commands show and change the real etcd, as etcdctl sees it",
  (folder) =>
    withReal(folder, { controlplanes: 3 }, async ({ rows, names, etcdctl }) => {
      const [first = "", , third = ""] = names;
      const listed = async () =>
        (await etcdctl(0, "member", "list")).trimEnd().split("\n")
          // It leaves zeros out in front.
          .map((line) => line.split(", ")[0]?.padStart(16, "0")).toSorted();
      const members = await rows(`etcd members -n ${first}`);
      assert.deepEqual(members.map(({ id }) => id).toSorted(), await listed());

      const states = await rows("etcd status");
      const led = states.find(({ member, leader }) => member === leader);
      const [forfeited] = await rows(`etcd forfeit-leadership -n ${led.node}`);
      assert.match(forfeited.reason, /^member [0-9a-f]{16} is the leader$/);
      const [{ leader }] = await rows(`etcd status -n ${first}`);
      assert.notEqual(leader, led.member);
      assert.match(forfeited.reason, new RegExp(leader));

      for (let at = 0; at < 20; at++) {
        await etcdctl(0, "put", "/large", "x".repeat(100_000));
      }
      const [{ revision }] = JSON.parse(
        await etcdctl(0, "endpoint", "status", "-w", "json"),
      ).map((one: { Status: { header: unknown } }) => one.Status.header);
      await etcdctl(0, "compact", "--physical", String(revision));
      const databaseSize = async () =>
        (await rows(`etcd status -n ${first}`))[0].dbSize;
      const before = await databaseSize();
      await rows(`etcd defrag -n ${first}`);
      assert.ok(await databaseSize() < before);

      const [left] = await rows(`etcd leave --yes -n ${third}`);
      assert.match(left.reason, /is removed, 2 remaining$/);
      const stays = await rows(`etcd members -n ${first}`);
      assert.deepEqual(stays.map(({ id }) => id).toSorted(), await listed());
      const other = stays.find(({ hostname }) => hostname.endsWith("-2"));
      const [gone] = await rows(
        `etcd remove-member ${other.id} --yes -n ${first} --allow etcd-quorum`,
      );
      assert.equal(gone.reason, `member ${other.id} is removed, 1 remaining`);
      assert.equal((await listed()).length, 1);
    }),
);

testReal(
  "the alarm of a full etcd is raised, listed and disarmed for real",
  (folder) =>
    withReal(folder, {}, async ({ rows, names, etcdctl, cluster }) => {
      const [node = ""] = names;
      assert.equal(await etcdctl(0, "put", "/a", "1"), "OK\n");
      await cluster.setFault(node, "etcd-nospace");
      await assert.rejects(
        etcdctl(0, "put", "/a", "2"),
        /database space exceeded/,
      );
      const [alarm] = await rows(`etcd alarm list -n ${node}`);
      assert.deepEqual([alarm.node, alarm.alarm], [node, "NOSPACE"]);
      assert.match(
        await etcdctl(0, "alarm", "list"),
        new RegExp(`memberID:${BigInt(`0x${alarm.member}`)} alarm:NOSPACE`),
      );
      const [disarmed] = await rows(`etcd alarm disarm -n ${node}`);
      assert.equal(disarmed.reason, "no alarms");
      assert.equal(await etcdctl(0, "alarm", "list"), "");
      assert.equal(await etcdctl(0, "put", "/a", "2"), "OK\n");
    }),
);

testReal(
  "a snapshot has the figures of etcd's own tool, and a cluster recovered from it its keys",
  async (folder) => {
    const file = `${folder}/db.snapshot`;
    let keys = "";
    await withReal(folder, { controlplanes: 3 }, async ({ rows, etcdctl }) => {
      for (const fruit of ["apple", "pear", "plum"]) {
        await etcdctl(0, "put", `/fruit/${fruit}`, `a ${fruit}`);
      }
      await etcdctl(0, "del", "/fruit/pear");
      keys = await etcdctl(0, "get", "--prefix", "/");
      const [taken] = await rows(`etcd snapshot ${file}`);
      const tool = await toolStatus(file);
      assert.deepEqual(
        {
          hash: parseInt(taken.hash, 16),
          revision: taken.revision,
          totalKey: tool.version === undefined
            ? taken.totalEntries
            : taken.totalKeys,
          totalSize: taken.totalSize,
        },
        {
          hash: tool.hash,
          revision: tool.revision,
          totalKey: tool.totalKey,
          totalSize: tool.totalSize,
        },
      );
      // The node that was chosen follows.
      const [state] = await rows(`etcd status -n ${taken.node}`);
      assert.notEqual(state.member, state.leader);
      const [checked] = await rows(`etcd snapshot verify ${file}`);
      assert.deepEqual([checked.hash, checked.trailer], [taken.hash, "valid"]);
    });
    const options = { controlplanes: 3, bootstrapped: false };
    await withReal(
      folder,
      options,
      async ({ rows, names, etcdctl, cluster }) => {
        const [done] = await rows(
          `bootstrap -n ${names[0]} --recover-from ${file}`,
        );
        assert.equal(done.outcome, "done");
        await cluster.settled();
        assert.match(keys, /a plum/);
        for (const index of names.keys()) {
          assert.equal(await etcdctl(index, "get", "--prefix", "/"), keys);
        }
      },
    );
  },
);

testReal(
  "a downgrade of etcd 3.6 is checked, allowed and taken back",
  (folder) =>
    withReal(folder, { controlplanes: 3 }, async ({ rows, names, osctl }) => {
      const [first = ""] = names;
      const [checked] = await rows(`etcd downgrade validate 3.5 -n ${first}`);
      assert.equal(checked.clusterVersion, "3.6");
      const [allowed] = await rows(`etcd downgrade enable 3.5 -n ${first}`);
      assert.equal(allowed.outcome, "done");
      const twice = await osctl(`etcd downgrade enable 3.5 -n ${first}`);
      assert.match(twice.err, /cluster has a downgrade job in progress/);
      const [back] = await rows(`etcd downgrade cancel -n ${first}`);
      assert.equal(back.outcome, "done");
      await rows(`etcd downgrade enable 3.5 -n ${first}`);
    }),
  // Older ones have no such call.
  etcd36,
);
