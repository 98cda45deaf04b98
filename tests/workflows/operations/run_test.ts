import assert from "node:assert/strict";
import {
  ConnectError,
  LockedError,
  RefusedError,
  RpcError,
} from "../../../errors.ts";
import { KubernetesError } from "../../../workflows/kubernetes/client.ts";
import type {
  AnyOperation,
  Reconciled,
  Verdict,
} from "../../../workflows/operations/operation.ts";
import type { OperationRecord } from "../../../workflows/operations/journal.ts";
import { runOnNode } from "../../../workflows/operations/run.ts";
import {
  Crash,
  fakeJournal,
  fakeReboot,
  type Fate,
  free,
  input,
  type Machine,
  run,
  runWith,
} from "./_reboots.ts";
import { fakeContext } from "./_node_context.ts";

Deno.test("a client that dies at any moment, and again, reboots a machine once", async () => {
  let crashes = 0;
  for (const outage of [1, 3, 7]) {
    for (let first = 1; first < 40; first++) {
      for (const second of [Infinity, 1, 2, 3, 5]) {
        const machine: Machine = { bootId: 1, reboots: 0, leaving: 0 };
        const records: OperationRecord[] = [];
        const verdicts: (Verdict | undefined)[] = [];
        for (const at of [first, second, Infinity]) {
          const fate: Fate = { at, moment: 0 };
          const operation = fakeReboot(machine, fate, outage);
          try {
            verdicts.push(await run(operation, records, fate));
          } catch (error) {
            if (!(error instanceof Crash)) throw error;
            crashes++;
          }
        }
        assert.equal(machine.reboots, 1, `crashes at ${first} and ${second}`);
        assert.equal(verdicts.at(-1)?.outcome, "done");
      }
    }
  }
  assert.ok(crashes > 200);
});

Deno.test("an intent is written before, an acknowledgement after the call", async () => {
  const { verdict, types } = await runWith({});
  assert.equal(verdict?.outcome, "done");
  assert.deepEqual(types, ["intent", "ack", "outcome"]);
});

Deno.test("nothing is sent when there is nothing to do", async () => {
  const { verdict, types } = await runWith({ plan: () => [] });
  assert.deepEqual(verdict, { outcome: "unchanged", reason: "nothing to do" });
  assert.deepEqual(types, ["outcome"]);
});

Deno.test("a rule that forbids it leaves no intent", async () => {
  const { verdict, types } = await runWith({}, {
    async *admit() {
      yield { text: "waiting" };
      await Promise.resolve();
      return {
        rule: "S3",
        reason: "one member",
        allowance: "single-member-downtime",
        passing: false,
      };
    },
  });
  assert.deepEqual(verdict, {
    outcome: "refused",
    reason: "one member (S3; --allow single-member-downtime)",
    code: "S3",
  });
  assert.deepEqual(types, ["outcome"]);
});

/** A call that goes wrong. */
function failing(error: Error): Partial<AnyOperation> {
  return {
    // deno-lint-ignore require-yield
    async *apply() {
      await Promise.resolve();
      throw error;
    },
  };
}

Deno.test("run: a node that is unreachable before the request may be reached later", async () => {
  const found = async (error: Error) =>
    (await runWith({ observe: () => Promise.reject(error) })).verdict;
  const reason = "away";
  const away = [
    new ConnectError("refused", reason),
    new KubernetesError(0, reason),
    new KubernetesError(503, reason),
  ];
  for (const error of away) {
    const verdict = { outcome: "failed", reason, code: "unreachable" };
    assert.deepEqual(await found(error), verdict);
  }
  assert.deepEqual(await found(new KubernetesError(404, reason)), {
    outcome: "failed",
    reason,
  });
  assert.equal((await found(new LockedError(reason)))?.code, "lease-lost");
});

const lost = new ConnectError("lost", "Connection lost");

const resumes =
  "Check the node, then resume it: it is sent again if nothing has happened";

