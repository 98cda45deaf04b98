import assert from "node:assert/strict";
import type { RunStatusRow } from "../../../../workflows/runbooks/report/status_row.ts";
import { statusText } from "../../../../workflows/runbooks/report/status_text.ts";

const row: RunStatusRow = {
  title: "Demonstrate",
  run: "r1",
  runbook: "demo",
  cluster: "prod",
  context: "prod",
  operator: "eve@desk",
  state: "waiting",
  status: null,
  reason: "the window opens at 20:00",
  startedAt: "2026-11-20T19:30:00.000Z",
  endedAt: null,
  lastAt: "2026-11-20T19:30:00.000Z",
  stages: [],
  fanOuts: [],
  nodes: [],
  finishing: [],
  asked: [],
  answered: [],
  inDoubt: [],
  skipped: [],
  residue: [],
  cleanup: [],
  failure: null,
  artifacts: [],
  outputs: {},
  next: null,
};

const now = Date.parse("2026-11-20T19:31:00.000Z");

Deno.test("the text says what the run as a whole waits for", () => {
  assert.equal(
    statusText(row, 80, now),
    "demo on prod  waiting 1m0s, since 19:30 UTC  run r1\n" +
      "\nWaiting: the window opens at 20:00\n",
  );
});

Deno.test("a question that needs no typing is answered by a plain command", () => {
  const asked = [{
    tag: "go",
    message: "Go\non?",
    destructive: false,
    typed: null,
    command: "osctl runbook approve r1 go",
  }];
  assert.match(
    statusText({ ...row, asked }, 80, now),
    /\n\nWaiting for approval\n {2}go: Go on\?\n {4}osctl runbook approve r1 go\n$/,
  );
});

Deno.test("status text: requests outside of fan-outs name only their step", () => {
  const inDoubt = [{
    step: "snapshot",
    node: null,
    operation: "etcd.snapshot",
    acknowledged: false,
  }];
  const text = statusText(
    { ...row, state: "interrupted", inDoubt },
    80,
    now,
  );
  assert.match(
    text,
    /\n\nIn doubt\n {2}snapshot: etcd.snapshot, may not have been accepted\n$/,
  );
  assert.doesNotMatch(statusText({ ...row, inDoubt }, 80, now), /In doubt/);
});

Deno.test("status text: shows the command that resolves a blocked run", () => {
  const one = { operation: "reboot", acknowledged: true };
  const inDoubt = [
    { ...one, step: "workers/restart", node: "w-1" },
    { ...one, step: "last", node: null },
  ];
  assert.match(
    statusText({ ...row, state: "blocked", inDoubt }, 80, now),
    /\nIn doubt\n {2}w-1 in restart: reboot, accepted by the node\n {4}osctl runbook resume r1 --resolve workers\/restart@w-1=<done\|redo\|skip>\n {2}last: reboot, accepted by the node\n {4}osctl runbook resume r1 --resolve last=<done\|redo\|skip>\n$/,
  );
});

Deno.test("status text: reports failures in the rescue of a finished run", () => {
  const cleanup = [{
    part: "rescue" as const,
    step: "undo/back",
    node: "w-1",
    code: "invalid",
    message: "No such key",
  }];
  const ended = { ...row, state: "failed", status: 1, reason: null, cleanup };
  const endedAt = "2026-11-20T20:00:00.000Z";
  assert.match(statusText({ ...ended, endedAt }, 80, now), /took 30m0s\n/);
  assert.match(
    statusText({ ...ended, endedAt }, 80, now),
    /\nFailed in rescue or always\n {2}rescue on w-1: undo, in back: No such key\n/,
  );
});
