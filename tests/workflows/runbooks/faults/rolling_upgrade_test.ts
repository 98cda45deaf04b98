/** The table of faults of the rolling upgrade, each by name. */

import assert from "node:assert/strict";
import type { Told } from "../_bench.ts";
import { changeConfiguration } from "./_configuration.ts";
import {
  enter,
  listTargets,
  listWaits,
  openUpgrade,
  readState,
  readStates,
  upgrade,
  wanted,
} from "./_upgrade.ts";

const worker = "demo-worker-1";
const plane = (number: number) => `demo-controlplane-${number}`;
const untouched = "v1.13.4 0 installs 0 boots";
const upgraded = `${wanted} 1 installs 1 boots`;
const minuteMs = 60_000;

function isAt({ type, path }: Told, wantedType: string, end: string): boolean {
  return type === wantedType && path.endsWith(end);
}

Deno.test("wrong tag or schematic missing: fails before anything is closed", async () => {
  await using bench = await openUpgrade();
  await bench.inject({ what: "image-missing" });
  const ran = await upgrade(bench);
  assert.match(ran.verdict, /^failed 1$/);
  assert.match(ran.end?.failure?.step ?? "", /^prepull\/pull$/);
  assert.deepEqual(readStates(bench), Array(5).fill(untouched));
});

