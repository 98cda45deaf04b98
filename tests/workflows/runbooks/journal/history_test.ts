import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import {
  instanceKey,
  RunHistory,
} from "../../../../workflows/runbooks/journal/history.ts";
import { makeJournal } from "./_journals.ts";
import { type NewRecord, wholeRead } from "../_records.ts";

async function foldHistory(
  ...records: readonly NewRecord[]
): Promise<RunHistory> {
  const history = new RunHistory();
  const { written } = await makeJournal(records);
  for (const record of written) history.add(wholeRead(record));
  return history;
}

const at = { path: "workers/restart", node: "w-1", entry: 2 };

/** The end of that step. */
function result(data: NewRecord["data"] & object, more = {}): NewRecord {
  return { type: "result", ...at, ...more, data };
}
const key = "workers/restart@w-1";

Deno.test("instanceKey is the path, with the node where there is one", () => {
  assert.equal(instanceKey("workers/restart", "w-1"), key);
  assert.equal(instanceKey("start", undefined), "start");
});

Deno.test("a history without records knows nothing, and shares nothing", () => {
  const empty = [undefined, "", 0, [], new Map(), new Set()];
  const history = Object.entries(new RunHistory());
  const other = new Map<string, unknown>(Object.entries(new RunHistory()));
  assert.ok(history.length > 15);
  for (const [name, value] of history) {
    const isEmpty = empty.some((one) => isDeepStrictEqual(one, value));
    assert.ok(isEmpty, `${name} is ${value}`);
    const isShared = typeof value === "object" && other.get(name) === value;
    assert.equal(isShared, false, name);
  }
});

Deno.test("the first record begins the first entry", async () => {
  const history = await foldHistory({
    type: "run.start",
    data: { operator: "me" },
  });
  assert.deepEqual(history.start, { operator: "me" });
  assert.equal(history.startedAt, "2026-11-20T19:00:01.000Z");
  assert.equal(history.lastAt, "2026-11-20T19:00:01.000Z");
  assert.equal(history.entries, 1);
  assert.equal(history.end, undefined);
});

Deno.test("a run that continues has not ended any more", async () => {
  const end = { state: "stopped", status: 75 };
  const stopped = await foldHistory({ type: "run.start" }, {
    type: "run.end",
    data: end,
  });
  assert.deepEqual(stopped.end, end);
  assert.equal(stopped.endedAt, "2026-11-20T19:00:02.000Z");
  const history = await foldHistory(
    { type: "run.start" },
    { type: "run.end", data: end },
    { type: "run.resume", data: { entry: 2 } },
  );
  assert.equal(history.end, undefined);
  assert.equal(history.endedAt, "");
  assert.equal(history.entries, 2);
  assert.equal(history.startedAt, "2026-11-20T19:00:01.000Z");
  assert.equal(history.lastAt, "2026-11-20T19:00:03.000Z");
});

Deno.test("the last runbook that was put in the place of another counts", async () => {
  const history = await foldHistory(
    { type: "run.start" },
    { type: "rebase", data: { ir: "aa" } },
    { type: "rebase", data: { ir: "bb" } },
  );
  assert.equal(history.rebased, "bb");
});

Deno.test("an intent is open until accepted by the node, and stays", async () => {
  const d = {
    operation: "reboot",
    key: { boot: "b-1" },
    input: { mode: "default" },
  };
  const intent = { type: "intent", ...at, attempt: 1, data: d } as const;
  const sent = {
    ...d,
    entry: 2,
    acknowledged: false,
    steps: [],
    sentAt: Date.parse("2026-11-20T19:00:01.000Z"),
  };
  const before = await foldHistory(intent);
  assert.deepEqual([...before.instances], [[key, { intent: sent }]]);
  const after = await foldHistory(intent, { type: "ack", ...at });
  const taken = { ...sent, acknowledged: true };
  assert.deepEqual(after.instances.get(key), { intent: taken });
  const again = await foldHistory(
    intent,
    { type: "ack", ...at },
    result({ state: "failed", code: "deadline" }),
    { ...intent, entry: 3, attempt: 2 },
  );
  assert.deepEqual(again.instances.get(key), {
    intent: {
      ...sent,
      entry: 3,
      sentAt: Date.parse("2026-11-20T19:00:04.000Z"),
    },
    result: { state: "failed", code: "deadline", outputs: {}, entry: 2 },
  });
});

Deno.test("the parts of what was sent are kept in order, those of the last attempt only", async () => {
  const intent = { type: "intent", ...at } as const;
  const step = (name: string): NewRecord => ({
    type: "step",
    ...at,
    data: { step: name },
  });
  const first = [intent, step("download"), step("install")];
  const history = await foldHistory(...first);
  assert.deepEqual(history.instances.get(key)?.intent?.steps, [
    "download",
    "install",
  ]);
  const again = await foldHistory(...first, intent, step("restart"));
  assert.deepEqual(again.instances.get(key)?.intent?.steps, ["restart"]);
});

