import assert from "node:assert/strict";
import {
  ConfigError,
  ConnectError,
  exitStatus,
  LockedError,
  NodesError,
  OsctlError,
  OutcomeError,
  RefusedError,
  type RpcCode,
  RpcError,
  TimeoutError,
} from "../../../../errors.ts";
import { KubernetesError } from "../../../../workflows/kubernetes/client.ts";
import type { Outcome } from "../../../../workflows/operations/operation.ts";
import {
  byCause,
  codeOfError,
  codeOfVerdict,
  formatMessage,
  Halt,
} from "../../../../workflows/runbooks/engine/failure.ts";
import type { Failure } from "../../../../workflows/runbooks/journal/record.ts";

import { openBench } from "../_bench.ts";

function verdictCode(outcome: Outcome, code?: string): string {
  const verdict = { outcome, reason: "r", ...(code ? { code } : {}) };
  return codeOfVerdict(verdict, {});
}

Deno.test("a verdict has the code of its outcome", () => {
  const codes = {
    "rolled-back": "rolled-back",
    "never-returned": "never-returned",
    "never-rebooted": "deadline",
    "timed-out": "deadline",
    failed: "precondition",
    refused: "refused",
    "in-doubt": "in-doubt",
    // Good ends have none.
    done: "internal",
    unchanged: "internal",
    accepted: "internal",
  } satisfies Record<Outcome, string>;
  for (const [outcome, code] of Object.entries(codes)) {
    assert.equal(verdictCode(outcome as Outcome), code, outcome); // a key of it
  }
});

Deno.test("failure: the node's message takes precedence over the outcome", () => {
  const codes = {
    UNAVAILABLE: "unavailable",
    CANCELLED: "unavailable",
    DATA_LOSS: "unavailable",
    DEADLINE_EXCEEDED: "deadline",
    UNAUTHENTICATED: "unauthenticated",
    PERMISSION_DENIED: "permission",
    FAILED_PRECONDITION: "precondition",
    RESOURCE_EXHAUSTED: "busy",
    ABORTED: "busy",
    INVALID_ARGUMENT: "invalid",
    NOT_FOUND: "invalid",
    UNIMPLEMENTED: "invalid",
  } satisfies Partial<Record<RpcCode, string>>;
  for (const [status, code] of Object.entries(codes)) {
    assert.equal(verdictCode("failed", status), code, status);
    // A key of it.
    assert.equal(codeOfError(new RpcError(status as RpcCode, "m")), code);
  }
  assert.equal(verdictCode("failed", "not-started"), "not-started");
  assert.equal(verdictCode("failed", "unreachable"), "unavailable");
  assert.equal(verdictCode("failed", "INTERNAL"), "precondition");
  assert.equal(codeOfError(new RpcError("INTERNAL", "m")), "precondition");
});

Deno.test("failure: a refusal has the code of its rule", () => {
  for (const rule of ["S1", "S2", "S3", "S4"]) {
    assert.equal(verdictCode("refused", rule), "quorum-risk", rule);
  }
  for (
    const code of [
      "lease-lost",
      "deadline",
      "quorum-risk",
      "cancelled",
      "in-doubt",
    ]
  ) {
    assert.equal(verdictCode("refused", code), code);
  }
  assert.equal(verdictCode("refused", "S16"), "refused");
  assert.equal(verdictCode("failed", "S1"), "precondition");
});

Deno.test("a module says what an outcome means to it", () => {
  const codes = { "timed-out": "drain-blocked" } as const;
  const verdict = { outcome: "timed-out", reason: "r", code: "S1" } as const;
  assert.equal(codeOfVerdict(verdict, { codes }), "drain-blocked");
  const failed = { ...verdict, outcome: "failed" } as const;
  assert.equal(codeOfVerdict(failed, { codes }), "precondition");
});

Deno.test("what is in doubt and may be repeated has the code of a failure of its module, so that it is retried", () => {
  const doubt = { outcome: "in-doubt", reason: "the reply was lost" } as const;
  const codes = { failed: "registry" } as const;
  const repeatable = { ...doubt, code: "not-started" };
  assert.equal(codeOfVerdict(repeatable, { codes }), "registry");
  assert.equal(codeOfVerdict(repeatable, {}), "not-started");
  assert.equal(codeOfVerdict(doubt, { codes }), "in-doubt");
});

