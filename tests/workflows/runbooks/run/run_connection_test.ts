import assert from "node:assert/strict";
import {
  initialGlobals,
  withRunHome,
} from "../../../commands/runbook/_home.ts";
import { runSession } from "../../../../commands/_runbook/session.ts";
import { realEnvironment } from "../../../../terminal/environment.ts";
import {
  callSignal,
  connectRun,
} from "../../../../workflows/runbooks/run/run_connection.ts";
import { LockedError } from "../../../../errors.ts";

function openSession(osconfig: string) {
  return runSession({
    commands: [],
    globals: { ...initialGlobals, osconfig },
    environment: realEnvironment(),
    note() {},
    signal: new AbortController().signal,
    reopen: () => assert.fail(),
  });
}

Deno.test("callSignal ends calls by an interrupt only where signals can be taken over later", () => {
  const ended = new AbortController();
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const before = callSignal({ signal }, ended.signal);
  const claimed = callSignal({ signal, claimSignals() {} }, ended.signal);
  interrupt.abort();
  assert.deepEqual([before.aborted, claimed.aborted], [false, true]);
  ended.abort();
  assert.ok(before.aborted);
});

Deno.test("connectRun that may only read refuses every change before it is sent, over every way", async () => {
  await withRunHome(async ({ osconfig, names: [first = ""], cluster }) => {
    const ended = new AbortController();
    const { signal } = ended;
    using connection = connectRun({
      to: await openSession(osconfig).connect(undefined, signal),
      vault: { read: () => Promise.reject(new Error("There are no secrets")) },
      clock: { now: Date.now, sleep: () => Promise.resolve() },
      signal,
      readOnly: true,
    });
    const refused = (act: string) => ({
      message: `A plan only reads, and cannot ${act}`,
    });
    const boots = cluster.nodes.map(({ counts }) => counts.boots);
    for (
      const client of [
        await connection.cluster.at(first),
        await connection.cluster.any(),
        await connection.ring.at("context", first),
      ]
    ) {
      await assert.rejects(
        client.machine.reboot({}),
        refused("call Reboot of a node"),
      );
      const { messages } = await client.machine.version({});
      assert.equal(messages.length, 1);
    }
    await assert.rejects(
      connection.view.unconfigured(first),
      refused(`connect to ${first} directly`),
    );
    const kubernetes = await connection.view.kubernetes();
    await assert.rejects(
      kubernetes.request("/api/v1/nodes/a", { method: "DELETE", signal }),
      refused("send DELETE /api/v1/nodes/a to Kubernetes"),
    );
    assert.ok(await kubernetes.request("/api/v1/nodes", { signal }));
    assert.deepEqual(cluster.nodes.map(({ counts }) => counts.boots), boots);
    ended.abort();
  });
});

Deno.test("connectRun sends no change, over any way, that its fence does not let pass", async () => {
  await withRunHome(async ({ osconfig, names: [first = ""], cluster }) => {
    const ended = new AbortController();
    const { signal } = ended;
    using connection = connectRun({
      to: await openSession(osconfig).connect(undefined, signal),
      vault: { read: () => Promise.reject(new Error("There are no secrets")) },
      clock: { now: Date.now, sleep: () => Promise.resolve() },
      signal,
    });
    const lost = new LockedError("The lock is lost");
    connection.fence.close(() => Promise.reject(lost));
    const heard: string[] = [];
    const facts = cluster.nodes[0]!.cluster; // there is a control plane
    facts.onCall = ({ method }) => void heard.push(method);
    for (
      const client of [
        await connection.cluster.at(first),
        await connection.cluster.any(),
        await connection.ring.at("context", first),
      ]
    ) {
      await assert.rejects(client.machine.reboot({}), lost);
      await client.machine.version({});
    }
    const kubernetes = await connection.view.kubernetes();
    await assert.rejects(
      kubernetes.request("/api/v1/nodes/a", { method: "DELETE", signal }),
      lost,
    );
    assert.ok(await kubernetes.request("/api/v1/nodes", { signal }));
    assert.equal(heard.includes("Reboot"), false);
    assert.ok(heard.includes("Version"));
    ended.abort();
  });
});