Deno.test("history: nodes taken without a request are omitted", async () => {
  const step = { type: "step", ...at, data: { step: "install" } } as const;
  const history = await foldHistory({ type: "ack", ...at }, step);
  assert.equal(history.instances.size, 0);
});

Deno.test("a result says how a step has ended last", async () => {
  const history = await foldHistory(
    result({ state: "failed", code: "busy", message: "m" }),
    result({ state: "ok", outputs: { file: "db" } }, { entry: 3 }),
    {
      type: "result",
      path: "start",
      entry: 1,
      data: { state: "skipped", message: "when" },
    },
  );
  assert.deepEqual([...history.instances], [
    [key, { result: { state: "ok", outputs: { file: "db" }, entry: 3 } }],
    ["start", {
      result: { state: "skipped", message: "when", outputs: {}, entry: 1 },
    }],
  ]);
});

Deno.test("modules that have ended well are known, and what they leave behind", async () => {
  const history = await foldHistory(
    result({ state: "ok", module: "node.cordon" }),
    result({ state: "ok", module: "reboot" }, { node: "w-2" }),
    result({ state: "failed", module: "reset" }, { node: "w-3" }),
    {
      type: "result",
      path: "cordon",
      data: { state: "ok", module: "node.drain", target: "w-4" },
    },
    { type: "result", path: "gate", data: { state: "ok" } },
  );
  assert.deepEqual([...history.modules], [
    "node.cordon",
    "reboot",
    "node.drain",
  ]);
  const left = [...history.residue].filter(([, kinds]) => kinds.size > 0);
  assert.deepEqual(left, [
    ["w-1", new Set(["cordoned"])],
    ["w-4", new Set(["cordoned"])],
  ]);
});

Deno.test("the value of a condition is kept with its entry", async () => {
  const history = await foldHistory(
    { type: "when", ...at, data: { value: true } },
    { type: "when", path: "start", entry: 1, data: { value: false } },
    { type: "when", ...at, entry: 3, data: { value: false } },
  );
  assert.deepEqual([...history.instances], [
    [key, { when: { value: false, entry: 3 } }],
    ["start", { when: { value: false, entry: 1 } }],
  ]);
});

Deno.test("a sleep is kept with its end", async () => {
  const history = await foldHistory({
    type: "sleep",
    path: "rest",
    data: { until: 42 },
  });
  assert.deepEqual(history.instances.get("rest"), { until: 42 });
});

Deno.test("the phase of a block is kept with its entry and its failure", async () => {
  const failure = { code: "busy", step: "workers/restart", message: "m" };
  const rescue = {
    type: "phase",
    ...at,
    data: { name: "rescue", failure },
  } as const;
  const history = await foldHistory(rescue);
  assert.deepEqual(history.instances.get(key), {
    phase: { name: "rescue", failure, entry: 2 },
  });
  const later = await foldHistory(rescue, {
    type: "phase",
    ...at,
    data: { name: "always" },
  });
  assert.deepEqual(later.instances.get(key), {
    phase: { name: "always", entry: 2 },
  });
});

Deno.test("a decision of an operator is beside what is known", async () => {
  const d = { verdict: "skip", reason: "done by hand" };
  const history = await foldHistory(
    { type: "when", ...at, data: { value: true } },
    { type: "decision", path: at.path, node: at.node, data: d },
  );
  assert.deepEqual(history.instances.get(key), {
    when: { value: true, entry: 2 },
    decision: d,
  });
});

Deno.test("history: a redo by the operator starts once, by an intent or a result", async () => {
  for (const t of ["intent", "result"] as const) {
    const decided = async (verdict: string) => {
      const d = { verdict, reason: "it hung" };
      const history = await foldHistory(
        { type: "decision", path: at.path, node: at.node, data: d },
        { type: t, ...at, data: { state: "ok" } },
      );
      return history.instances.get(key)?.decision;
    };
    assert.equal(await decided("redo"), undefined, t);
    assert.deepEqual(await decided("skip"), {
      verdict: "skip",
      reason: "it hung",
    }, t);
  }
});

Deno.test("a node is inside from its entry to its end, and keeps its start until then", async () => {
  const enter = {
    type: "enter",
    path: "workers",
    node: "w-1",
    entry: 2,
  } as const;
  const inside = await foldHistory(enter, { ...enter, entry: 3 });
  const start = inside.stageStarts.get("workers") ?? NaN;
  assert.deepEqual([...inside.nodes], [
    ["workers@w-1", { entry: 3, startedAt: start }],
  ]);
  const node = { state: "failed", code: "busy", message: "m", tookMs: 7 };
  const end = { ...enter, type: "node" as const, data: node };
  const ended = await foldHistory(enter, end);
  assert.deepEqual([...ended.nodes], [
    ["workers@w-1", { ...node, entry: 2, startedAt: start }],
  ]);
  const again = await foldHistory(enter, end, { ...enter, entry: 3 });
  assert.deepEqual([...again.nodes], [
    ["workers@w-1", { entry: 3, startedAt: Date.parse(again.lastAt) }],
  ]);
  assert.ok(Date.parse(again.lastAt) > start);
});

