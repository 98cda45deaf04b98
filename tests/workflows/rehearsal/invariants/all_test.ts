import assert from "node:assert/strict";
import { type LooseEvent, wholeEvent } from "../../runbooks/_records.ts";
import { evidence, records, report } from "../_evidence.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import {
  everyTargetOnce,
  noSecrets,
  replays,
  staysEnded,
} from "../../../../workflows/rehearsal/invariants/run_records.ts";

const secret = "correct horse battery";
const bytes = (text: string) => new TextEncoder().encode(text);

function event(
  type: RunEvent["type"],
  more: Omit<LooseEvent, "type">,
): RunEvent {
  const ts = "2026-03-01T12:00:00Z";
  return { v: 1, seq: 1, ts, run: "r", ...wholeEvent({ type, ...more }) };
}

Deno.test("a secret is found in the journal, events, the report and files, in any of its forms", () => {
  const hidden = { secrets: [bytes(secret)] };
  assert.equal(noSecrets(evidence(hidden)).state, "held");
  const message = `it is ${secret}`;
  const leaks = {
    "the journal": { journalText: `{"d":"${secret}"}` },
    "an event": { events: [event("note", { data: { message } })] },
    "the report": { report: report({ outputs: { message } }) },
    "/a/f": { files: [{ path: "/a/f", bytes: bytes(btoa(secret)) }] },
  };
  for (const [name, leak] of Object.entries(leaks)) {
    assert.deepEqual(noSecrets(evidence({ ...hidden, ...leak })).evidence, [
      `${name} holds a secret`,
    ]);
  }
});

const done = { node: "w-1", path: "workers", state: "done" } as const;
const entered = {
  type: "enter" as const,
  path: "workers",
  node: "w-1",
  entry: 1,
};
const ended = { ...entered, type: "node" as const, data: { state: "done" } };
const end = { type: "run.end" as const, data: { state: "succeeded" } };

Deno.test("the journal says what the report says: the end, every target, what is left behind", () => {
  const all = records(entered, ended, end);
  const reported = report({ targets: [done] });
  assert.equal(
    replays(evidence({ records: all, report: reported })).state,
    "held",
  );
  assert.equal(replays(evidence({ report: undefined })).state, "unchecked");
  const wrong = evidence({
    records: records(entered, {
      type: "result",
      path: "workers/cordon",
      node: "w-1",
      data: { state: "ok", module: "node.cordon" },
    }, { ...end, data: { state: "failed" } }),
    report: reported,
  });
  assert.deepEqual(replays(wrong).evidence, [
    "the journal ends with failed, the report with succeeded",
    "w-1 in workers: the journal has undefined, the report done",
    "left on nodes: the journal has w-1 is still cordoned, the report nothing",
  ]);
  const missed = report({ targets: [{ ...done, state: "not-reached" }] });
  const none = evidence({ records: records(end), report: missed });
  assert.equal(replays(none).state, "held");
  const dropped = records({
    type: "drop",
    node: "w-1",
    data: { reason: "dead" },
  }, end);
  const failed = report({ targets: [{ ...done, state: "failed" }] });
  const out = evidence({ records: dropped, report: failed });
  assert.equal(replays(out).state, "held");
});

Deno.test("every target of the last process is in the report once", () => {
  const group = (...nodes: string[]) =>
    event("group.resolved", { path: "workers", data: { nodes } });
  const events = [
    event("run.started", {}),
    group("w-1", "w-9"),
    event("run.resumed", {}),
    group("w-1"),
  ];
  const look = (...targets: (typeof done)[]) =>
    everyTargetOnce(evidence({ events, report: report({ targets }) }));
  assert.equal(look(done).state, "held");
  assert.deepEqual(look(done, done).evidence, ["w-1 in workers appears twice"]);
  assert.deepEqual(look().evidence, ["w-1 in workers is missing"]);
  const broken = everyTargetOnce(evidence({ report: undefined }));
  assert.equal(broken.state, "unchecked");
});

Deno.test("invariants: requests after the end of a run are reported", () => {
  assert.equal(staysEnded(evidence()).state, "held");
  const none = evidence({ callsAfterEnd: undefined });
  assert.equal(staysEnded(none).state, "unchecked");
  const call = { method: "Reboot", node: "w-1", mutating: true };
  const callsAfterEnd = [{ ...call, carriedOut: true }];
  assert.deepEqual(staysEnded(evidence({ callsAfterEnd })).evidence, [
    "Reboot was sent to w-1",
  ]);
});
