import assert from "node:assert/strict";
import type { ClusterOptions } from "../../../simulator/cluster/cluster.ts";
import { startService } from "../../../simulator/node/system_services.ts";
import { counting } from "../../_node_counts.ts";
import { type Wire, withWire } from "../../_wire.ts";
import {
  includes,
  type VersionRange,
} from "../../../simulator/release/version_facts.ts";
import { pace } from "../_workers.ts";
import { minor, nextTag, quote, tag } from "../../_version.ts";

/** A command whose reply, or whose request, is lost. */
interface Loss {
  readonly line: string;
  readonly method: string;
  /** Minor versions of nodes with a single reply for it; default all. */
  readonly versions?: VersionRange;
  /** The cluster; default one control plane and one worker. */
  readonly cluster?: ClusterOptions;
  /** The node; default the worker. */
  readonly node?: "worker" | "leader";
  /** Line that makes the node ready for it. */
  readonly before?: string;
  readonly reason: RegExp;
  /** Outcome of a lost request; default `in-doubt` with status 5: it may still arrive. */
  readonly unsure?: {
    /** Time after which the outcome is checked. */
    readonly timeout?: string;
    readonly code: string;
    readonly status: number;
  };
}

const late = { timeout: "2s", code: "timed-out", status: 4 };

const losses: readonly Loss[] = [
  {
    line: "shutdown --yes",
    method: "Shutdown",
    reason: /^the node no longer answers$/,
    unsure: late,
  },
  {
    line: "rollback",
    method: "Rollback",
    before: `upgrade --to ${nextTag}`,
    reason: new RegExp(`^ready, ${quote(tag)}, was ${quote(nextTag)}$`),
    unsure: late,
  },
  {
    line: "restart apid",
    method: "Restart",
    reason: /^process \d+ replaced \d+$/,
  },
  {
    line: "service kubelet restart",
    method: "ServiceRestart",
    reason: /^Running: /,
  },
  {
    line: "service ext-hello stop",
    method: "ServiceStop",
    reason: /^Finished: /,
  },
  {
    line: "service ext-hello start",
    method: "ServiceStart",
    before: "service ext-hello stop",
    reason: /^Running: /,
  },
  {
    line: "meta write 11 x",
    method: "MetaWrite",
    reason: /^META key 0x0b is written$/,
  },
  {
    line: "meta delete 11",
    method: "MetaDelete",
    before: "meta write 11 x",
    reason: /^META key 0x0b is deleted$/,
  },
  {
    line: "wipe disk vdb --yes",
    method: "BlockDeviceWipe",
    versions: [9],
    cluster: { workers: 1, userDisks: 1 },
    reason: /^wiped vdb$/,
    unsure: late,
  },
  {
    line: "image pull registry.k8s.io/pause:3.9",
    method: "ImagePull",
    // Later nodes report its progress.
    versions: [8, 12],
    reason: /^sha256:[0-9a-f]{64}$/,
  },
  {
    line: "etcd forfeit-leadership",
    method: "EtcdForfeitLeadership",
    cluster: { controlplanes: 3 },
    node: "leader",
    reason: /^member [0-9a-f]{16} is the leader$/,
  },
];

/** Address of the node whose member of etcd leads. */
async function findLeader({ osctl }: Wire): Promise<string> {
  const { out } = await osctl("etcd status -o jsonl");
  const rows = out.trimEnd().split("\n").map((row) => JSON.parse(row));
  return rows.find(({ member, leader }) => member === leader).node;
}

/** Runs the command with a fault, and counts its calls. */
async function lose(
  wire: Wire,
  { line, method, node: who, before }: Loss,
  fault: "reply-lost" | "request-lost",
) {
  const { cluster, osctl, names } = wire;
  const name = who === "leader" ? await findLeader(wire) : names[1] ?? "";
  const node = cluster.nodes[names.indexOf(name)] ?? assert.fail(name);
  startService(node, "ext-hello");
  if (before !== undefined) {
    const ready = await osctl(`${before} -n ${name}`);
    assert.equal(ready.status, 0, ready.err);
  }
  const count = await counting(node, method);
  await cluster.setFault(name, fault, { method });
  const { out, err, status } = await osctl(`${line} -n ${name} -o jsonl`);
  return { row: JSON.parse(out), err, status, counts: count() };
}

for (const loss of losses) {
  if (!includes(loss.versions, minor)) continue;
  const { line, cluster = { workers: 1 } } = loss;
  Deno.test(`${line} whose reply is lost is seen to be done, and sent once`, async () => {
    await withWire({ ...cluster, pace }, async (wire) => {
      const { row, err, status, counts } = await lose(
        wire,
        loss,
        "reply-lost",
      );
      assert.deepEqual([row.outcome, status], ["done", 0], err);
      assert.match(row.reason ?? row.response, loss.reason);
      assert.match(err, /the reply was lost: /);
      assert.equal(counts.calls, 1);
    });
  });

  Deno.test(`${line} whose request is lost is seen not to be done, and not sent again`, async () => {
    await withWire({ ...cluster, pace }, async (wire) => {
      const { timeout, code = "in-doubt", status: expected = 5 } =
        loss.unsure ?? {};
      const limit = timeout === undefined ? "" : ` --timeout ${timeout}`;
      const { row, err, status, counts } = await lose(
        wire,
        { ...loss, line: `${line}${limit}` },
        "request-lost",
      );
      assert.deepEqual([row.error?.code, status], [code, expected], err);
      assert.deepEqual(counts, { calls: 1, boots: 0 });
    });
  });
}
