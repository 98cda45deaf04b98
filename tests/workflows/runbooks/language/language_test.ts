import assert from "node:assert/strict";
import fc from "fast-check";
import { stringify } from "yaml";
import { readDocuments } from "../../../../config/tree/read.ts";
import { fit } from "../../../../workflows/runbooks/language/match_shape.ts";
import { runbook } from "../../../../workflows/runbooks/language/language.ts";
import type { LoadOptions } from "../../../../workflows/runbooks/language/loading/load.ts";
import type { LanguageShape } from "../../../../workflows/runbooks/language/shape.ts";
import { RunbookError } from "../../../../workflows/runbooks/language/problem.ts";
import { checkRunbook } from "../../../../workflows/runbooks/language/typing/check_runbook.ts";
import { load } from "./_finders.ts";
import { anyRunbook, mend, type Value } from "./_random.ts";

const place = { file: "a.yaml", line: 1, column: 1 };

function faults(text: string): readonly string[] {
  const [document] = readDocuments(text, "a.yaml").documents;
  assert.ok(document);
  return fit(document.root, runbook, place).map(({ message }) => message);
}

Deno.test("random runbooks have the shape of the language, as JSON and as YAML", () => {
  fc.assert(
    fc.property(anyRunbook, (value) => {
      assert.deepEqual(faults(JSON.stringify(value)), []);
      assert.deepEqual(faults(stringify(value)), []);
    }),
    { numRuns: 50 },
  );
});

async function outcome(
  text: string,
  options: Partial<LoadOptions> = { check: checkRunbook },
): Promise<readonly string[]> {
  try {
    await load({ "a.yaml": text }, options);
    return [];
  } catch (error) {
    if (!(error instanceof RunbookError)) throw error;
    for (const { place } of error.problems) {
      assert.ok(place.line >= 1 && place.column >= 1);
      assert.ok(place.line <= text.split(/\r\n?|\n/).length);
    }
    return error.problems.map(({ message }) => message);
  }
}

Deno.test("random runbooks whose names exist load", async () => {
  await fc.assert(
    fc.asyncProperty(anyRunbook, async (value) => {
      assert.deepEqual(await outcome(stringify(mend(value)), {}), []);
    }),
    { numRuns: 50 },
  );
});

Deno.test("random runbooks load, or are reported as wrong", async () => {
  await fc.assert(
    fc.asyncProperty(anyRunbook, async (value) => {
      await outcome(stringify(value));
    }),
    { numRuns: 50 },
  );
});

/** Cuts, doubled pieces and marks that mean something in YAML. */
const damage = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(30),
  text: fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom(
      "- ",
      ": ",
      "{",
      "[",
      "]",
      "}",
      "&a ",
      "*a",
      "!!x ",
      "|",
      "~",
    ),
    fc.constantFrom(
      "${{ ",
      " }}",
      "__proto__",
      "constructor",
      "\n",
      "\t",
      "\0",
    ),
  ),
});

Deno.test("damaged runbooks load, or are reported as wrong, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyRunbook,
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      async (value, damages) => {
        let text = stringify(mend(value));
        for (const { at, length, text: put } of damages) {
          const from = Math.floor(at * text.length);
          text = text.slice(0, from) + put + text.slice(from + length);
        }
        await outcome(text);
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("runbooks with parts of the wrong kind are reported as wrong, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyRunbook,
      fc.nat(),
      fc.jsonValue({ maxDepth: 2 }),
      async (value, which, other) => {
        await outcome(stringify(replace(value, which, other)));
      },
    ),
    { numRuns: 100 },
  );
});

/** Puts another value in the place of one of the parts. */
function replace(value: Value, which: number, other: Value): Value {
  const count = countValues(value);
  let left = which % count;
  function walk(part: Value): Value {
    if (left-- === 0) return other;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [key, walk(inner)]),
    );
  }
  return walk(value);
}

function countValues(value: Value): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>(
    (sum, inner) => sum + countValues(inner),
    1,
  );
}

/** Names of all keys in a shape and what is in it. */
function keysIn(
  shape: LanguageShape,
  seen = new Set<LanguageShape>(),
): readonly string[] {
  if (seen.has(shape)) return [];
  seen.add(shape);
  if (shape.shape === "list" || shape.shape === "map") {
    return keysIn(shape.of, seen);
  }
  if (shape.shape !== "struct") return [];
  const all = [shape.keys, ...Object.values(shape.verbs ?? {})];
  return all.flatMap(Object.entries).flatMap((
    [name, key],
  ) => [name, ...keysIn(key.shape, seen)]);
}

Deno.test("the reference names every key of the language", async () => {
  const pages = new URL(
    "../../../../docs/runbooks/language/",
    import.meta.url,
  );
  let text = "";
  for await (const { name } of Deno.readDir(pages)) {
    text += await Deno.readTextFile(new URL(name, pages));
  }
  const keys = new Set(keysIn(runbook));
  assert.ok(keys.size > 80);
  assert.deepEqual([...keys].filter((key) => !text.includes(`\`${key}\``)), []);
});
