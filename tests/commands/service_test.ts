import { withHome } from "./_home.ts";
import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { listJournals } from "../../workflows/operations/journal_file.ts";
import type { FakeNode } from "../_fake.ts";
import { runOn } from "../_run.ts";

import { members } from "./_machine.ts";

const now = 1_767_323_045n; // 2026-01-02T03:04:05Z, the present of every test

/** A node whose service etcd stops, and starts anew, when it is asked to. */
function changing(first: "Running" | "Finished", handlers: FakeNode = {}) {
  const asked: string[] = [];
  let seconds = now;
  const events: unknown[] = [];
  const come = (state: string) =>
    events.push({ state, msg: `now ${state}`, ts: { seconds: seconds++ } });
  come(first);
  let state: string = first;
  const change =
    (method: string, states: readonly string[]) => ({ id }: { id: string }) => {
      asked.push(`${method} ${id}`);
      states.forEach(come);
      state = states.at(-1) ?? state;
      return { messages: [{ resp: `${method} of ${id}` }] };
    };
  const all: FakeNode = {
    serviceStart: change("start", ["Preparing", "Running"]),
    serviceStop: change("stop", ["Stopping", "Finished"]),
    serviceRestart: change("restart", [
      "Stopping",
      "Finished",
      "Preparing",
      "Running",
    ]),
    ...handlers,
  };
  return {
    asked,
    only: (...methods: readonly string[]): FakeNode => ({
      serviceList: () => ({
        messages: [{ services: [{ id: "etcd", state, events: { events } }] }],
      }),
      ...Object.fromEntries(
        Object.entries(all).filter(([method]) => methods.includes(method)),
      ),
    }),
  };
}

const workers = members({ a: "worker", b: "worker", c: "worker" });

Deno.test("service starts, stops and restarts with the call of the same name, and shows the state it sees", async () => {
  const cases = [
    ["start", "Finished", "serviceStart", "Running: now Running"],
    ["stop", "Running", "serviceStop", "Finished: now Finished"],
    ["restart", "Running", "serviceRestart", "Running: now Running"],
  ] as const;
  for (const [action, before, method, response] of cases) {
    const node = changing(before);
    await withHome(async (env) => {
      const { out, err } = await runOn(`service etcd ${action}`, {
        a: node.only(method),
        ...(action === "start" ? {} : { "": workers }),
      }, { env });
      assert.equal(out, `NODE   RESPONSE\na      ${response}\n`);
      assert.equal(err, `03:04:05 a: ${action} of etcd\n`);
    });
    assert.deepEqual(node.asked, [`${action} etcd`]);
  }
});

Deno.test("service writes down what stops a service, and nothing else", async () => {
  await withHome(async (env) => {
    await runOn("service kubelet restart --wait=false", {
      a: changing("Running").only("serviceRestart"),
    }, { env });
    await runOn("service etcd start", {
      a: changing("Finished").only("serviceStart"),
    }, { env });
    const journals = await listJournals(`${env.OS_HOME}/operations`);
    assert.deepEqual(
      journals.map(({ history }) => [history.begin.operation, history.ended]),
      [["service restart", true]],
    );
  });
});

Deno.test("service does not stop an etcd that cannot be spared", async () => {
  await withHome(async (env) => {
    const { err, status } = await runOn("service etcd stop", {
      a: {
        ...changing("Running").only(),
        etcdMemberList: () => ({
          messages: [{ members: [{ id: 1n, hostname: "a" }] }],
        }),
        etcdStatus: () => ({
          messages: [{ memberStatus: { memberId: 1n, leader: 1n } }],
        }),
        etcdAlarmList: () => ({ messages: [{}] }),
      },
      "": members({ a: "controlplane" }),
    }, { env });
    assert.match(err, /^error: a: refused: .*--allow single-member-downtime/m);
    assert.equal(status, 5);
  });
});

Deno.test("service still acts on the healthy nodes when one fails, and names the action", async () => {
  const no = () => Promise.reject(new RpcError("NOT_FOUND", "no such service"));
  await withHome(async (env) => {
    const { out, err, status } = await runOn(
      "service kubelet stop --wait=false",
      {
        a: changing("Running").only("serviceStop"),
        b: changing("Running", { serviceStop: no }).only("serviceStop"),
        c: changing("Running").only("serviceStop"),
      },
      { env },
    );
    assert.equal(
      out,
      "NODE   RESPONSE\na      accepted by the node\nc      accepted by the node\n",
    );
    assert.match(
      err,
      /^error: b: failed: Cannot stop service "kubelet": no such service$/m,
    );
    assert.equal(status, 3);
  });
});