Deno.test("an error has the code of its kind", () => {
  const errors: readonly (readonly [Error, string])[] = [
    [new ConnectError("refused", "m"), "unavailable"],
    [new TimeoutError("m"), "deadline"],
    [new RefusedError("m"), "refused"],
    [new ConfigError("m"), "invalid"],
    [new LockedError("m"), "lease-lost"],
    [new OutcomeError("rolled-back", "m", exitStatus.failed), "rolled-back"],
    [new OutcomeError("toString", "m", exitStatus.failed), "precondition"],
    [new KubernetesError(0, "m"), "unavailable"],
    [new KubernetesError(503, "m"), "unavailable"],
    [new KubernetesError(404, "m"), "precondition"],
    [new OsctlError("m"), "precondition"],
    [
      new OsctlError("m", { cause: new RpcError("UNAVAILABLE", "m") }),
      "unavailable",
    ],
    [
      new RefusedError("m", { cause: new RpcError("UNAVAILABLE", "m") }),
      "refused",
    ],
  ];
  for (const [error, code] of errors) {
    assert.equal(codeOfError(error), code, error.name);
  }
});

Deno.test("of several nodes the first one counts", () => {
  const failures = new Map<string, unknown>([
    ["w-1", new TimeoutError("took too long", { hint: "wait" })],
    ["w-2", new ConfigError("m")],
  ]);
  const error = new NodesError(failures, 3);
  assert.equal(codeOfError(error), "deadline");
  assert.equal(formatMessage(error), "took too long (wait)");
  const odd = new NodesError(new Map([["w-1", "a string"]]), 1);
  assert.equal(codeOfError(odd), "internal");
  assert.equal(formatMessage(odd), "1 of 1 nodes failed");
});

Deno.test("a message is one line, with the hint", () => {
  assert.equal(formatMessage(new OsctlError("Cannot do it")), "Cannot do it");
  assert.equal(
    formatMessage(new OsctlError("Cannot do it", { hint: "Try again" })),
    "Cannot do it (Try again)",
  );
});

Deno.test("a programming error is thrown again", () => {
  const bug = new TypeError("undefined is not a function");
  assert.throws(() => codeOfError(bug), bug);
  assert.throws(() => formatMessage(bug), bug);
});

Deno.test("a halt is not a failure, and says why", () => {
  const halt = new Halt("approval", "waits");
  assert.deepEqual([halt.name, halt.why, halt.message], [
    "Halt",
    "approval",
    "waits",
  ]);
  assert.equal(halt instanceof OsctlError, false);
});

Deno.test("of nodes that fail together the one is reported that the others waited for, and they are named", async () => {
  await using bench = await openBench();
  await bench.inject({ what: "never-returns", node: "demo-worker-2" });
  const ran = await bench.run(`
groups: { workers: { role: worker, order: [name] } }
steps:
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 2, maxUnavailable: 2 } }
    steps:
      - { id: reboot, run: reboot, timeout: 5m }
      - { id: back, gate: cluster.health, within: 2m }
`);
  assert.equal(ran.verdict, "failed 4");
  const { code, step, message = "" } = ran.end?.failure ?? {};
  assert.deepEqual([code, step], ["never-returned", "workers/reboot"]);
  assert.match(
    message,
    /^demo-worker-2 failed: reboot: demo-worker-2: .*; also failed: demo-worker-1 \(gate-timeout\)$/,
  );
});

Deno.test("the causes come in the order of time, and those that waited for others behind them", () => {
  const failure = (code: Failure["code"]) => ({ code, step: "a", message: "" });
  const failures = new Map([
    ["a", failure("gate-timeout")],
    ["b", failure("internal")],
    ["c", failure("cancelled")],
    ["d", failure("never-returned")],
    ["e", failure("drain-blocked")],
  ]);
  assert.deepEqual(
    byCause(failures).map(([node]) => node),
    ["b", "d", "a", "c", "e"],
  );
});