Deno.test("registry down for 3 m: tried again, and passes", async () => {
  await using bench = await openUpgrade();
  const lift = await bench.inject({ what: "registry-down" });
  const ran = await upgrade(bench, {}, {
    async on(event, { wait }) {
      if (!isAt(event, "step.start", "prepull")) return;
      await wait(3 * minuteMs);
      await lift();
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.ok(ran.events.some(({ type }) => type === "step.retry"));
  assert.deepEqual(readStates(bench), Array(5).fill(upgraded));
});

Deno.test("a disruption budget never lets go: drain-blocked, the node is uncordoned, nothing is armed", async () => {
  await using bench = await openUpgrade();
  await bench.inject({ what: "pdb-blocks" });
  const ran = await upgrade(bench, { drainTimeout: "1m" });
  assert.equal(ran.verdict, "failed 4");
  assert.equal(ran.end?.failure?.code, "drain-blocked");
  assert.deepEqual(listTargets(ran, "canary"), [`${worker} failed`]);
  assert.deepEqual(readStates(bench), Array(5).fill(untouched));
});

Deno.test("stream drops during install, installer continues: one install", async () => {
  await using bench = await openUpgrade();
  await bench.inject({
    what: "reply-lost",
    method: "Upgrade",
    node: worker,
    times: 1,
  });
  const ran = await upgrade(bench);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(readStates(bench), Array(5).fill(upgraded));
});

Deno.test("killed between install and restart: restarts, does not install again", async () => {
  await using bench = await openUpgrade();
  const first = await upgrade(bench, {}, {
    on: (event, { kill }) => {
      if (isAt(event, "step.done", "body/install")) kill();
    },
  });
  assert.equal(first.verdict, "killed");
  assert.equal(readState(bench, worker), "v1.13.4 1 installs 0 boots cordoned");
  await bench.pass(10 * minuteMs);
  const second = await bench.resume({ answers: true });
  assert.equal(second.verdict, "succeeded 0");
  assert.deepEqual(readStates(bench), Array(5).fill(upgraded));
});

for (const record of ["intent", "ack"] as const) {
  Deno.test(`killed at the ${record} of an install whose traces cannot be read: restarted first, and installed again if still old (S7)`, async () => {
    await using bench = await openUpgrade({
      different: { [worker]: { bootLoader: "grub" } },
    });
    const first = await upgrade(bench, {}, {
      onRecord: ({ type, path = "", node }, { kill }) => {
        if (type === record && path.endsWith("install") && node === worker) {
          kill();
        }
      },
    });
    assert.equal(first.verdict, "killed");
    await bench.inject({
      what: "call-fails",
      code: "PERMISSION_DENIED",
      method: "Logs",
      node: worker,
    });
    await bench.pass(10 * minuteMs);
    const second = await bench.resume({ answers: true });
    if (record === "ack") {
      assert.equal(second.verdict, "succeeded 0");
      assert.equal(readState(bench, worker), upgraded);
      return;
    }
    assert.equal(second.verdict, "failed 1");
    assert.match(readState(bench, worker), /^v1\.13\.4 0 installs 1 boots/);
    const third = await bench.resume({ answers: true });
    assert.equal(third.verdict, "succeeded 0");
    assert.equal(readState(bench, worker), `${wanted} 1 installs 2 boots`);
  });
}

Deno.test("a worker never returns, none may fail: ends, with a bundle, and the rest is not reached", async () => {
  await using bench = await openUpgrade({ workers: 3 });
  await bench.inject({ what: "never-returns", node: "demo-worker-2" });
  const ran = await upgrade(bench, { rebootTimeout: "3m" });
  assert.equal(ran.verdict, "failed 4");
  assert.equal(ran.end?.failure?.code, "never-returned");
  assert.deepEqual(listTargets(ran, "workers"), [
    "demo-worker-2 failed",
    "demo-worker-3 not-reached",
  ]);
  assert.ok(
    ran.events.some((event) => isAt(event, "step.start", "body/evidence")),
  );
});

Deno.test("a worker never returns, one may fail: the rest is done", async () => {
  await using bench = await openUpgrade({ workers: 3 });
  await bench.inject({ what: "never-returns", node: "demo-worker-2" });
  const ran = await upgrade(bench, { rebootTimeout: "3m", workerFailures: 1 });
  assert.deepEqual(listTargets(ran, "workers"), [
    "demo-worker-2 failed",
    "demo-worker-3 done",
  ]);
  assert.equal(ran.verdict, "partial 3");
});

Deno.test("a control plane never returns: stops, the next one is refused, and it is finished after the repair", async () => {
  await using bench = await openUpgrade();
  let gone = "";
  let lift = () => Promise.resolve();
  const first = await upgrade(bench, { rebootTimeout: "3m" }, {
    async on({ type, path, node }, { inject }) {
      if (type !== "node.entered" || path !== "controlplane" || gone) return;
      gone = node;
      lift = await inject({ what: "never-returns", node });
    },
  });
  assert.equal(first.verdict, "failed 4");
  assert.equal(first.end?.failure?.code, "never-returned");
  const second = await bench.resume({
    answers: true,
    decisions: [{
      type: "drop",
      node: gone,
      data: { reason: "it was removed", by: "tester" },
    }],
  });
  assert.equal(second.verdict, "blocked 5");
  assert.equal(second.end?.failure?.code, "quorum-risk");
  await lift();
  await bench.pass(5 * minuteMs);
  const third = await bench.resume({ answers: true });
  assert.equal(third.verdict, "partial 3");
  assert.deepEqual(
    readStates(bench).map((state) => state.replace(" cordoned", "")),
    Array(5).fill(upgraded),
  );
});

Deno.test("a node returns on the old version: rolled back, no second try (S10)", async () => {
  await using bench = await openUpgrade();
  await bench.inject({ what: "rolled-back", node: worker });
  const ran = await upgrade(bench);
  assert.equal(ran.verdict, "failed 1");
  assert.equal(ran.end?.failure?.code, "rolled-back");
  assert.match(readState(bench, worker), /^v1\.13\.4 1 installs/);
  assert.deepEqual(listTargets(ran, "canary"), [`${worker} failed`]);
});

Deno.test("a node is healthy and its kubelet is not: gate-timeout, goes back, and is recovered", async () => {
  await using bench = await openUpgrade();
  let lift = () => Promise.resolve();
  const ran = await upgrade(bench, {}, {
    async on(event, { inject }) {
      if (isAt(event, "step.start", "canary/node/body/back")) {
        lift = await inject({ what: "kubelet-silent", node: worker });
      }
      if (isAt(event, "step.start", "canary/node/body/revert")) await lift();
    },
  });
  assert.equal(ran.verdict, "failed 4");
  assert.equal(ran.end?.failure?.code, "gate-timeout");
  assert.deepEqual(listTargets(ran, "canary"), [`${worker} recovered`]);
  assert.equal(readState(bench, worker), "v1.13.4 1 installs 2 boots");
  // A resumed run starts its block again.
  const again = await bench.resume({ answers: true });
  assert.equal(again.verdict, "succeeded 0");
  assert.equal(readState(bench, worker), `${wanted} 2 installs 3 boots`);
});

Deno.test("the third member of etcd is unhealthy before: waits with the reason, and ends", async () => {
  await using bench = await openUpgrade();
  await bench.inject({ what: "etcd-stopped", node: plane(3) });
  const ran = await upgrade(bench);
  assert.equal(ran.verdict, "failed 4");
  assert.equal(ran.end?.failure?.step, "preflight");
  assert.match(listWaits(ran).join("\n"), /etcd to be healthy: /);
  assert.deepEqual(readStates(bench), Array(5).fill(untouched));
});

Deno.test("the third member of etcd gets unhealthy: waits with the reason, then quorum-risk", async () => {
  await using bench = await openUpgrade();
  const ran = await upgrade(bench, {}, {
    async on({ type, path }, { inject }) {
      if (type !== "step.done" || path !== "canary") return;
      await inject({ what: "etcd-stopped", node: plane(3) });
    },
  });
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.code, "quorum-risk");
  assert.match(listWaits(ran).join("\n"), /demo-controlplane-3/);
  assert.deepEqual(readStates(bench).slice(0, 3), Array(3).fill(untouched));
});

Deno.test("the leader moves twice: every follower first, one hand-over", async () => {
  await using bench = await openUpgrade();
  const ran = await upgrade(bench, {}, {
    async on({ type, path, node }, { inject }) {
      if (type !== "node.ended" || path !== "controlplane") return;
      // The node upgraded last is the leader.
      await inject({ what: "etcd-leads", node });
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  const order = enter(ran, "controlplane");
  assert.equal(new Set(order).size, 3);
  const handed = ran.events.filter((event) =>
    isAt(event, "step.start", "body/handover")
  );
  assert.ok(handed.length <= 1);
});

Deno.test("one or two control planes: refused, and one passes with the rule overridden and a snapshot", async () => {
  for (const controlPlanes of [1, 2]) {
    await using bench = await openUpgrade({ controlPlanes, workers: 1 });
    const ran = await upgrade(bench);
    assert.equal(ran.verdict, "blocked 5");
    assert.equal(ran.end?.failure?.code, "refused");
    assert.equal(ran.end?.failure?.step, "spare");
    assert.deepEqual(
      readStates(bench),
      Array(controlPlanes + 1).fill(untouched),
    );
  }
  await using bench = await openUpgrade({ controlPlanes: 1, workers: 1 });
  const ran = await upgrade(bench, { singleControlPlane: true });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(readStates(bench), Array(2).fill(upgraded));
});

Deno.test("Kubernetes down for 5 m: waits, nothing new is disturbed, and continues", async () => {
  await using bench = await openUpgrade();
  let [from, to] = [Infinity, Infinity];
  const ran = await upgrade(bench, {}, {
    hold: "lease",
    async on({ type, path, at }, { inject, wait }) {
      if (type !== "step.done" || path !== "canary") return;
      const lift = await inject({ what: "kubernetes-unavailable" });
      from = at + 1_000;
      await wait(5 * minuteMs);
      to = at + 5 * minuteMs;
      await lift();
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  const between = bench.cluster.observe().calls.filter(({ at, method }) =>
    method === "Reboot" && at > from && at < to
  );
  assert.deepEqual(between, []);
  assert.deepEqual(readStates(bench), Array(5).fill(upgraded));
});

Deno.test("a second run started elsewhere is refused, naming who has locked the cluster", async () => {
  await using bench = await openUpgrade();
  const first = await upgrade(bench, {}, {
    hold: "lease",
    on: (event, { kill }) => {
      if (isAt(event, "step.done", "body/install")) kill();
    },
  });
  assert.equal(first.verdict, "killed");
  await assert.rejects(
    upgrade(bench, {}, { hold: "lease", id: "run-2" }),
    { name: "LockedError", status: 8, message: /run-1/ },
  );
});

Deno.test("a node joins: it is not upgraded, and listed", async () => {
  await using bench = await openUpgrade();
  const ran = await upgrade(bench, {}, {
    async on({ type, path }, { inject }) {
      if (type !== "step.done" || path !== "canary") return;
      await inject({ what: "joins", role: "worker" });
    },
  });
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(ran.end?.joined, ["demo-worker-3"]);
  assert.equal(readState(bench, "demo-worker-3"), untouched);
});

Deno.test("nodes of an older version mixed in: those are upgraded by the older call", async () => {
  await using bench = await openUpgrade({
    different: { "demo-worker-2": { version: "v1.12.6" } },
  });
  const ran = await upgrade(bench);
  assert.equal(ran.verdict, "succeeded 0");
  assert.deepEqual(readStates(bench), Array(5).fill(upgraded));
  const legacy = ran.events.flatMap((event) =>
    isAt(event, "step.start", "body/legacy") ? [event.node] : []
  );
  assert.deepEqual(legacy, ["demo-worker-2"]);
});

Deno.test("a node with GRUB and kernel arguments of its own: refused before anything, and named", async () => {
  await using bench = await openUpgrade({
    different: { "demo-worker-2": { bootLoader: "grub" } },
  });
  await changeConfiguration(bench, "demo-worker-2", (machine) => {
    machine.install = { disk: "/dev/sda", extraKernelArgs: ["console=ttyS1"] };
  });
  const ran = await upgrade(bench);
  assert.equal(ran.verdict, "blocked 5");
  assert.equal(ran.end?.failure?.step, "preflight");
  assert.match(
    ran.end?.failure?.message ?? "",
    /upgrade\.kernelArgsKept: demo-worker-2: .*console=ttyS1/,
  );
  assert.deepEqual(readStates(bench), Array(5).fill(untouched));
});
