import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { listJournals } from "../../workflows/operations/journal_file.ts";
import type { FakeNode } from "../_fake.ts";
import { withFolder } from "../_folder.ts";
import { runOn } from "../_run.ts";
import { boots, kernelLog } from "./_following.ts";
import { members } from "./_machine.ts";

const now = 1_767_323_045n; // 2026-01-02T03:04:05Z, the present of every test

const services = [
  {
    id: "etcd",
    state: "Running",
    health: { unknown: false, healthy: true, lastMessage: "" },
    events: {
      events: [
        {
          state: "Preparing",
          msg: "Running pre state",
          ts: { seconds: now - 3_700n },
        },
        {
          state: "Running",
          msg: "Started task\netcd",
          ts: { seconds: now - 3_663n, nanos: 400_000_000 },
        },
      ],
    },
  },
  {
    id: "kubelet",
    state: "Failed",
    health: {
      unknown: false,
      healthy: false,
      lastMessage: "connection refused",
    },
    events: {
      events: [{ state: "Failed", msg: "exit 1", ts: { seconds: now } }],
    },
  },
  { id: "udevd", state: "Skipped", health: { unknown: true } },
];

const node = { serviceList: () => ({ messages: [{ services }] }) };

Deno.test("service lists services with health, age and the last event", async () => {
  const { out, err, status } = await runOn("services", { "10.0.0.2": node });
  assert.equal(
    out,
    `NODE       SERVICE   STATE     HEALTH   LAST CHANGE   LAST EVENT
10.0.0.2   etcd      Running   OK       1h1m3s ago    Started task etcd
10.0.0.2   kubelet   Failed    Fail     0s ago        exit 1
10.0.0.2   udevd     Skipped   ?                      <none>
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("service <id> shows one service in detail, newest event first", async () => {
  const { out } = await runOn("service etcd", { a: node });
  assert.equal(
    out,
    `NODE     a
ID       etcd
STATE    Running
HEALTH   OK
EVENTS   [Running]: Started task etcd (1h1m3s ago)
         [Preparing]: Running pre state (1h1m40s ago)
`,
  );
});

Deno.test("service <id> status shows what its health check said last", async () => {
  const { out } = await runOn("service kubelet status", { a: node, b: node });
  const block = (name: string) =>
    `NODE                  ${name}
ID                    kubelet
STATE                 Failed
HEALTH                Fail
LAST HEALTH MESSAGE   connection refused
EVENTS                [Failed]: exit 1 (0s ago)
`;
  assert.equal(out, block("a") + block("b"));
});

Deno.test("service -o jsonl carries every event with its time", async () => {
  const { out } = await runOn("service etcd -o jsonl", { a: node });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    id: "etcd",
    state: "Running",
    health: "healthy",
    healthMessage: "",
    events: [
      {
        state: "Preparing",
        message: "Running pre state",
        time: "2026-01-02T02:02:25Z",
      },
      {
        state: "Running",
        message: "Started task\netcd",
        time: "2026-01-02T02:03:02.4Z",
      },
    ],
  });
});

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

function withHome(test: (env: Record<string, string>) => Promise<void>) {
  return withFolder(
    {},
    (folder) => test({ OS_HOME: folder, OSCONFIG: `${folder}/config` }),
  );
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

Deno.test("service --debug shows the kernel log while a service is changed, and waits", async () => {
  const cases = [
    ["start", "Finished", "serviceStart"],
    ["restart", "Running", "serviceRestart"],
  ] as const;
  for (const [action, before, method] of cases) {
    const { dmesg, happen } = kernelLog("kern: cgroup");
    const node = changing(before).only(method);
    await withHome(async (env) => {
      const line = `service etcd ${action} --debug --wait=false`;
      const { out, err } = await runOn(line, {
        a: {
          ...node,
          async [method](request: unknown) {
            await happen();
            return node[method]?.(request);
          },
          dmesg,
          read: boots("1"),
        },
        ...(action === "start" ? {} : { "": workers }),
      }, { env });
      assert.equal(out, "NODE   RESPONSE\na      Running: now Running\n");
      assert.equal(err, `a: kern: cgroup\n03:04:05 a: ${action} of etcd\n`);
    });
  }
});

Deno.test("service leaves a service alone that is as wanted", async () => {
  const { out, status } = await runOn("service etcd start", {
    a: changing("Running").only(),
  });
  assert.equal(out, "NODE   RESPONSE\na      nothing to do\n");
  assert.equal(status, 0);
});

Deno.test("service <id> stop -o jsonl names the action, its end and what was seen", async () => {
  await withHome(async (env) => {
    const { out } = await runOn("service etcd stop -o jsonl", {
      a: changing("Running").only("serviceStop"),
      "": workers,
    }, { env });
    assert.deepEqual(JSON.parse(out), {
      node: "a",
      id: "etcd",
      action: "stop",
      outcome: "done",
      response: "Finished: now Finished",
    });
  });
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

Deno.test("service <id> fails when no node has it", async () => {
  const { out, err, status } = await runOn("service etdc", {
    a: node,
    b: node,
  });
  assert.equal(out, "");
  assert.equal(
    err,
    `error: Service "etdc" is not registered on any node
hint: Run "osctl service" for the list of services
`,
  );
  assert.equal(status, 1);
});

Deno.test("service <id> is content with one node that has it", async () => {
  const { out, status } = await runOn("service etcd -o jsonpath=.node", {
    a: { serviceList: () => ({ messages: [{}] }) },
    b: node,
  });
  assert.deepEqual({ out, status }, { out: "b\n", status: 0 });
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

Deno.test("service still lists the healthy nodes when one fails", async () => {
  const { out, err, status } = await runOn("service udevd -o jsonpath=.node", {
    a: node,
    b: {
      serviceList: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")),
    },
    c: node,
  });
  assert.equal(out, "a\nc\n");
  assert.equal(err, "error: b: gone\n");
  assert.equal(status, 3);
});

Deno.test("service refuses an unknown action and names those there are", async () => {
  const { err, status } = await runOn("service etcd reload");
  assert.match(err, /^error: .*"reload".*action/);
  assert.match(err, /status, start, stop, restart/);
  assert.equal(status, 2);
});
