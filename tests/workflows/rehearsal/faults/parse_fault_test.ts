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
    "etcd/cp-3: unhealthy @ controlplane/* for 4m": {
      where: { kind: "etcd", glob: "cp-3" },
      what: "unhealthy",
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
    "rpc/Upgrade/worker-*: drop-after-send times 2": {
      where: { kind: "rpc", method: "Upgrade", node: "worker-*" },
      what: "drop-after-send",
      at: start,
      times: 2,
    },
    "rpc/*: error failed-precondition @ call 12": {
      where: { kind: "rpc", method: "*" },
      what: "error",
      code: "FAILED_PRECONDITION",
      at: { kind: "call", number: 12 },
    },
    "clock: skew -10m @ 30s": {
      where: { kind: "clock" },
      what: "skew",
      ms: -600_000,
      at: { kind: "time", ms: 30_000 },
    },
    "etcd/*: alarm nospace": {
      where: { kind: "etcd", glob: "*" },
      what: "alarm",
      alarm: "NOSPACE",
      at: start,
    },
    "node/worker: joins @ prepull": {
      where: { kind: "node", glob: "worker" },
      what: "joins",
      at: { kind: "step", glob: "prepull" },
    },
    "k8s: down": { where: { kind: "k8s" }, what: "down", at: start },
    "registry: not-found": {
      where: { kind: "registry" },
      what: "not-found",
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

Deno.test("what cannot be read is named with its place and what would be right", () => {
  const wrong: readonly [string, number, string, RegExp][] = [
    ["runner kill", 12, "the fault is missing", /^Write <where>: <what>/],
    [
      "nodes/a: down",
      1,
      '"nodes/a" is not a target for faults',
      /node\/<name>/,
    ],
    ["node/: down", 1, '"node/" is not a target for faults', /Known: runner/],
    ["k8s:", 5, "the fault is missing", /Known: down/],
    [
      "node/a: never-return",
      9,
      '"never-return" is not a fault of node',
      /Did you mean "never-returns"\?/,
    ],
    ["node/a: slow", 13, '"slow" needs a value', /duration such as/],
    ["node/a: slow soon", 14, '"soon" is not a duration', /duration such as/],
    ["node/a: slow -5s", 14, '"-5s" is not a duration', /duration such as/],
    ["rpc/*: error BAD", 14, '"BAD" is not a gRPC status', /UNAVAILABLE/],
    ["etcd/a: alarm FIRE", 15, '"FIRE" is not an alarm', /NOSPACE, CORRUPT/],
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