Deno.test("a connection that took the reply with it is waited for, and in doubt when it stays away", async () => {
  const found = async (...answers: readonly (Reconciled | Error)[]) => {
    let asked = 0;
    const { verdict } = await runWith({
      ...failing(lost),
      reconcile() {
        const answer = answers[Math.min(asked++, answers.length - 1)];
        return answer instanceof Error
          ? Promise.reject(answer)
          : Promise.resolve(answer ?? "unknown");
      },
      // deno-lint-ignore require-yield
      async *verify() {
        await Promise.resolve();
        return { outcome: "done", reason: "seen" };
      },
    });
    return { outcome: verdict?.outcome, asked };
  };
  assert.deepEqual(await found(lost, lost, "done"), {
    outcome: "done",
    asked: 3,
  });
  assert.equal((await found(lost)).outcome, "in-doubt");
  const no = new RpcError("PERMISSION_DENIED", "not for you");
  assert.deepEqual(await found(no), { outcome: "failed", asked: 1 });
});

Deno.test("run: a refusal is a failure of the node, a bug one of the program", async () => {
  const refused = new RpcError("FAILED_PRECONDITION", "not now");
  assert.deepEqual((await runWith(failing(refused))).verdict, {
    outcome: "failed",
    reason: "not now",
    code: "FAILED_PRECONDITION",
  });
  await assert.rejects(runWith(failing(new TypeError("oops"))), {
    name: "TypeError",
  });
});

Deno.test("a plan that a rule forbids is a refusal", async () => {
  const { verdict, types } = await runWith({
    plan() {
      throw new RefusedError("too far");
    },
  });
  assert.deepEqual(verdict, { outcome: "refused", reason: "too far" });
  assert.deepEqual(types, ["outcome"]);
});

Deno.test("nothing is sent to a node whose turn comes when the time is up", async () => {
  const { verdict, types } = await runWith({}, free, 0);
  assert.equal(verdict?.outcome, "timed-out");
  assert.deepEqual(types, ["outcome"]);
});

Deno.test("run: finishes a partly done operation without repeating requests", async () => {
  const sent: string[] = [];
  const parts = (found: readonly Reconciled[]): Partial<AnyOperation> => {
    const answers = found.values();
    return {
      ...failing(lost),
      reconcile: () => Promise.resolve(answers.next().value ?? "unknown"),
      // deno-lint-ignore require-yield
      async *resume() {
        await Promise.resolve();
        sent.push("rest");
        if (sent.length > 1) throw lost;
      },
      // deno-lint-ignore require-yield
      async *verify() {
        await Promise.resolve();
        return { outcome: "done", reason: "seen" };
      },
    };
  };
  const { verdict, types } = await runWith(parts(["partly"]));
  assert.equal(verdict?.outcome, "done");
  assert.deepEqual(sent, ["rest"]);
  assert.deepEqual(types, ["intent", "ack", "outcome"]);
  const again = await runWith(parts(["partly", "partly"]));
  assert.equal(again.verdict?.outcome, "failed");
  assert.deepEqual(sent, ["rest", "rest"]);
});

Deno.test("run: an error of the clock during a call is not a bug", async () => {
  const { verdict } = await runWith(
    {
      // deno-lint-ignore require-yield
      async *apply({ clock, signal }) {
        await clock.sleep(1_000);
        signal.throwIfAborted();
      },
    },
    free,
    500,
  );
  assert.deepEqual(verdict, {
    outcome: "timed-out",
    reason: "timed out while the node was working on it",
  });
});

Deno.test("time that is up before anything was sent says so", async () => {
  const { verdict, types } = await runWith(
    {
      async observe({ clock, signal }) {
        await clock.sleep(1_000);
        signal.throwIfAborted();
      },
    },
    free,
    500,
  );
  assert.deepEqual(verdict, {
    outcome: "timed-out",
    reason: "timed out before anything was sent",
  });
  assert.deepEqual(types, ["outcome"]);
});

/** A call in two steps; `trouble` is what the second one raises. */
function inSteps(trouble: Error | undefined): Partial<AnyOperation> {
  return {
    touches: "at-step",
    async *apply() {
      yield { text: "getting ready" };
      await Promise.resolve();
      yield { text: "first", step: "install" };
      yield { text: "second", step: "reboot" };
      if (trouble !== undefined) throw trouble;
    },
  };
}

