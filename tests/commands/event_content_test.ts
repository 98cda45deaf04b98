import assert from "node:assert/strict";
import { eventContent, eventType } from "../../commands/events.ts";

const prefix = "talos/runtime/";

/** A message with one string in its first field. */
function makeNamed(text: string): Uint8Array {
  return new Uint8Array([10, text.length, ...new TextEncoder().encode(text)]);
}

Deno.test("eventType leaves the prefix out", () => {
  assert.equal(eventType(`${prefix}machine.TaskEvent`), "machine.TaskEvent");
  assert.equal(eventType("example.com/x.Y"), "example.com/x.Y");
});

Deno.test("eventContent decodes every kind of event", () => {
  const cases = {
    AddressEvent: { hostname: "n", addresses: [] },
    ConfigLoadErrorEvent: { error: "n" },
    ConfigValidationErrorEvent: { error: "n" },
    PhaseEvent: { phase: "n", action: 0 },
    SequenceEvent: { sequence: "n", action: 0, error: undefined },
    ServiceStateEvent: {
      service: "n",
      action: 0,
      message: "",
      health: undefined,
    },
    TaskEvent: { task: "n", action: 0 },
  };
  for (const [kind, event] of Object.entries(cases)) {
    const typeUrl = `${prefix}machine.${kind}`;
    const content = eventContent({ typeUrl, value: makeNamed("n") });
    assert.deepEqual(content, { kind, event }, kind);
  }
  const restart = { typeUrl: `${prefix}machine.RestartEvent` };
  assert.deepEqual(
    eventContent({ ...restart, value: new Uint8Array([8, 7]) }),
    { kind: "RestartEvent", event: { cmd: 7n } },
  );
  const status = { typeUrl: `${prefix}machine.MachineStatusEvent` };
  assert.deepEqual(
    eventContent({ ...status, value: new Uint8Array([8, 4]) }),
    { kind: "MachineStatusEvent", event: { stage: 4, status: undefined } },
  );
});

Deno.test("eventContent does not guess what it does not know", () => {
  for (
    const name of ["machine.NewEvent", "machine.toString", "other.TaskEvent"]
  ) {
    const typeUrl = `${prefix}${name}`;
    assert.equal(
      eventContent({ typeUrl, value: makeNamed("n") }),
      undefined,
      name,
    );
  }
});

Deno.test("eventContent takes bytes that are no such message as unknown", () => {
  const typeUrl = `${prefix}machine.TaskEvent`;
  const value = new Uint8Array([10, 200, 1]);
  assert.equal(eventContent({ typeUrl, value }), undefined);
});
