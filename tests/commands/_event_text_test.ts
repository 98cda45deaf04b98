import assert from "node:assert/strict";
import { eventText } from "../../commands/_event_text.ts";

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
    {
      source: "error",
      message: "no yaml",
      payload: { error: "no yaml" },
    },
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
