import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

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
  const { out, err, status } = await run("services", { "10.0.0.2": node });
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
  const { out } = await run("service etcd", { a: node });
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
  const { out } = await run("service kubelet status", { a: node, b: node });
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
  const { out } = await run("service etcd -o jsonl", { a: node });
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

Deno.test("service starts, stops and restarts with the call of the same name", async () => {
  for (const action of ["start", "stop", "restart"] as const) {
    const asked: unknown[] = [];
    const method = {
      start: "serviceStart",
      stop: "serviceStop",
      restart: "serviceRestart",
    }[action];
    const { out } = await run(`service etcd ${action}`, {
      a: {
        [method]: (request: unknown) => {
          asked.push(request);
          return { messages: [{ resp: `Service "etcd" ${action}ed` }] };
        },
      },
    });
    assert.equal(out, `NODE   RESPONSE\na      Service "etcd" ${action}ed\n`);
    assert.deepEqual(asked, [{ id: "etcd" }]);
  }
});

Deno.test("service <id> stop -o jsonl names the action and the answer", async () => {
  const { out } = await run("service etcd stop -o jsonl", {
    a: { serviceStop: () => ({ messages: [{ resp: "stopped" }] }) },
  });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    id: "etcd",
    action: "stop",
    response: "stopped",
  });
});

Deno.test("service <id> fails when no node has it", async () => {
  const { out, err, status } = await run("service etdc", { a: node, b: node });
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
  const { out, status } = await run("service etcd -o jsonpath=.node", {
    a: { serviceList: () => ({ messages: [{}] }) },
    b: node,
  });
  assert.deepEqual({ out, status }, { out: "b\n", status: 0 });
});

Deno.test("service still acts on the healthy nodes when one fails", async () => {
  const stopped = { serviceStop: () => ({ messages: [{ resp: "ok" }] }) };
  const { out, err, status } = await run("service etcd stop", {
    a: stopped,
    b: {
      serviceStop: () =>
        Promise.reject(new RpcError("NOT_FOUND", "no such service")),
    },
    c: stopped,
  });
  assert.equal(out, "NODE   RESPONSE\na      ok\nc      ok\n");
  assert.equal(err, "error: b: no such service\n");
  assert.equal(status, 3);
});

Deno.test("service still lists the healthy nodes when one fails", async () => {
  const { out, err, status } = await run("service udevd -o jsonpath=.node", {
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
  const { err, status } = await run("service etcd reload");
  assert.match(err, /^error: .*"reload".*action/);
  assert.match(err, /status, start, stop, restart/);
  assert.equal(status, 2);
});
