import assert from "node:assert/strict";
import fc from "fast-check";
import { ConfigError } from "../../../errors.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { mutants } from "./_mutated_yaml.ts";

/**
 * What comes of a text: how many documents with and without a value, or why none. Work that grows with the square of the
 * text takes minutes here, and no test may take more than two seconds of processor time.
 */
function outcome(text: string): string {
  try {
    const { documents, empty } = readDocuments(text, "f");
    return `${documents.length} and ${empty.length} empty`;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replace('Cannot read "f"', "").trim();
  }
}

const tooMuch = ": it contains more than 500,000 values and comments";
const aliases = "its aliases expand to too many values";
const many = 100_000;
const letters = [..."abcdefghijklmnopqrst"];

/** A chain of anchors, each of which is made of the one before. */
function chain(make: (name: string, last: string) => string): string {
  return letters.map((name, i) => make(name, letters[i - 1] ?? "")).join("");
}

/** Text, what comes of it. */
const cases: Readonly<Record<string, readonly [string, string]>> = {
  "nothing": ["", "0 and 0 empty"],
  "blanks": [" \n\t\n", "0 and 0 empty"],
  "comments alone": ["# a\n# b\n", "0 and 0 empty"],
  "empty documents": ["---\n---\na: 1\n---\n# c\n...\n", "1 and 2 empty"],
  "line breaks of Windows": ["a: 1\r\n---\r\nb: 2\r\n", "2 and 0 empty"],
  "line breaks of old": ["a: 1\r---\rb: 2\r", "2 and 0 empty"],
  "a byte order mark": ["\ufeffa: 1\n", "1 and 0 empty"],
  "a key twice": [
    "a:\n  b: 1\n  c: 2\n  b: 3\n",
    'at line 4, column 3: "b" appears twice in one mapping',
  ],
  "a key twice, once in quotes": [
    '{b: 1, "b": 2}',
    'at line 1, column 8: "b" appears twice in one mapping',
  ],
  "a tab as indentation": [
    "a:\n\tb: 1\n",
    "at line 2, column 1: tab characters must not be used in indentation",
  ],
  "tabs between values": ["a:\t1\t\n", "1 and 0 empty"],
  "NUL": ["a: \0", "at line 1, column 4: it contains a NUL character"],
  "many NULs": [
    "\0".repeat(1e7),
    "at line 1, column 1: it contains a NUL character",
  ],
  "a control character": [
    "a: \x07",
    "at line 1, column 4: the stream contains non-printable characters",
  ],
  "half a surrogate pair": [
    "a: \ud800",
    "at line 1, column 4: the stream contains non-printable characters",
  ],
  "the version of before": ["%YAML 1.1\n---\na: 1\n", "1 and 0 empty"],
  "a version that is not": [
    "%YAML 2.0\n---\na: 1\n",
    "at line 2, column 1: unacceptable YAML version of the document",
  ],
  "a short form of a tag": [
    "%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1\n",
    "at line 3, column 4: the tag !e!str is not supported here",
  ],
  "a tag of a language": [
    "a: !!js/function 1\n",
    "at line 1, column 4: the tag !!js/function is not supported here",
  ],
  "a sequence as key": [
    "? [a]\n: 1\n",
    "at line 1, column 3: a key is not a string",
  ],
  "a key with meaning in JavaScript": ["__proto__: {a: 1}\n", "1 and 0 empty"],
  "deep flow sequences": [
    "[".repeat(1e5),
    "at line 1, column 100: nesting exceeded maxDepth (100)",
  ],
  "deep flow mappings": [
    "{a: ".repeat(1e5),
    "at line 1, column 394: nesting exceeded maxDepth (100)",
  ],
  "deep block sequences": [
    "- ".repeat(1e5),
    "at line 1, column 201: nesting exceeded maxDepth (100)",
  ],
  "deep block mappings": [
    Array.from({ length: 1000 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
    "at line 100, column 100: nesting exceeded maxDepth (100)",
  ],
  "an open quote": [
    `a: "${"b".repeat(1e7)}`,
    "at line 1, column 10000005: unexpected end of the stream within a double quoted scalar",
  ],
  "an alias of itself": [
    "a: &a [*a]\n",
    "at line 1, column 8: the alias *a is not defined",
  ],
  "an alias of another document": [
    "a: &a 1\n---\nb: *a\n",
    "at line 3, column 4: the alias *a is not defined",
  ],
  "aliases of lists": [
    chain((name, last) =>
      `${name}: &${name} [x${`, *${last}`.repeat(last ? 9 : 0)}]\n`
    ),
    `at line 6, column 31: ${aliases}`,
  ],
  "aliases of mappings": [
    chain((name, last) =>
      `${name}: &${name} {p: ${last && "*"}${last}, q: ${last && "*"}${last}}\n`
    ),
    `at line 14, column 18: ${aliases}`,
  ],
  "aliases in merges": [
    chain((name, last) =>
      `${name}: &${name} {${last && `<<: [*${last}, *${last}], `}${name}: 1}\n`
    ),
    `at line 14, column 17: ${aliases}`,
  ],
  "aliases of one long list": [
    `a: &a [${"x, ".repeat(1000)}]\nb: [${"*a, ".repeat(1000)}]\n`,
    `at line 2, column 401: ${aliases}`,
  ],
  "merges of what is not a mapping": [
    "a:\n  <<: [1]\n",
    'at line 2, column 3: "<<" is not followed by a mapping',
  ],
  "many merges": [
    `a: &a {x: 1}\nb:\n${"  <<: *a\n".repeat(20_000)}`,
    "1 and 0 empty",
  ],
  "many values": ["- a\n".repeat(4e6), tooMuch],
  "many values that a quote seems to hide": [
    `a: b,"\n${Array.from({ length: 3e5 }, (_, i) => `k${i}: v\n`).join("")}`,
    tooMuch,
  ],
  "many documents": ["---\n".repeat(many), `0 and ${many} empty`],
  "a long line of values": [
    `[${`${"a".repeat(30)}, `.repeat(4.5e5)}]`,
    "1 and 0 empty",
  ],
  "a long line of number signs": [`[${"a#a, ".repeat(many)}]`, "1 and 0 empty"],
  "a long line of empty collections": [
    `[${"{}, ".repeat(many)}]`,
    "1 and 0 empty",
  ],
  "a long line of quotes": [`[${"'#', ".repeat(many)}]`, "1 and 0 empty"],
  "a long line of aliases": [
    `[&a x, ${"*a, ".repeat(many / 2)}]`,
    "1 and 0 empty",
  ],
  "a long line of anchors and tags": [
    `[${"&a !!str a, ".repeat(many)}]`,
    "1 and 0 empty",
  ],
  "a line of old line breaks": [
    "a: 1\r---\r".repeat(many / 4),
    `${many / 4} and 1 empty`,
  ],
  "many comments before a document": [
    `${"# c\n".repeat(many)}---\na: 1\n`,
    "1 and 0 empty",
  ],
  "many empty lines before a document": [
    `${"\n".repeat(1e7)}---\na: 1\n`,
    "1 and 0 empty",
  ],
  "many comments between values": [
    `a:\n${"# c\n- b # d\n".repeat(many)}`,
    "1 and 0 empty",
  ],
  "many comments between documents": [
    "# c\n--- # d\n".repeat(many),
    `0 and ${many} empty`,
  ],
  "many comments in a flow": [
    `[a\n${" # ]\n".repeat(many)} ]`,
    "1 and 0 empty",
  ],
  "many number signs in a comment of a flow": [
    `[a, ${"# ".repeat(1000)}\n !!str ]`,
    "1 and 0 empty",
  ],
  "much space in nested flows": [
    `a: ${"[".repeat(90)}b${" ".repeat(1e6)}${"]".repeat(90)}`,
    "1 and 0 empty",
  ],
  "many collections that end at once": [
    `a:\n${"  - - - - b # c\n# d\n".repeat(many / 4)}`,
    "1 and 0 empty",
  ],
};

for (const [what, [text, expected]] of Object.entries(cases)) {
  Deno.test(`readDocuments is quick and clear about ${what}`, () => {
    assert.equal(outcome(text), expected);
  });
}

Deno.test("readDocuments counts old line breaks", () => {
  const { documents: [document] } = readDocuments(
    "# a\r# b\rc: 1\r  # d\r",
    "f",
  );
  assert.ok(document?.root.kind === "map");
  const { at, before } = document.root.entries[0] ?? {};
  assert.deepEqual(at, { file: "f", line: 3, column: 1 });
  assert.deepEqual(before, ["a", "b"]);
});

const sample = `# head
machine: &m
  type: worker # inner
  certSANs: [a, "b", 'c']
  files:
    - content: |
        text
      path: /a
  # below
---
apiVersion: v1alpha1
kind: X
<<: {a: 1}
...
`;

Deno.test("readDocuments reads a mutated text or refuses it", () => {
  fc.assert(
    fc.property(mutants(sample), (text) => {
      outcome(text);
    }),
    { numRuns: 500 },
  );
});

Deno.test("readDocuments reads arbitrary bytes or refuses them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      outcome(new TextDecoder("latin1").decode(bytes));
    }),
    { numRuns: 500 },
  );
});
