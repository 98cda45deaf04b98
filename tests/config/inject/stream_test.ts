import assert from "node:assert/strict";
import fc from "fast-check";
import {
  joinStream,
  splitStream,
  trimEnd,
} from "../../../config/inject/stream.ts";

function texts(stream: string): string[] {
  return splitStream(stream).map(({ text }) => text);
}

function joined(stream: string, empty: readonly number[] = []): string {
  const outcomes = splitStream(stream).map(({ text, number }) => ({
    text,
    empty: empty.includes(number),
    added: [],
  }));
  return joinStream(outcomes, "\n");
}

Deno.test("splitStream starts a document at each mark", () => {
  assert.deepEqual(splitStream("a\n---\nb\n--- # c\nd"), [
    { text: "a\n", number: 1, line: 1 },
    { text: "---\nb\n", number: 2, line: 2 },
    { text: "--- # c\nd", number: 3, line: 4 },
  ]);
});

Deno.test("splitStream keeps what stands above the first mark with it", () => {
  assert.deepEqual(texts("# c\n\n%YAML 1.2\n---\na\n"), [
    "# c\n\n%YAML 1.2\n---\na\n",
  ]);
  assert.deepEqual(texts("a\n...\n# c\n---\nb\n"), [
    "a\n...\n",
    "# c\n---\nb\n",
  ]);
});

Deno.test("splitStream takes no other dashes for marks", () => {
  const text = "a: |\n  ---\n  b\n----\n---c\n";
  assert.deepEqual(texts(text), [text]);
  assert.deepEqual(texts("a\r\n---\r\nb\r\n"), ["a\r\n", "---\r\nb\r\n"]);
  assert.deepEqual(texts("---\n---"), ["---\n", "---"]);
  assert.deepEqual(texts(""), []);
});

Deno.test("splitStream loses no character of any text", () => {
  const part = fc.constantFrom("---", "...", "\n", "\r\n", "#", "%", "a", " ");
  fc.assert(fc.property(fc.array(part), (parts) => {
    assert.equal(texts(parts.join("")).join(""), parts.join(""));
  }));
});

Deno.test("joinStream leaves documents as they are", () => {
  const stream = "# c\n---\na\n\n---   # d\nb\n...\n---\nc\n";
  assert.equal(joined(stream), stream);
});

Deno.test("joinStream drops documents that say nothing, not their comments", () => {
  assert.equal(joined("---\n---\na\n---\n", [1, 3]), "---\na\n");
  assert.equal(
    joined("a\n---\n  # c\n\nnull # d\n--- # e\nb\n", [2]),
    "a\n--- # e\n# c\n# d\nb\n",
  );
  assert.equal(joined("a\n---\n# c\n", [2]), "a\n# c\n");
  assert.equal(joined("# c\n", [1]), "# c\n");
  assert.equal(joined("---\n", [1]), "");
});

Deno.test("joinStream does not put comments into what begins beside a mark", () => {
  assert.equal(
    joined("---\n# c\n--- |\n a\n---\nb\n", [1]),
    "--- |\n a\n---\n# c\nb\n",
  );
});

Deno.test("joinStream adds documents behind the one they belong to", () => {
  const outcomes = [
    { text: "a", empty: false, added: ["b\n", "c\n"] },
    { text: "d\n...\n", empty: false, added: ["e\n"] },
    { text: "# f\n%YAML 1.2\n---\ng\n", empty: false, added: [] },
  ];
  assert.equal(
    joinStream(outcomes, "\n"),
    "a\n---\nb\n---\nc\n---\nd\n...\n---\ne\n...\n# f\n%YAML 1.2\n---\ng\n",
  );
});

Deno.test("joinStream writes marks with the line end it is given", () => {
  const outcomes = [
    { text: "a\r\n...\r\n", empty: false, added: [] },
    { text: "b", empty: false, added: ["c"] },
  ];
  assert.equal(
    joinStream(outcomes, "\r\n"),
    "a\r\n...\r\nb\r\n---\r\nc\r\n",
  );
});

Deno.test("trimEnd leaves one line end, unless a text may own the empty lines", () => {
  assert.equal(trimEnd("a  \n \n\n", "\n"), "a  \n");
  assert.equal(trimEnd("a", "\r\n"), "a\r\n");
  assert.equal(trimEnd("", "\n"), "");
  assert.equal(trimEnd("a: |+\n  b\n\n", "\n"), "a: |+\n  b\n\n");
  assert.equal(trimEnd("a: >2+\n    b\n\n", "\n"), "a: >2+\n    b\n\n");
  assert.equal(
    trimEnd("a: |+\n  b\n\n---\nc\n\n", "\n"),
    "a: |+\n  b\n\n---\nc\n",
  );
});
