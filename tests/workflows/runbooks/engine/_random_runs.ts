/** Random runbooks that can be run with the modules of a test. */

import fc from "fast-check";

/** A step as YAML has it. */
export type RandomStep = Readonly<Record<string, unknown>>;

/** A runbook as YAML has it. */
export interface RandomRunbook {
  /** Groups: all nodes, the workers, and nobody. */
  readonly groups: Readonly<Record<string, unknown>>;
  /** The work. */
  readonly steps: readonly RandomStep[];
  /** In any case. */
  readonly always: readonly RandomStep[];
}

/** Modules of nodes, of which `close` passes by itself. */
const onNode = ["touch", "write", "close"];

/** Modules of the cluster. */
const onCluster = ["mark", "count"];

/** Modules that may be done again: what is done in any case is done at every entry. */
function again({ modules }: Place): readonly string[] {
  return modules === onNode ? ["close"] : ["count"];
}

interface Place {
  readonly modules: readonly string[];
  readonly depth: number;
  readonly fails: boolean;
}

/**
 * A runbook.
 *
 * @param fails Whether steps of nodes may fail for good, so that the run is partial.
 */
export function anyRun(fails: boolean): fc.Arbitrary<RandomRunbook> {
  const place = { modules: onCluster, depth: 2, fails };
  return fc.record({
    groups: fc.constant({
      all: {},
      workers: { role: "worker" },
      none: { names: [] },
    }),
    steps: list(anySteps(place, true), 1, 4),
    always: list(anyLastStep(place), 0, 1),
  }).map(number);
}

function list(
  step: fc.Arbitrary<RandomStep>,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<readonly RandomStep[]> {
  return fc.array(step, { minLength, maxLength });
}

function anySteps(place: Place, fansOut: boolean): fc.Arbitrary<RandomStep> {
  const { modules, depth, fails } = place;
  const simple: fc.Arbitrary<RandomStep>[] = [
    fc.constantFrom(...modules).map((run) => ({ run })),
    fc.constantFrom(...modules).map((run) => ({ run, when: "1 > 2" })),
    fc.constantFrom("1s", "1m").map((sleep) => ({ sleep })),
    fc.constant({ gate: "well", holdFor: "4s" }),
    fc.constant({ assert: { that: "size(groups.none) == 0" } }),
  ];
  if (fails && modules === onNode) simple.push(fc.constant({ run: "fail" }));
  if (depth === 0) return fc.oneof(...simple);
  const inner = { ...place, depth: depth - 1 };
  const block = fc.record({
    block: list(anySteps(inner, false), 1, 3),
    rescue: list(anySteps({ ...inner, fails: false }, false), 0, 1),
    always: list(anyLastStep(inner), 0, 1),
  });
  if (!fansOut) return fc.oneof(...simple, block);
  const nodes = { ...inner, modules: onNode };
  const forEach = fc.record({
    forEach: fc.record({
      nodes: fc.constantFrom("all", "workers", "none"),
      strategy: fc.record({
        batch: fc.constantFrom<unknown>(1, 2, "50%", [1, 2]),
        maxFailures: fc.constant("100%"),
      }),
    }),
    steps: list(anySteps(nodes, false), 1, 3),
    always: list(anyLastStep(nodes), 0, 1),
  });
  return fc.oneof(...simple, block, forEach, forEach);
}

function anyLastStep(place: Place): fc.Arbitrary<RandomStep> {
  return fc.constantFrom(...again(place)).map((run) => ({ run }));
}

/** Gives every step an id of its own. */
function number(runbook: RandomRunbook): RandomRunbook {
  let next = 0;
  const all = (steps: unknown): unknown =>
    Array.isArray(steps) ? steps.map(one) : steps;
  function one(step: RandomStep): RandomStep {
    const { block, steps, rescue, always, ...rest } = step;
    const lists = Object.entries({ block, steps, rescue, always })
      .flatMap(([key, value]) =>
        value === undefined ? [] : [[key, all(value)]]
      );
    return { id: `s${next++}`, ...rest, ...Object.fromEntries(lists) };
  }
  return {
    ...runbook,
    steps: runbook.steps.map(one),
    always: runbook.always.map(one),
  };
}
