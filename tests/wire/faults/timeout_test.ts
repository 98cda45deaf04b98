import assert from "node:assert/strict";
import { withWire } from "../../_wire.ts";
import { pace } from "../_workers.ts";

/** Nodes boot in it, one after the other; on a busy machine that takes long. */
export const longestSeconds = 180;

/** A command that is given two seconds, and a call that takes a minute. */
interface Trial {
  readonly line: string;
  readonly method: string;
  /** Place of the node, control planes first; default the worker. */
  readonly place?: number;
  /** Release of the nodes; default that of the simulator. */
  readonly tag?: string;
  /** True if it can be resumed: operations with a journal. */
  readonly resumes: boolean;
  /** Number of boots of the node; default none. */
  readonly boots?: number;
  /** Outcome of a resume after the node has booted or is off; default `done`. */
  readonly ends?: "in-doubt";
}

const reset = "reset --yes --reboot --system-labels-to-wipe EPHEMERAL";

const trials: readonly Trial[] = [
  { line: "etcd defrag", method: "EtcdDefragment", place: 0, resumes: false },
  {
    line: "etcd alarm disarm",
    method: "EtcdAlarmList",
    place: 0,
    resumes: false,
  },
  { line: "reboot", method: "Reboot", resumes: true, boots: 1 },
  { line: "reboot", method: "Version", resumes: true, boots: 1 },
  { line: reset, method: "Reset", resumes: true, boots: 1 },
  // A node that is off cannot tell who switched it off.
  {
    line: "shutdown --yes",
    method: "Shutdown",
    resumes: true,
    ends: "in-doubt",
  },
  {
    line: "upgrade --to v1.12.2",
    method: "Upgrade",
    tag: "v1.12.1",
    resumes: true,
    boots: 1,
  },
  {
    line: "upgrade --to v1.13.1 --drain=false",
    method: "Reboot",
    tag: "v1.13.0",
    resumes: true,
    boots: 1,
  },
  { line: "service kubelet restart", method: "ServiceRestart", resumes: true },
  { line: "meta write 10 x", method: "MetaWrite", resumes: false },
  {
    line: "image pull registry.example/a:1",
    method: "ImagePull",
    tag: "v1.12.1",
    resumes: false,
  },
];

for (const trial of trials) {
  const { line, method, place = 1, tag, resumes, boots = 0, ends } = trial;
  Deno.test(`${line} is cut by --timeout while ${method} is under way`, async () => {
    const release = tag === undefined ? {} : { release: { tag } };
    await withWire({ workers: 1, pace, ...release }, async (wire) => {
      const { cluster, osctl, names } = wire;
      const node = cluster.nodes[place];
      assert.ok(node);
      const { address } = node.identity;
      const before = node.counts.boots;
      await cluster.setFault(address, "slow", { method, ms: 60_000 });
      const ran = await osctl(
        `${line} --timeout 2s -n ${names[place]} -o jsonl`,
      );
      const row = JSON.parse(ran.out);
      assert.deepEqual(
        [row.error?.code, ran.status],
        ["timed-out", 4],
        ran.err,
      );
      const [, id] = /^Resume with: osctl operation resume (\S+)$/m
        .exec(ran.err) ?? [];
      assert.equal(id !== undefined, resumes, ran.err);
      if (id === undefined) return;
      await cluster.setFault(address, "slow", false);
      if (ends === "in-doubt") await cluster.settled();
      // A minute of this clock, in which a request may still arrive, is 2 s.
      const startedAt = Date.now();
      const now = () => new Date(startedAt + (Date.now() - startedAt) * 30);
      const resumed = await osctl(
        `operation resume ${id} -o jsonl`,
        ends === "in-doubt" ? { now } : {},
      );
      const { outcome, error } = JSON.parse(resumed.out);
      assert.equal(outcome ?? error?.code, ends ?? "done", resumed.err);
      assert.equal(node.counts.boots - before, boots);
    });
  });
}
