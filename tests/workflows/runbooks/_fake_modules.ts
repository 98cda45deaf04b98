/** Modules of tests: what they do to nodes is a list, and what goes wrong is said by the test. */

import type {
  Check,
  CheckContext,
  CheckResult,
} from "../../../workflows/checks/check.ts";
import type {
  AnyOperation,
  Effect,
  Idempotency,
  OperationProgress,
  Reconciled,
  Verdict,
} from "../../../workflows/operations/operation.ts";
import type { QuorumEffect } from "../../../workflows/etcd/quorum.ts";
import type { Json } from "../../../lib/json.ts";
import type { ValueFields } from "../../../workflows/runbook_cel/field.ts";
import type {
  Module,
  ModuleHead,
  StepContext,
} from "../../../workflows/modules/module.ts";

/** Something that was done to a node. */
export interface Deed {
  /** Name of the module. */
  readonly module: string;
  /** Node; empty for the cluster. */
  readonly node: string;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  readonly input: Readonly<Record<string, Json>>;
}

/** One call of a module. */
export interface FakeCall {
  /** Node; empty for the cluster. */
  readonly node: string;
  readonly nth: number;
  readonly context: StepContext;
  readonly input: Readonly<Record<string, Json>>;
}

/** A module that changes something. */
export interface FakeChange extends Partial<ModuleHead> {
  /** Its effect; default `write`. */
  readonly effect?: Effect;
  /** Effect of a repetition; default `converge`. */
  readonly idempotency?: Idempotency;
  /** Its effect on etcd; default none. */
  readonly quorum?: QuorumEffect;
  /** Its duration, in milliseconds; default 1 s. */
  readonly tookMs?: number;
  readonly unseen?: () => void;
  readonly spoil?: (call: FakeCall) => Verdict | void | Promise<Verdict | void>;
  readonly after?: (call: FakeCall) => Verdict | void;
  /** Finding about an earlier attempt; default whether it was done since. */
  readonly reconcile?: (node: string) => Reconciled;
  /** Its outcome; default done. */
  readonly verify?: (call: FakeCall) => Verdict;
  /** Its outputs; default none. */
  readonly gives?: (call: FakeCall) => Readonly<Record<string, Json>>;
}

/** A module that looks. */
export interface FakeLook extends Partial<ModuleHead> {
  readonly gives: (
    call: FakeCall,
  ) => Readonly<Record<string, Json>> | Promise<Readonly<Record<string, Json>>>;
}

export interface FakeModules {
  /** All of it, in order. */
  readonly deeds: Deed[];
  /** The same as text: `touch demo-worker-1`. */
  readonly done: () => readonly string[];
  /** Makes a module that changes something. */
  readonly change: (name: string, fake?: FakeChange) => Module;
  /** Makes a module that looks. */
  readonly look: (name: string, fake: FakeLook) => Module;
}

/** Makes modules, and remembers what they do. */
export function fakeModules(): FakeModules {
  const deeds: Deed[] = [];
  const calls = new Map<string, number>();

  function toCall(
    name: string,
    context: StepContext,
    input: FakeCall["input"],
  ) {
    const key = `${name}@${context.node}`;
    const nth = (calls.get(key) ?? 0) + 1;
    calls.set(key, nth);
    return { node: context.node, nth, context, input };
  }

  function change(name: string, fake: FakeChange = {}): Module {
    const { tookMs = 1_000, quorum = "none" } = fake;
    const last = new Map<string, FakeCall>();
    const doneOn = (node: string) =>
      deeds.filter((deed) => deed.module === name && deed.node === node).length;
    const operation: AnyOperation = {
      name,
      effect: fake.effect ?? "write",
      idempotency: fake.idempotency ?? "converge",
      quorum: () => quorum,
      async observe({ node }) {
        await fake.unseen?.();
        return doneOn(node);
      },
      plan: () => [{ action: name }],
      key: (done: number) => ({ done }),
      async *apply(
        context,
        input,
      ): AsyncGenerator<OperationProgress, Verdict | void> {
        // Every context of a step has a room.
        const call = toCall(name, context as StepContext, input);
        last.set(context.node, call);
        yield { text: `${name} begins` };
        const wrong = await fake.spoil?.(call);
        if (wrong) return wrong;
        await context.clock.sleep(tookMs, context.signal);
        context.signal.throwIfAborted();
        deeds.push({
          module: name,
          node: context.node,
          at: context.clock.now(),
          input,
        });
        return fake.after?.(call);
      },
      reconcile: ({ node }, _input, { done }) =>
        Promise.resolve(
          fake.reconcile?.(node) ??
            (doneOn(node) > done ? "done" : "not-started"),
        ),
      async *verify(context, input) {
        const call = last.get(context.node) ??
          {
            node: context.node,
            nth: 0,
            context: context as StepContext,
            input,
          };
        yield { text: `${name} is looked at` };
        return fake.verify?.(call) ??
          { outcome: "done", reason: `${name} was done` };
      },
    };
    const { gives } = fake;
    return {
      kind: "change",
      ...makeHead(name, fake),
      operation,
      prepare: (context, input) => ({
        input,
        ...(gives && {
          toOutput: () => gives({ node: context.node, nth: 0, context, input }),
        }),
      }),
    };
  }

  function look(name: string, { gives, ...head }: FakeLook): Module {
    return {
      kind: "read",
      ...makeHead(name, head),
      // deno-lint-ignore require-yield
      async *read(context, input) {
        return await gives(toCall(name, context, input));
      },
    };
  }

  return {
    deeds,
    done: () => deeds.map(({ module, node }) => `${module} ${node}`.trim()),
    change,
    look,
  };
}

function makeHead(name: string, given: Partial<ModuleHead>): ModuleHead {
  const { volatile = false, retryable = [], widenable = [] } = given;
  const none: ValueFields = {};
  const { safeAfter, codes } = given;
  return {
    name,
    summary: "For tests",
    scope: given.scope ?? "node",
    input: given.input ?? none,
    output: given.output ?? none,
    retryable,
    widenable,
    volatile,
    ...(safeAfter === undefined ? {} : { safeAfter }),
    ...(codes === undefined ? {} : { codes }),
  };
}

/** Makes a check whose finding the test says. */
export function fakeCheck(
  name: string,
  look: (context: CheckContext) => CheckResult | boolean,
  scope: Check["scope"] = "cluster",
): Check {
  return {
    name,
    summary: "For tests",
    scope,
    input: {},
    run(context) {
      const seen = look(context);
      if (typeof seen !== "boolean") return Promise.resolve(seen);
      const reason = `${name} does not hold`;
      return Promise.resolve<CheckResult>(
        seen ? { ok: true, seen: "" } : { ok: false, reason },
      );
    },
  };
}
