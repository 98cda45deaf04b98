import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import {
  ConfigLoadErrorEvent,
  MachineStatusEvent,
  TaskEvent,
} from "../../transport/gen/machine_events.ts";
import { run } from "../_run.ts";
import { boots, untilAborted, user } from "./_broken_streams.ts";
import { eventText } from "../../commands/events.ts";

const task = {
  id: "d4fcq1k5f9c0abcdef00",
  actorId: "0d9d1f2e-6d3e-4d6a-9a8c-5f6b7c8d9e0f",
  data: {
    typeUrl: "talos/runtime/machine.TaskEvent",
    value: TaskEvent.encode({ task: "stopAllServices", action: 0 }).finish(),
  },
};

const status = {
  id: "d4fcq1k5f9c0abcdef10",
  data: {
    typeUrl: "talos/runtime/machine.MachineStatusEvent",
    value: MachineStatusEvent.encode({
      stage: 4,
      status: { ready: true, unmetConditions: [] },
    }).finish(),
  },
};

const unknown = {
  id: "d4fcq1k5f9c0abcdef20",
  data: {
    typeUrl: "talos/runtime/machine.NewEvent",
    value: new Uint8Array(12),
  },
};

/** Sends an empty event first, as nodes do, and interrupts after the last one. */
function sends(events: readonly unknown[], interrupt = () => {}) {
  return async function* (_: unknown, signal?: AbortSignal) {
    await Promise.resolve();
    yield {};
    yield* events;
    interrupt();
    await untilAborted(signal);
  };
}

Deno.test("events shows a row for each event", async () => {
  const { signal, interrupt } = user();
  const { out, err, status: ended } = await run("events", {
    "10.0.0.2": {
      events: sends([task, status, unknown], interrupt),
      read: boots("1"),
    },
  }, { signal });
  assert.equal(
    out,
    `NODE       ID                     EVENT                        ACTOR                                  SOURCE            MESSAGE
10.0.0.2   d4fcq1k5f9c0abcdef00   machine.TaskEvent            0d9d1f2e-6d3e-4d6a-9a8c-5f6b7c8d9e0f   stopAllServices   START
10.0.0.2   d4fcq1k5f9c0abcdef10   machine.MachineStatusEvent                                          RUNNING           ready: true, unmet conditions: []
10.0.0.2   d4fcq1k5f9c0abcdef20   machine.NewEvent                                                                      12 bytes
`,
  );
  assert.equal(err, "");
  assert.equal(ended, 130);
});

Deno.test("events -o jsonl carries the decoded event", async () => {
  const { signal, interrupt } = user();
  const { out } = await run("events -o jsonl", {
    a: { events: sends([task, unknown], interrupt), read: boots("1") },
  }, { signal });
  assert.deepEqual(out.trimEnd().split("\n").map((row) => JSON.parse(row)), [
    {
      node: "a",
      id: "d4fcq1k5f9c0abcdef00",
      event: "machine.TaskEvent",
      actor: "0d9d1f2e-6d3e-4d6a-9a8c-5f6b7c8d9e0f",
      source: "stopAllServices",
      message: "START",
      payload: { task: "stopAllServices", action: "START" },
    },
    {
      node: "a",
      id: "d4fcq1k5f9c0abcdef20",
      event: "machine.NewEvent",
      actor: "",
      source: "",
      message: "12 bytes",
    },
  ]);
});

Deno.test("events tells nothing of a configuration that a node quotes", async () => {
  const { signal, interrupt } = user();
  const error = "cannot load it:\nmachine:\n    token: pl4nt";
  const load = {
    id: "d4fcq1k5f9c0abcdef30",
    data: {
      typeUrl: "talos/runtime/machine.ConfigLoadErrorEvent",
      value: ConfigLoadErrorEvent.encode({ error }).finish(),
    },
  };
  const { out } = await run("events -o json", {
    a: { events: sends([load], interrupt), read: boots("1") },
  }, { signal });
  assert.match(out, /token: \(redacted, 5 characters\)/);
  assert.ok(!out.includes("pl4nt"));
});

Deno.test("events asks for what was typed", async () => {
  const requests: unknown[] = [];
  async function ask(line: string) {
    const { signal, interrupt } = user();
    await run(line, {
      a: {
        async *events(request: unknown, stop?: AbortSignal) {
          requests.push(request);
          yield* sends([], interrupt)(request, stop);
        },
        read: boots("1"),
      },
    }, { signal });
  }
  await ask("events");
  await ask("events --tail -1 --actor-id x");
  await ask("events --duration 1m30s");
  await ask("events --since d4fcq1k5f9c0abcdef00");
  const nothing = {
    tailEvents: 0,
    tailId: "",
    tailSeconds: 0,
    withActorId: "",
  };
  assert.deepEqual(requests, [
    nothing,
    { ...nothing, tailEvents: -1, withActorId: "x" },
    { ...nothing, tailSeconds: 90 },
    { ...nothing, tailId: "d4fcq1k5f9c0abcdef00" },
  ]);
});

Deno.test("events continues after a reboot and gives the gap as a row", async () => {
  const { signal, interrupt } = user();
  let calls = 0;
  const { out, err } = await run("events -o jsonl", {
    a: {
      async *events(request: unknown, stop?: AbortSignal) {
        if (calls++ > 0) {
          return yield* sends([status], interrupt)(request, stop);
        }
        await Promise.resolve();
        yield {};
        yield task;
        throw new RpcError("UNAVAILABLE", "connection reset");
      },
      read: boots("1", "2"),
    },
  }, { signal });
  const rows = out.trimEnd().split("\n").map((row) => JSON.parse(row));
  assert.deepEqual(rows.map(({ id, gap }) => gap ?? id), [
    "d4fcq1k5f9c0abcdef00",
    "node rebooted",
    "d4fcq1k5f9c0abcdef10",
  ]);
  const time = "2026-01-02T03:04:05.000Z";
  assert.deepEqual(rows[1], {
    node: "a",
    gap: "node rebooted",
    since: time,
    until: time,
  });
  assert.equal(
    err,
    `--- a: connection lost, reconnecting ---
--- a: node rebooted, gap from ${time} to ${time} ---
`,
  );
});

