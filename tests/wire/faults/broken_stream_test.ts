import assert from "node:assert/strict";
import type {
  FaultName,
  FaultOptions,
} from "../../../simulator/state/faults.ts";
import { counting, type Counts } from "../../_node_counts.ts";
import { withWire } from "../../_wire.ts";
import { pace } from "../_workers.ts";

/** A command on a worker whose streams break off, or fall silent. */
interface Cut {
  readonly line: string;
  readonly method: string;
  /** Effect on the streams; default they break off. */
  readonly fault?: FaultName;
  /** Affected streams; default all that the fault concerns, after their first message. */
  readonly options?: FaultOptions;
  readonly status: number;
  readonly outcome: string;
  /** Calls of the method, and boots. */
  readonly counts: Counts;
  readonly reported?: RegExp;
}

const reset = "reset --yes --reboot --system-labels-to-wipe EPHEMERAL";

const cuts: readonly Cut[] = [
  {
    line: "reboot",
    method: "Reboot",
    status: 0,
    outcome: "done",
    counts: { calls: 1, boots: 1 },
  },
  {
    line: "reboot --debug",
    method: "Reboot",
    options: { method: "Dmesg", calls: 2 },
    status: 0,
    outcome: "done",
    counts: { calls: 1, boots: 1 },
    reported: /^10\.5\.0\.3: .*task stopAllServices/m,
  },
  {
    line: reset,
    method: "Reset",
    options: { method: "Read" },
    status: 0,
    outcome: "done",
    counts: { calls: 1, boots: 1 },
  },
  {
    // Data that would be lost cannot be read.
    line: reset,
    method: "Reset",
    status: 1,
    outcome: "failed",
    counts: { calls: 0, boots: 0 },
    reported: /the connection was lost/,
  },
  {
    line: reset,
    method: "Reset",
    fault: "stream-silence-after-ack",
    status: 0,
    outcome: "done",
    counts: { calls: 1, boots: 1 },
  },
  {
    line: "shutdown --yes",
    method: "Shutdown",
    fault: "stream-silence-after-ack",
    status: 0,
    outcome: "done",
    counts: { calls: 1, boots: 0 },
  },
  {
    line: "reset --yes --debug",
    method: "Reset",
    fault: "stream-silence-after-ack",
    options: { method: "Dmesg" },
    status: 0,
    outcome: "done",
    counts: { calls: 1, boots: 0 },
  },
  {
    line: "service kubelet restart --debug",
    method: "ServiceRestart",
    status: 0,
    outcome: "done",
    counts: { calls: 1, boots: 0 },
  },
  {
    line: "meta write 10 x",
    method: "MetaWrite",
    status: 0,
    outcome: "done",
    counts: { calls: 1, boots: 0 },
  },
];

for (const cut of cuts) {
  const { line, fault = "stream-drop", options = {}, outcome } = cut;
  const streams = options.method === undefined ? "" : ` of ${options.method}`;
  Deno.test(`${line} is ${outcome} with ${fault}${streams}`, async () => {
    await withWire({ workers: 1, pace }, async (wire) => {
      const { cluster, osctl, names: [, worker = ""] } = wire;
      const counts = await counting(cluster.nodes[1]!, cut.method);
      await cluster.setFault(worker, fault, options);
      const ran = await osctl(`${line} -n ${worker} -o jsonl`);
      const row = JSON.parse(ran.out);
      assert.deepEqual(
        [row.outcome ?? row.error.code, ran.status],
        [outcome, cut.status],
        ran.err,
      );
      assert.deepEqual(counts(), cut.counts, ran.err);
      if (cut.reported) assert.match(ran.err, cut.reported);
    });
  });
}
