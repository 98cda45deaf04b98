import assert from "node:assert/strict";
import type {
  History,
  NodeEvent,
  NodeState,
  ProcessEnd,
  Wish,
} from "../../../tools/robustness/history.ts";
import { judge } from "../../../tools/robustness/judge.ts";

const node: NodeState = {
  name: "worker-1",
  address: "10.0.0.5",
  boots: 1,
  wipes: 0,
  off: false,
  version: "v1.12.1",
  member: false,
  cordoned: false,
  trusts: ["old"],
  marked: false,
};
const reboot: Wish = {
  line: "reboot",
  nodes: ["worker-1"],
  limits: { boots: 1, sequences: 1 },
  goal: { booted: true },
};
const rebooted = { ...node, boots: 2 };
const done: ProcessEnd = {
  wish: 0,
  line: "reboot",
  status: 0,
  hung: false,
  out: '{"node":"10.0.0.5","outcome":"done"}\n',
  err: "",
  states: [rebooted],
};
const began = event("began", "reboot");
const boot = event("boot", "second");
const killed = { ...done, status: -1, out: "" };

/** A reboot whose process was killed, and resumed. */
const clean: History = {
  wishes: [reboot],
  before: [node],
  events: [began, boot],
  processes: [killed, done],
  after: [rebooted],
  mustFinish: true,
  mayDoubt: false,
  texts: new Map([["a/operations/1.jsonl", '{"type":"begin"}']]),
  secrets: ["a secret of a node"],
};

function event(
  what: NodeEvent["what"],
  detail = "",
  name = "worker-1",
): NodeEvent {
  return { node: name, what, detail };
}

function look(change: Partial<History>): readonly string[] {
  return judge({ ...clean, ...change })
    .map(({ promise, seen }) => `${promise}: ${seen}`);
}

Deno.test("a clean history breaks no promise", () => {
  assert.deepEqual(judge(clean), []);
});

Deno.test("a node that boots, is installed or wiped twice breaks a promise, however many processes there were", () => {
  assert.deepEqual(look({ events: [began, boot, event("boot", "third")] }), [
    "once: worker-1 booted 2 times, 1 allowed",
  ]);
  assert.deepEqual(look({ events: [began, began, boot] }), [
    "once: worker-1 began to reboot, reset, upgrade or shut down 2 times, 1 allowed",
  ]);
  const limits = { ...reboot.limits, installs: 1, wipes: 1 };
  assert.deepEqual(
    look({
      wishes: [{ ...reboot, limits }],
      events: [
        began,
        ...[event("install"), event("install")],
        // Leaving etcd and wiping the disk are one.
        ...[event("wipe", "first"), event("wipe", "first")],
        ...[boot, event("wipe", "second")],
      ],
    }),
    [
      "once: worker-1 was installed 2 times, 1 allowed",
      "once: worker-1 was wiped 2 times, 1 allowed",
    ],
  );
});

Deno.test("judge: ignores what the attack itself does", () => {
  const events = [event("foreign-boot"), boot, began, began, boot];
  assert.deepEqual(look({ events }), []);
});

Deno.test("judge: an unrequested change breaks a promise", () => {
  assert.deepEqual(look({ events: [began, boot, event("wipe", "second")] }), [
    "requested: worker-1 was wiped 1 times, 0 allowed",
  ]);
  assert.deepEqual(look({ after: [{ ...rebooted, version: "v1.12.9" }] }), [
    "requested: worker-1 runs v1.12.9",
  ]);
});

Deno.test("a quorum that osctl takes away breaks a promise, one that the attack takes away does not", () => {
  const stop = (name: string) => event("etcd-stopped", "", name);
  const quorum = event("quorum", "3", "");
  const lost = event("no-quorum", "0", "");
  const attack = event("attack", "", "cp-2");
  const with2 = [quorum, attack, stop("cp-2"), stop("cp-3"), lost];
  const broken = ["quorum: etcd lost its quorum of 3 voters when cp-3 stopped"];
  assert.deepEqual(look({ events: with2 }), broken);
  // The attack comes second.
  assert.deepEqual(
    look({ events: [quorum, stop("cp-3"), attack, stop("cp-2"), lost] }),
    [],
  );
  // A value that came back counts again.
  const back = event("etcd-started", "", "cp-2");
  assert.deepEqual(
    look({
      events: [quorum, attack, stop("cp-2"), back, stop("cp-3"), stop("cp-2")]
        .concat(lost),
    }),
    ["quorum: etcd lost its quorum of 3 voters when cp-2 stopped"],
  );
  // A single member cannot be spared.
  const single = [event("quorum", "1", ""), stop("cp-1"), lost];
  assert.deepEqual(look({ events: single }), []);
});

