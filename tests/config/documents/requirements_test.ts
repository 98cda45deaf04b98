import assert from "node:assert/strict";
import { toCursor } from "../../../config/documents/cursor.ts";
import {
  expressionsIn,
  missingFields,
  unknownTo,
} from "../../../config/documents/requirements.ts";
import { isOlderMinor } from "../../../lib/version.ts";
import {
  expression,
  string,
} from "../../../config/documents/scalars/scalars.ts";
import type { Fields } from "../../../config/documents/schema.ts";
import { free, list, map, struct } from "../../../config/documents/shapes.ts";
import { toTree } from "../../../config/tree/node.ts";

const needed: Fields = {
  id: { shape: string, summary: "Which one", required: true },
  names: { shape: list(string), summary: "Its names", required: true },
};

const fields: Fields = {
  needed: { shape: struct(needed), summary: "The part", required: true },
  maybe: { shape: struct(needed), summary: "Another" },
  parts: { shape: list(struct(needed)), summary: "Parts" },
  deep: { shape: map(list(struct(needed))), summary: "Deep" },
  own: { shape: free, summary: "Own" },
};

function missing(value: Parameters<typeof toTree>[0]): string[] {
  return [...missingFields(toCursor(toTree(value)), fields)].map((
    { path, message, hint },
  ) => `${path}: ${message}; ${hint}`);
}

const good = { id: "a", names: ["b"] };

Deno.test("parts of elements and values are missing one by one", () => {
  assert.deepEqual(
    missing({
      needed: good,
      parts: [good, { id: "a" }],
      deep: { x: [good], "y z": [{ names: ["b"] }] },
    }),
    [
      'parts[1].names: "names" is missing; Give names: Its names',
      'deep."y z"[0].id: "id" is missing; Give id: Which one',
    ],
  );
});

const aged: Fields = {
  old: { shape: string, summary: "Old", until: "1.10" },
  part: {
    shape: list(struct({
      young: { shape: string, summary: "Young", since: "1.9" },
    })),
    summary: "Part",
  },
};

function unknown(version: "1.8" | "1.9" | "1.10"): string[] {
  const root = toTree({ old: "a", part: [{ young: "b" }, { young: null }] });
  return [...unknownTo(toCursor(root), aged, version)].map((
    { path, message, hint },
  ) => `${path}: ${message}; ${hint}`);
}

Deno.test("keys are unknown before one version and from another on", () => {
  assert.deepEqual(unknown("1.8"), [
    "part[0].young: Version 1.8 does not support this key; It is supported since 1.9",
  ]);
  assert.deepEqual(unknown("1.9"), []);
  assert.deepEqual(unknown("1.10"), [
    "old: Version 1.10 does not support this key; It was removed in 1.10",
  ]);
});

Deno.test("expressions are found with their environments, empty ones not", () => {
  const rules: Fields = {
    one: { shape: expression("disk"), summary: "One" },
    none: { shape: expression("disk"), summary: "None" },
    text: { shape: string, summary: "Text" },
    more: {
      shape: list(struct({
        match: { shape: expression("volume"), summary: "Match" },
      })),
      summary: "More",
    },
  };
  const root = toTree({
    one: "true",
    none: "",
    text: "false",
    more: [{ match: "a == b" }, {}],
  });
  assert.deepEqual(
    [...expressionsIn(toCursor(root), rules)].map((
      { cursor, text, environment },
    ) => [cursor.path, text, environment]),
    [[["one"], "true", "disk"], [["more", 0, "match"], "a == b", "volume"]],
  );
});

Deno.test("versions are compared as numbers", () => {
  const pairs = [
    ["1.8", "1.9"],
    ["1.9", "1.10"],
    ["1.14", "2.0"],
    ["1.9", "1.9"],
    ["1.10", "1.9"],
    ["2.0", "1.14"],
  ] as const;
  assert.deepEqual(
    pairs.map(([a, b]) => isOlderMinor(a, b)),
    [true, true, true, false, false, false],
  );
});