Deno.test("a step of the runbook starts with its first record, and anew after a failure", async () => {
  const path = "workers/node/a";
  const first = { type: "when", path, data: { value: true } } as const;
  const begun = await foldHistory(first, first);
  const start = begun.stageStarts.get("workers") ?? NaN;
  assert.ok(start < Date.parse(begun.lastAt));
  const end = { type: "result", path: "workers", data: { state: "failed" } };
  const failed = await foldHistory(first, { ...end, type: "result" });
  assert.deepEqual([...failed.stageStarts], []);
});

Deno.test("a node that ends keeps since when it had another system", async () => {
  const at = { path: "workers", node: "w-1", entry: 3 };
  const { nodes } = await foldHistory(
    { type: "enter", ...at, data: { since: 2 } },
    { type: "node", ...at, data: { state: "failed", code: "busy" } },
  );
  const { startedAt: _, ...known } = nodes.get("workers@w-1") ?? {};
  assert.deepEqual(known, {
    entry: 3,
    since: 2,
    state: "failed",
    code: "busy",
  });
});

Deno.test("groups and decided values are found by their paths", async () => {
  const history = await foldHistory(
    { type: "group", path: "#workers", data: { nodes: ["w-2", "w-1"] } },
    { type: "group", path: "#workers", data: { nodes: ["w-1"] } },
    { type: "decide", path: "target", data: { value: { version: "v1.13.4" } } },
  );
  assert.deepEqual([...history.groups], [["#workers", ["w-1"]]]);
  assert.deepEqual([...history.decisions], [
    ["target", { version: "v1.13.4" }],
  ]);
});

Deno.test("the last answer to an approval counts, with its time", async () => {
  const yes = { approved: true, destructive: true, tag: "wipe", by: "me" };
  const history = await foldHistory(
    {
      type: "approval.requested",
      path: "wipe",
      data: { tag: "wipe", message: "Wipe it?" },
    },
    { type: "approval.answered", path: "wipe", data: yes },
    {
      type: "approval.answered",
      path: "start",
      data: { approved: false, destructive: false, by: "you" },
    },
  );
  assert.deepEqual([...history.approvals], [
    ["wipe", {
      approved: true,
      destructive: true,
      by: "me",
      at: Date.UTC(2026, 10, 20, 19, 0, 2),
      question: { message: "Wipe it?" },
    }],
    ["start", {
      approved: false,
      destructive: false,
      by: "you",
      at: Date.UTC(2026, 10, 20, 19, 0, 3),
    }],
  ]);
});

Deno.test("a question is open until it is answered", async () => {
  const d = {
    tag: "wipe",
    message: "Wipe it?",
    destructive: true,
    typed: "lab",
    lastsMs: 60_000,
  };
  const asked = { type: "approval.requested", path: "wipe", data: d } as const;
  const open = await foldHistory(asked);
  assert.deepEqual([...open.asked], [
    ["wipe", { ...d, path: "wipe", at: Date.UTC(2026, 10, 20, 19, 0, 1) }],
  ]);
  const yes = { approved: true, destructive: true, by: "me" };
  const answered = await foldHistory(
    asked,
    { ...asked, path: "start" },
    { type: "approval.answered", path: "wipe", data: yes },
  );
  assert.deepEqual([...answered.asked.keys()], ["start"]);
});

Deno.test("inputs that were changed, nodes taken out, secrets and leases are kept", async () => {
  const history = await foldHistory(
    { type: "set", path: "batch", data: { value: 3 } },
    { type: "drop", node: "w-9", data: { reason: "broken" } },
    { type: "secret", data: { name: "os-ca", fingerprint: "aa" } },
    { type: "secret", data: { name: "k8s-ca", fingerprint: "bb" } },
    { type: "lease", data: { state: "taken" } },
    { type: "lease", data: { state: "released" } },
  );
  assert.deepEqual([...history.set], [["batch", 3]]);
  assert.deepEqual([...history.dropped], [["w-9", "broken"]]);
  assert.equal(history.secrets, 2);
  assert.deepEqual(history.lease, { state: "released" });
});

Deno.test("history: informative records change nothing but the time", async () => {
  const history = await foldHistory(
    { type: "gate", path: "before", data: { seen: "all ready" } },
    { type: "stop", data: { by: "me" } },
  );
  const lastAt = "2026-11-20T19:00:02.000Z";
  assert.deepEqual(history, Object.assign(new RunHistory(), { lastAt }));
});
