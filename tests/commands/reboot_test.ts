import { withHome } from "./_home.ts";
import assert from "node:assert/strict";
import { withWire } from "../_wire.ts";
import { listJournals } from "../../workflows/operations/journal_file.ts";
import { runOn } from "../_run.ts";
import { machine, members } from "./_machine.ts";

Deno.test("reboot ends when each node runs another boot, and writes down what it did", async () => {
  await withHome(async (env) => {
    const [a, b] = [machine(), machine()];
    const { out, err, status } = await runOn("reboot --mode powercycle", {
      a: a.node,
      b: b.node,
      "": members({ a: "worker", b: "worker" }),
    }, { env });
    assert.equal(
      out,
      `NODE   OUTCOME   REASON
a      done      ready, v1.12.1
b      done      ready, v1.12.1
`,
    );
    assert.deepEqual(err.trimEnd().split("\n").toSorted(), [
      "03:04:05 a: the node is rebooting (actor actor)",
      "03:04:05 b: the node is rebooting (actor actor)",
      "03:04:05 b: waiting for its turn",
    ]);
    assert.equal(status, 0);
    assert.deepEqual(a.asked.reboot, [{ mode: 1 }]);
    const [journal] = await listJournals(`${env.OS_HOME}/operations`);
    assert.equal(journal?.history.ended, true);
    assert.deepEqual(journal?.history.nodes.get("b"), {
      key: { bootId: "boot-1" },
      acknowledged: true,
      sentAt: Date.UTC(2026, 0, 2, 3, 4, 5),
      outcome: "done",
      reason: "ready, v1.12.1",
    });
  });
});

Deno.test("reboot refuses a control plane that etcd cannot spare, and sends nothing", async () => {
  await withHome(async (env) => {
    const { reboot: _, ...node } = machine({
      etcdMemberList: () => ({
        messages: [{ members: [{ id: 1n, hostname: "a" }] }],
      }),
      etcdStatus: () => ({
        messages: [{ memberStatus: { memberId: 1n, leader: 1n } }],
      }),
      etcdAlarmList: () => ({ messages: [{}] }),
    }).node;
    const { err, status } = await runOn("reboot", {
      a: node,
      "": members({ a: "controlplane" }),
    }, { env });
    assert.match(
      err,
      /error: a: refused: etcd has only one member: while it is down, so is the Kubernetes API \(S3; --allow single-member-downtime\)\n/,
    );
    assert.equal(status, 5);
  });
});

Deno.test("reboot leaves the only endpoint for last", async () => {
  await withHome(async (env) => {
    const order: string[] = [];
    const rebooting = (name: string) => {
      const { node } = machine();
      return {
        ...node,
        reboot(request: unknown) {
          order.push(name);
          return node.reboot?.(request);
        },
      };
    };
    const { err, status } = await runOn("reboot --endpoints a:50000", {
      a: rebooting("a"),
      b: rebooting("b"),
      "": members({ a: "worker", b: "worker" }),
    }, { env });
    assert.deepEqual(order, ["b", "a"]);
    assert.match(
      err,
      /^03:04:05 a: waiting: the other nodes are reached through this one$/m,
    );
    assert.equal(status, 0);
  });
});

Deno.test("without discovery a worker is rebooted without asking etcd, and a control plane by its quorum", async () => {
  await withWire({ controlplanes: 2, workers: 1 }, async (wire) => {
    const { osctl, cluster, names } = wire;
    for (const name of names) await cluster.setFault(name, "discovery-down");
    const [first = "", , worker = ""] = names;
    const fine = await osctl(`reboot -n ${worker} -o jsonl`);
    assert.equal(fine.status, 0, fine.err);
    assert.equal(JSON.parse(fine.out).outcome, "done");
    const refused = await osctl(`reboot -n ${first} -o jsonl`);
    assert.match(refused.out, /etcd has two members/);
    assert.equal(refused.status, 5);
  });
});
