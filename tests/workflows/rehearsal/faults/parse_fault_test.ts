import assert from "node:assert/strict";
import type { RehearsalFault } from "../../../../workflows/rehearsal/faults/fault.ts";
import {
  FaultError,
  parseFault,
} from "../../../../workflows/rehearsal/faults/parse_fault.ts";

const start = { kind: "start" } as const;

Deno.test("a fault says where, what, when, how long and how often", () => {
  const faults: Readonly<Record<string, Omit<RehearsalFault, "text">>> = {
    "node/worker-2: never-returns @ restart": {
      where: { kind: "node", glob: "worker-2" },
      what: "never-returns",
      at: { kind: "step", glob: "restart" },
    },
    "etcd/cp-3: etcd-stopped @ controlplane/* for 4m": {
      where: { kind: "etcd", glob: "cp-3" },
      what: "etcd-stopped",
      at: { kind: "step", glob: "controlplane/*" },
      forMs: 240_000,
    },
    "runner: kill @ record 57": {
      where: { kind: "runner" },
      what: "kill",
      at: { kind: "record", number: 57 },
    },
    "runner: kill-before @ record 3 for 90s": {
      where: { kind: "runner" },
      what: "kill-before",
      at: { kind: "record", number: 3 },
      forMs: 90_000,
    },
    "rpc/Upgrade/worker-*: reply-lost times 2": {
      where: { kind: "rpc", method: "Upgrade", node: "worker-*" },
      what: "reply-lost",
      at: start,
      times: 2,
    },
    "rpc/*: call-fails failed-precondition @ call 12": {
      where: { kind: "rpc", method: "*" },
      what: "call-fails",
      code: "FAILED_PRECONDITION",
      at: { kind: "call", number: 12 },
    },
    "clock: clock-skew -10m @ 30s": {
      where: { kind: "clock" },
      what: "clock-skew",
      ms: -600_000,
      at: { kind: "time", ms: 30_000 },
    },
    "etcd/*: etcd-nospace": {
      where: { kind: "etcd", glob: "*" },
      what: "etcd-nospace",
      at: start,
    },
    "node/worker: joins @ prepull": {
      where: { kind: "node", glob: "worker" },
      what: "joins",
      at: { kind: "step", glob: "prepull" },
    },
    "k8s: kubernetes-unavailable": {
      where: { kind: "k8s" },
      what: "kubernetes-unavailable",
      at: start,
    },
    "registry: image-missing": {
      where: { kind: "registry" },
      what: "image-missing",
      at: start,
    },
    "disk: disk-full for 1m": {
      where: { kind: "disk" },
      what: "disk-full",
      at: start,
      forMs: 60_000,
    },
  };
  for (const [text, expected] of Object.entries(faults)) {
    assert.deepEqual(parseFault(text), { text, ...expected });
  }
});

Deno.test("the names of earlier versions mean the same", () => {
  const names = {
    "k8s: down for 4m": "k8s: kubernetes-unavailable for 4m",
    "registry: down": "registry: registry-down",
    "registry: not-found": "registry: image-missing",
    "node/a: down @ b": "node/a: unavailable @ b",
    "node/a: returns-old-version": "node/a: rolled-back",
    "node/a: kubelet-down": "node/a: kubelet-silent",
    "node/a: skew 10m": "node/a: clock-skew 10m",
    "clock: skew -10m": "clock: clock-skew -10m",
    "etcd/a: unhealthy": "etcd/a: etcd-stopped",
    "etcd/a: alarm nospace": "etcd/a: etcd-nospace",
    "etcd/a: alarm CORRUPT @ b": "etcd/a: etcd-corrupt @ b",
    "etcd/a: learner": "etcd/a: etcd-learner",
    "etcd/a: leader-moves": "etcd/a: etcd-leads",
    "etcd/a: data-lost": "etcd/a: etcd-data-lost",
    "rpc/*: error ABORTED": "rpc/*: call-fails ABORTED",
    "node/a: drop-before-send": "node/a: request-lost",
    "rpc/Reboot/a: drop-after-send": "rpc/Reboot/a: reply-lost",
  };
  for (const [earlier, text] of Object.entries(names)) {
    assert.deepEqual({ ...parseFault(earlier), text }, parseFault(text));
  }
});

Deno.test("parseFault: errors name the place and what would be right", () => {
  const wrong: readonly [string, number, string, RegExp][] = [
    ["runner kill", 12, "the fault is missing", /^Write <where>: <what>/],
    [
      "nodes/a: down",
      1,
      '"nodes/a" is not a target for faults',
      /node\/<name>/,
    ],
    ["node/: down", 1, '"node/" is not a target for faults', /Known: runner/],
    ["k8s:", 5, "the fault is missing", /Known: kubernetes-unavailable/],
    [
      "node/a: never-return",
      9,
      '"never-return" is not a fault of node',
      /Did you mean "never-returns"\?/,
    ],
    ["node/a: slow", 13, '"slow" needs a value', /duration such as/],
    ["node/a: slow soon", 14, '"soon" is not a duration', /duration such as/],
    ["node/a: slow -5s", 14, '"-5s" is not a duration', /duration such as/],
    ["rpc/*: call-fails BAD", 19, '"BAD" is not a gRPC status', /UNAVAILABLE/],
    ["etcd/a: alarm FIRE", 9, '"alarm" is not a fault of etcd', /etcd-nospace/],
    ["k8s: down @", 12, "the trigger is missing", /record 57, call 12/],
    ["k8s: down @ record", 19, "number of the record is missing", /from 1/],
    ["k8s: down @ call 0", 18, '"0" is not a number', /from 1/],
    ["k8s: down @ a//b", 13, '"a//b" is not a trigger', /record 57/],
    ["k8s: down for", 14, "the duration is missing", /duration/],
    ["k8s: down for ever", 15, '"ever" is not a duration', /duration/],
    ["k8s: down times", 16, "the number of times is missing", /from 1/],
    ["k8s: down times x", 17, '"x" is not a number', /from 1/],
    ["k8s: down twice", 11, 'unexpected "twice"', /@ <when>/],
    ["runner: kill-before", 20, "kill-before needs a record", /@ record 57/],
    ["node/a: joins", 6, '"a" is not a role', /node\/worker: joins/],
  ];
  for (const [text, column, reason, hint] of wrong) {
    assert.throws(() => parseFault(text), (error) => {
      assert.ok(error instanceof FaultError, text);
      assert.equal(
        error.message,
        `Cannot read fault "${text}": at ${column}: ${reason}`,
      );
      assert.equal(error.column, column);
      assert.match(error.hint ?? "", hint);
      return true;
    });
  }
});