Deno.test("events tells at once when one node fails, and shows the others", async () => {
  const { signal, interrupt } = user();
  const denied = {
    // deno-lint-ignore require-yield
    async *events() {
      await Promise.resolve();
      setTimeout(interrupt, 0);
      throw new RpcError("PERMISSION_DENIED", "not authorized");
    },
    read: boots("1"),
  };
  const { out, err, status: ended } = await run("events", {
    a: { events: sends([task]), read: boots("1") },
    b: denied,
    c: { events: sends([status]), read: boots("1") },
  }, { signal });
  assert.deepEqual(out.split("\n").map((line) => line.slice(0, 1)), [
    "N",
    "a",
    "c",
    "",
  ]);
  assert.equal(err, "--- b: no longer following: not authorized ---\n");
  assert.equal(ended, 130);
});

Deno.test("events fails when every node does", async () => {
  const { err, status: ended } = await run("events", {
    a: {
      // deno-lint-ignore require-yield
      async *events() {
        await Promise.resolve();
        throw new RpcError("INVALID_ARGUMENT", "invalid id");
      },
      read: boots("1"),
    },
  });
  assert.equal(err, "error: a: invalid id\n");
  assert.equal(ended, 1);
});

Deno.test("events refuses two ways to say where to start", async () => {
  const { err, status: ended } = await run("events --tail 5 --duration 1m", {
    a: {},
  });
  assert.equal(
    err,
    `error: Flags --duration, --since and --tail cannot be combined
hint: Use only one of them
Usage: osctl events [flags]
Run "osctl events --help" for its flags
`,
  );
  assert.equal(ended, 2);
});

Deno.test("eventText tells steps of a sequence", () => {
  assert.deepEqual(
    eventText({ kind: "PhaseEvent", event: { phase: "etcd", action: 1 } }),
    {
      source: "etcd",
      message: "STOP",
      payload: { phase: "etcd", action: "STOP" },
    },
  );
  assert.deepEqual(
    eventText({ kind: "TaskEvent", event: { task: "mount", action: 0 } }),
    {
      source: "mount",
      message: "START",
      payload: { task: "mount", action: "START" },
    },
  );
});

Deno.test("eventText tells the error of a sequence instead of its action", () => {
  const error = { code: 1, message: "locked", details: [] } as const;
  assert.deepEqual(
    eventText({
      kind: "SequenceEvent",
      event: { sequence: "boot", action: 0, error },
    }),
    {
      source: "boot",
      message: "error: locked",
      payload: {
        sequence: "boot",
        action: "NOOP",
        error: { code: "LOCKED", message: "locked" },
      },
    },
  );
  const { message } = eventText({
    kind: "SequenceEvent",
    event: { sequence: "boot", action: 1, error: undefined },
  });
  assert.equal(message, "START");
});

Deno.test("eventText tells the state of a service", () => {
  const health = {
    unknown: false,
    healthy: true,
    lastMessage: "ok",
    lastChange: { seconds: 1_767_323_045n, nanos: 500_000_000 },
  };
  assert.deepEqual(
    eventText({
      kind: "ServiceStateEvent",
      event: { service: "etcd", action: 3, message: "Started", health },
    }),
    {
      source: "etcd",
      message: "RUNNING: Started",
      payload: {
        service: "etcd",
        action: "RUNNING",
        message: "Started",
        health: {
          unknown: false,
          healthy: true,
          lastMessage: "ok",
          lastChange: "2026-01-02T03:04:05.5Z",
        },
      },
    },
  );
});

Deno.test("eventText tells errors of the configuration", () => {
  assert.deepEqual(
    eventText({ kind: "ConfigLoadErrorEvent", event: { error: "no yaml" } }),
    { source: "error", message: "no yaml", payload: { error: "no yaml" } },
  );
});

Deno.test("eventText tells addresses", () => {
  const event = { hostname: "cp1", addresses: ["10.0.0.2", "fd00::2"] };
  assert.deepEqual(eventText({ kind: "AddressEvent", event }), {
    source: "cp1",
    message: "ADDRESSES: 10.0.0.2,fd00::2",
    payload: event,
  });
});

Deno.test("eventText tells the stage of a node and what it waits for", () => {
  const status = {
    ready: false,
    unmetConditions: [
      { name: "services", reason: "etcd" },
      { name: "nodeReady", reason: "x" },
    ],
  };
  assert.deepEqual(
    eventText({ kind: "MachineStatusEvent", event: { stage: 4, status } }),
    {
      source: "RUNNING",
      message: "ready: false, unmet conditions: [services nodeReady]",
      payload: { stage: "RUNNING", status },
    },
  );
});

Deno.test("eventText shows the number of what it has no name for", () => {
  // A newer node may have stages of its own.
  const event = { stage: 99, status: undefined } as never;
  const text = eventText({ kind: "MachineStatusEvent", event });
  assert.equal(text.source, "99");
  assert.equal(text.message, "ready: false, unmet conditions: []");
});

Deno.test("eventText tells a restart", () => {
  assert.deepEqual(eventText({ kind: "RestartEvent", event: { cmd: 7n } }), {
    source: "cmd",
    message: "7",
    payload: { cmd: 7 },
  });
});
