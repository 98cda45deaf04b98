/** Random runbooks, made from the description of the language. */

import fc from "fast-check";
import { runbook } from "../../../../workflows/runbooks/language/language.ts";
import type {
  Keys,
  LanguageScalar,
  LanguageShape,
  LanguageStruct,
} from "../../../../workflows/runbooks/language/shape.ts";

/** A value as JSON has it. */
export type Value = unknown;

const ids = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);

/** Values for what is expected, by the words of the description. */
const samples: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  "a text": fc.string({ minLength: 1, maxLength: 12 }).filter((text) =>
    text.trim() === text && !text.includes("${{")
  ),
  "true or false": fc.boolean(),
  "a whole number from 1": fc.integer({ min: 1, max: 99 }),
  "a number from 1": fc.integer({ min: 1, max: 9 }),
  "a duration such as 90s or 1h30m": fc.constantFrom("5s", "1h30m", "0"),
  "a number such as 2, or a percentage such as 25%": fc.constantFrom(
    1,
    2,
    "25%",
  ),
  "a condition such as node.role == 'worker'": fc.constantFrom(
    "node.ready",
    "1 < 2",
    "inputs.x",
  ),
  "a time such as 20:00": fc.constantFrom("00:00", "23:59"),
  "a time zone such as Europe/Berlin": fc.constantFrom("UTC", "Europe/Berlin"),
  "a regular expression such as [a-z]+": fc.constant("[a-z]*"),
  "a range of versions such as >=1.0.0": fc.constant(">=1.0.0 <2.0.0"),
};

/** A tree that fits the language; what it names need not exist. */
export const anyRunbook: fc.Arbitrary<Value> = of(runbook, 3);

function of(shape: LanguageShape, depth: number): fc.Arbitrary<Value> {
  switch (shape.shape) {
    case "free":
      return fc.jsonValue({ maxDepth: 2, stringUnit: "grapheme" })
        .filter((value) => value !== null);
    case "scalar":
      return scalar(shape);
    case "list": {
      const list = fc.array(
        fc.constant(null).chain(() => of(shape.of, depth)),
        { minLength: shape.filled ? 1 : 0, maxLength: 2 },
      );
      return shape.alone ? fc.oneof(of(shape.of, depth), list) : list;
    }
    case "map":
      return fc.dictionary(ids, of(shape.of, depth), { maxKeys: 2 });
    case "struct": {
      const whole = struct(shape, depth);
      return shape.short === undefined
        ? whole
        : fc.oneof(scalar(shape.short), whole);
    }
  }
}

function scalar(shape: LanguageScalar): fc.Arbitrary<Value> {
  if (shape.words !== undefined) return fc.constantFrom(...shape.words);
  // Names have a form of their own, which small words fit.
  return samples[shape.expected] ?? ids;
}

function struct(shape: LanguageStruct, depth: number): fc.Arbitrary<Value> {
  if (shape.verbs === undefined) return keys(shape.keys, depth);
  const verbs = Object.entries(shape.verbs).filter(([verb]) =>
    depth > 0 || !["forEach", "block"].includes(verb)
  );
  return fc.constantFrom(...verbs).chain(([verb, own]) =>
    keys({ ...shape.keys, ...own }, depth - 1, verb)
  );
}

function keys(
  described: Keys,
  depth: number,
  verb?: string,
): fc.Arbitrary<Value> {
  const entries = Object.entries(described);
  const requiredKeys = entries.flatMap(([name, key]) =>
    key.required || name === verb ? [name] : []
  );
  const values = Object.fromEntries(
    entries.map(([name, { shape }]) => [name, of(shape, depth)]),
  );
  return fc.record(values, { requiredKeys });
}

interface Mending {
  readonly onNode: boolean;
  readonly ids: { next: number };
}

type Mapping = Record<string, Value>;

/**
 * Makes what a random runbook names exist, so that nothing in it is wrong.
 *
 * @param value A tree of {@linkcode anyRunbook}.
 */
export function mend(value: Value): Value {
  const { groups: _, inputs: __, policy: ___, ...rest } = value as Mapping;
  const mending = { onNode: rest["per"] === "node", ids: { next: 0 } };
  return { ...rest, groups: { all: {} }, ...mendLists(rest, mending) };
}

function mendLists(value: Mapping, mending: Mending): Mapping {
  const lists = ["steps", "block", "rescue", "always"].flatMap((key) => {
    const list = value[key];
    return Array.isArray(list)
      ? [[key, list.map((step) => mendStep(step, mending))]]
      : [];
  });
  return Object.fromEntries(lists);
}

function mendStep(step: Mapping, mending: Mending): Mapping {
  const id = `s${mending.ids.next++}`;
  const { title, when, onFailure, pointOfNoReturn } = step;
  const given = Object.entries({ title, when, onFailure, pointOfNoReturn })
    .filter(([, value]) => value !== undefined);
  const head = { ...Object.fromEntries(given), id };
  if ("run" in step) {
    const { timeout = "5m", until = { condition: "result.ok" } } = step;
    return { ...head, run: "etcd.status", timeout, until };
  }
  if ("gate" in step) {
    const { within = "5m", holdFor = "1s" } = step;
    return { ...head, gate: "cluster.health", within, holdFor };
  }
  if ("decide" in step) {
    return { ...head, decide: { name: id, value: "${{ 1 }}" } };
  }
  if ("use" in step || ("forEach" in step && mending.onNode)) {
    return { ...head, sleep: "1s" };
  }
  if ("forEach" in step) {
    const within = { ...mending, onNode: true };
    return { ...head, forEach: "all", ...mendLists(step, within) };
  }
  if ("block" in step) return { ...head, ...mendLists(step, mending) };
  return { ...step, id };
}