Deno.test("judge: a change reported as done but missing breaks a promise, by status and by row", () => {
  const idle = { ...done, states: [node] };
  const nothing = { events: [], after: [node] };
  const status0 = ['honest: status 0 of "reboot", but worker-1 has not booted'];
  assert.deepEqual(look({ ...nothing, processes: [idle] }), status0);
  assert.deepEqual(
    look({
      ...nothing,
      processes: [{ ...idle, status: 3 }],
      mustFinish: false,
    }),
    ['honest: status 3 of "reboot", but worker-1 has not booted'],
  );
  assert.deepEqual(
    look({
      ...nothing,
      mustFinish: false,
      processes: [{ ...idle, status: 5, out: "" }],
    }),
    [],
  );
});

Deno.test("each goal that is not reached is told", () => {
  const goals: readonly (readonly [Wish["goal"], string])[] = [
    [{ wiped: true }, "was not wiped"],
    [{ off: true }, "is not off"],
    [{ version: "v2" }, "runs v1.12.1"],
    [{ member: true }, "is no member of etcd"],
    [{ impossible: true }, "cannot have it"],
    [{ marked: true }, "does not have the configuration"],
    [{ rotated: true }, "accepts the CA from before"],
  ];
  for (const [goal, told] of goals) {
    assert.deepEqual(look({ wishes: [{ ...reboot, goal }] }), [
      `honest: status 0 of "reboot", but worker-1 ${told}`,
    ]);
  }
});

Deno.test("judge: a run that cannot be resumed to its end breaks a promise", () => {
  const asks = { ...done, status: 76, out: "", err: "Are they gone?\n" };
  assert.deepEqual(look({ processes: [killed, asks] }), [
    'resumable: "reboot" ended with status 76: Are they gone?',
  ]);
  // Another machine has brought it to its end.
  assert.deepEqual(look({ processes: [done, { ...asks, status: 8 }] }), []);
  const doubt = { ...asks, status: 5, err: "in doubt" };
  assert.deepEqual(look({ processes: [doubt], mayDoubt: true }), []);
  assert.equal(look({ processes: [doubt] }).length, 1);
});

Deno.test("a node that stays cordoned breaks a promise, unless it is unavailable or in doubt", () => {
  const after = [{ ...rebooted, cordoned: true }];
  const failed = { ...done, status: 1, out: "" };
  const ended = { processes: [failed], mustFinish: false };
  const told = ["resumable: worker-1 is cordoned after status 1"];
  assert.deepEqual(look({ ...ended, after }), told);
  const was = [{ ...node, cordoned: true }];
  assert.deepEqual(look({ ...ended, after, before: was }), []);
  assert.deepEqual(look({ ...ended, after, mayDoubt: true }), []);
  assert.deepEqual(
    look({ ...ended, after: after.map((one) => ({ ...one, off: true })) }),
    [],
  );
});

Deno.test("a secret in an output or a file breaks a promise, in any of its forms", () => {
  const [secret = ""] = clean.secrets;
  const bytes = (text: string) => new TextEncoder().encode(text);
  for (
    const text of [
      secret,
      bytes(secret).toHex(),
      ...["", "x", "xy"].map((before) =>
        bytes(`${before}${secret} behind`).toBase64()
      ),
    ]
  ) {
    assert.deepEqual(
      look({ texts: new Map([["a/events.jsonl", `data: ${text}!`]]) }),
      ["secret: a secret is in a/events.jsonl"],
      text,
    );
  }
  assert.deepEqual(look({ processes: [{ ...done, err: `no: ${secret}` }] }), [
    'secret: a secret is in errors of "reboot"',
  ]);
});

Deno.test("a process that hangs or crashes breaks a promise", () => {
  assert.deepEqual(look({ processes: [done, { ...done, hung: true }] }), [
    'clean: "reboot" did not end',
  ]);
  const trace = "error: This is a bug in osctl, please report it: x\n";
  assert.deepEqual(look({ processes: [{ ...done, err: trace }] }), [
    'clean: "reboot" says: bug in osctl',
  ]);
});
