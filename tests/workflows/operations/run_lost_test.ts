import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import type {
  AnyOperation,
  Reconciled,
  Verdict,
} from "../../../workflows/operations/operation.ts";
import { runOnNode } from "../../../workflows/operations/run.ts";
import {
  fakeJournal,
  fakeReboot,
  type Fate,
  free,
  input,
  type Machine,
  runWith,
} from "./_reboots.ts";
import { fakeContext } from "./_node_context.ts";

const resumes =
  "Check the node, then resume it: it is sent again if nothing has happened";

/** A call whose connection is lost. */
const lostOnItsWay: Partial<AnyOperation> = {
  // deno-lint-ignore require-yield
  async *apply() {
    await Promise.resolve();
    throw new ConnectError("lost", "Connection lost");
  },
};

Deno.test("a lost reply is resolved by looking", async () => {
  const found = async (state: Reconciled) =>
    (await runWith({
      ...lostOnItsWay,
      reconcile: () => Promise.resolve(state),
      // deno-lint-ignore require-yield
      async *verify() {
        await Promise.resolve();
        return { outcome: "done", reason: "seen" };
      },
    })).verdict;
  assert.deepEqual(await found("done"), { outcome: "done", reason: "seen" });
  assert.deepEqual(await found("in-progress"), {
    outcome: "done",
    reason: "seen",
  });
  const doubt = {
    outcome: "in-doubt",
    reason: "the reply was lost: Connection lost",
    hint: resumes,
  };
  assert.deepEqual(await found("unknown"), doubt);
  // Sent requests may still arrive.
  assert.deepEqual(await found("not-started"), doubt);
  const harmless = await runWith({
    ...lostOnItsWay,
    idempotency: "converge",
    reconcile: () => Promise.resolve("not-started"),
  });
  assert.deepEqual(harmless.verdict, {
    outcome: "in-doubt",
    reason: "the reply was lost: Connection lost",
    hint: "It may still happen; running it again does no harm",
    code: "not-started",
  });
});

Deno.test("a request that was never sent has not started, and may be tried again", async () => {
  const refused = new ConnectError("refused", "Cannot connect");
  const attempts: unknown[] = [];
  const { verdict } = await runWith({
    // deno-lint-ignore require-yield
    async *apply() {
      await Promise.resolve();
      throw refused;
    },
    reconcile(_context, _input, _key, attempt) {
      attempts.push(attempt);
      return Promise.resolve("not-started");
    },
  });
  assert.deepEqual(verdict, {
    outcome: "failed",
    reason: "Cannot connect",
    code: "not-started",
  });
  const unsent = { acknowledged: false, steps: [], sentAt: 0, unsent: true };
  assert.deepEqual(attempts, [unsent]);
});

Deno.test("run: a retry does not repeat a sent request, only a resume does", async () => {
  const machine: Machine = { bootId: 1, reboots: 0, leaving: 0 };
  const fate: Fate = { at: Infinity, moment: 0 };
  const { context } = await fakeContext([], Infinity);
  const sent = async (again: boolean) => {
    const events = runOnNode(context, {
      operation: fakeReboot(machine, fate, 1),
      input,
      arbiter: free,
      journal: fakeJournal([], fate),
      wait: true,
      interrupted: new AbortController().signal,
      history: { key: { boot: machine.bootId }, acknowledged: false, again },
    });
    const { verdict } = (await Array.fromAsync(events)).findLast((event) =>
      "verdict" in event
    ) as { readonly verdict: Verdict };
    return [verdict.outcome, machine.reboots];
  };
  assert.deepEqual(await sent(true), ["in-doubt", 0]);
  assert.deepEqual(await sent(false), ["done", 1]);
});
