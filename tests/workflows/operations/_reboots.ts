/** A machine that operations reboot, clients that die, and what they write down. */

import type {
  AnyOperation,
  Operation,
  Reconciled,
  Verdict,
} from "../../../workflows/operations/operation.ts";
import type { Json } from "../../../lib/json.ts";
import type { Arbiter } from "../../../workflows/operations/arbiter.ts";
import {
  foldHistory,
  type Journal,
  type OperationRecord,
} from "../../../workflows/operations/journal.ts";
import { runOnNode } from "../../../workflows/operations/run.ts";
import { fakeContext } from "./_node_context.ts";

/** A machine that reboots: what it is, and what was done to it. */
export interface Machine {
  bootId: number;
  reboots: number;
  /** Looks until a reboot that was asked for is over; 0 when none is under way. */
  leaving: number;
}

export class Crash extends Error {}

/** Counts moments at which the client may die. */
export interface Fate {
  /** Moment of the crash; Infinity for none. */
  readonly at: number;
  moment: number;
}

export function pass(fate: Fate): void {
  fate.moment++;
  if (fate.moment === fate.at) throw new Crash();
}

/** A reboot of the machine; crashes where fate wants it. */
export function fakeReboot(
  machine: Machine,
  fate: Fate,
  outage: number,
): Operation<{ readonly wanted: number }, Machine, { readonly boot: number }> {
  const look = (): void => {
    if (machine.leaving > 0 && --machine.leaving === 0) machine.bootId++;
  };
  return {
    name: "reboot",
    effect: "disrupt",
    idempotency: "keyed",
    quorum: () => "none",
    observe: () => Promise.resolve({ ...machine }),
    plan: ({ bootId }, { wanted }) =>
      bootId >= wanted ? [] : [{ action: "reboot" }],
    key: ({ bootId }) => ({ boot: bootId }),
    async *apply() {
      yield { text: "sending" };
      pass(fate);
      machine.reboots++;
      machine.leaving = outage;
      pass(fate);
      await Promise.resolve();
    },
    reconcile(_context, _input, { boot }) {
      const found: Reconciled = machine.bootId !== boot
        ? "done"
        : machine.leaving > 0
        ? "in-progress"
        : "not-started";
      return Promise.resolve(found);
    },
    async *verify(context, _input, { boot }): AsyncGenerator<never, Verdict> {
      while (machine.bootId === boot) {
        pass(fate);
        look();
        await context.clock.sleep(1);
        yield* [];
      }
      return { outcome: "done", reason: `boot ${machine.bootId}` };
    },
  };
}

export const free: Arbiter = {
  async *admit() {
    yield* [];
    await Promise.resolve();
    return { release() {} };
  },
};

/** A journal in memory that a crash leaves as it is. */
export function fakeJournal(records: OperationRecord[], fate: Fate): Journal {
  return {
    id: "j",
    append(record) {
      pass(fate);
      records.push({ ...record, at: "" } as OperationRecord); // with the time it gets
      pass(fate);
      return Promise.resolve();
    },
  };
}

export const input: Json = { wanted: 2 };

export const begin: OperationRecord = {
  type: "begin",
  v: 1,
  id: "j",
  at: "",
  operation: "reboot",
  input,
  nodes: ["a"],
  context: "",
  allow: [],
  waitMs: 1,
};

export async function run(
  operation: AnyOperation,
  records: OperationRecord[],
  fate: Fate,
  limitMs = Infinity,
): Promise<Verdict | undefined> {
  const { context } = await fakeContext([], limitMs);
  const history = foldHistory([begin, ...records])?.nodes.get("a");
  const events = runOnNode(context, {
    operation,
    input,
    arbiter: free,
    journal: fakeJournal(records, fate),
    wait: true,
    interrupted: new AbortController().signal,
    ...(history === undefined ? {} : { history }),
  });
  for await (const event of events) {
    if ("verdict" in event) return event.verdict;
  }
  return undefined;
}

/** Runs an operation made of the given parts, without crashes. */
export async function runWith(
  parts: Partial<AnyOperation>,
  arbiter: Arbiter = free,
  limitMs = Infinity,
): Promise<
  {
    readonly verdict: Verdict | undefined;
    /** Types of the records that were written. */
    readonly types: string[];
    readonly untouched: boolean;
  }
> {
  const machine: Machine = { bootId: 1, reboots: 0, leaving: 0 };
  const fate: Fate = { at: Infinity, moment: 0 };
  const records: OperationRecord[] = [];
  const { context } = await fakeContext([], limitMs);
  if (limitMs === 0) await context.clock.sleep(0);
  const events = runOnNode(context, {
    operation: { ...fakeReboot(machine, fate, 1), ...parts },
    input,
    arbiter,
    journal: fakeJournal(records, fate),
    wait: true,
    interrupted: new AbortController().signal,
  });
  let verdict: Verdict | undefined;
  let untouched = false;
  for await (const event of events) {
    if (!("verdict" in event)) continue;
    ({ verdict, untouched = false } = event);
  }
  return { verdict, types: records.map(({ type }) => type), untouched };
}