Deno.test("steps are written down before they are taken, and are reported to who looks", async () => {
  const reported: unknown[] = [];
  const { types, untouched } = await runWith({
    ...inSteps(lost),
    reconcile(_context, _input, _key, attempt) {
      reported.push(attempt);
      return Promise.resolve("not-started");
    },
  });
  assert.deepEqual(types, ["intent", "step", "step", "outcome"]);
  assert.deepEqual(reported, [
    {
      acknowledged: false,
      steps: ["install", "reboot"],
      sentAt: 0,
      unsent: false,
    },
  ]);
  assert.equal(untouched, false);
});

Deno.test("run: observers see the records of an earlier client", async () => {
  const records: OperationRecord[] = [
    { type: "intent", at: "", node: "a", key: { boot: 1 } },
    { type: "step", at: "", node: "a", step: "install" },
    { type: "ack", at: "", node: "a" },
  ];
  const reported: unknown[] = [];
  const machine: Machine = { bootId: 2, reboots: 0, leaving: 0 };
  const fate: Fate = { at: Infinity, moment: 0 };
  await run(
    {
      ...fakeReboot(machine, fate, 1),
      reconcile(_context, _input, _key, attempt) {
        reported.push(attempt);
        return Promise.resolve("done");
      },
    },
    records,
    fate,
  );
  assert.deepEqual(reported, [{
    acknowledged: true,
    steps: ["install"],
    sentAt: undefined,
  }]);
});

Deno.test("a node is untouched until it is requested something", async () => {
  const late = new RefusedError("not now");
  const waits: Partial<AnyOperation> = {
    // deno-lint-ignore require-yield
    async *verify() {
      await Promise.resolve();
      return { outcome: "timed-out", reason: "seen" };
    },
  };
  const touched = async (parts: Partial<AnyOperation>) =>
    !(await runWith({ ...waits, ...parts })).untouched;
  assert.equal(await touched({}), true);
  assert.equal(await touched({ touches: "never" }), false);
  assert.equal(await touched(inSteps(undefined)), true);
  assert.equal(await touched({ ...failing(late), touches: "at-step" }), false);
  assert.equal((await runWith({}, free, 0)).untouched, true);
});

Deno.test("run: stopping early lets the operation clean up", async () => {
  const machine: Machine = { bootId: 1, reboots: 0, leaving: 0 };
  const fate: Fate = { at: Infinity, moment: 0 };
  let isBack = false;
  const { context } = await fakeContext([], Infinity);
  const events = runOnNode(context, {
    operation: {
      ...fakeReboot(machine, fate, 1),
      async *verify() {
        try {
          yield await Promise.resolve({ text: "at it" });
          return { outcome: "done", reason: "" };
        } finally {
          isBack = true;
        }
      },
    },
    input,
    arbiter: free,
    journal: fakeJournal([], fate),
    wait: true,
    interrupted: new AbortController().signal,
  });
  for await (const event of events) {
    if ("progress" in event && event.progress === "at it") break;
  }
  assert.equal(isBack, true);
});

Deno.test("a lost reply that could not be looked into in time is no doubt yet", async () => {
  const { verdict } = await runWith(
    {
      ...failing(lost),
      async reconcile({ clock }) {
        await clock.sleep(1_000);
        return "unknown";
      },
    },
    free,
    500,
  );
  assert.deepEqual(verdict, {
    outcome: "timed-out",
    reason: "the reply was lost: Connection lost",
    hint: resumes,
  });
});

Deno.test("an earlier attempt that could not be watched long enough is no doubt yet", async () => {
  const records: OperationRecord[] = [
    { type: "intent", at: "", node: "a", key: { boot: 1 } },
  ];
  const machine: Machine = { bootId: 2, reboots: 0, leaving: 0 };
  const fate: Fate = { at: Infinity, moment: 0 };
  const unknown = (waitMs: number): AnyOperation => ({
    ...fakeReboot(machine, fate, 1),
    async reconcile({ clock }) {
      await clock.sleep(waitMs);
      return "unknown";
    },
  });
  const outcome = async (waitMs: number) =>
    (await run(unknown(waitMs), [...records], fate, 1_000))?.outcome;
  assert.equal(await outcome(1_000), "timed-out");
  assert.equal(await outcome(500), "in-doubt");
});
