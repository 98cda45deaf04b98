import assert from "node:assert/strict";
import {
  checkSize,
  tooMuch,
  valueLimit,
} from "../../../config/tree/size_limit.ts";

const much = valueLimit + 1;
const refusal = {
  message:
    'Cannot read "f.yaml": it contains more than 500,000 values and comments',
  hint: "Split the file",
};

/** Texts with too many values. */
const refused: Readonly<Record<string, string>> = {
  "keys": "k: v\n".repeat(much),
  "items": "- a\n".repeat(much),
  "dashes in one line": "- ".repeat(2 * much),
  "items of a flow sequence": `[${"a, ".repeat(much)}a]`,
  "flow collections": `[${"[],".repeat(much / 2)}${"{},".repeat(much / 2)}a]`,
  "documents": "---\n".repeat(much),
  "comments": "# a\n".repeat(much),
  "keys behind block scalars": "k: |\n  a\nj: v\n".repeat(much),
  "items behind block scalars of items": "- |\n  a\n- - >-\n    b\n".repeat(
    much,
  ),
  "keys behind block scalars of items": "- a: |\n    a\n  b: c\n".repeat(much),
  "items behind quotes": `["a", '', "\\\\", ${"a, ".repeat(much)}a]`,
};

/** Texts that are as long, and may hold few values. */
const taken: Readonly<Record<string, string>> = {
  "a block scalar": `k: |\n${"  - [a, b]\n".repeat(much)}`,
  "a folded scalar of an item": `- - >+2\n${"    a: b\n".repeat(much)}`,
  "a block scalar with a comment": `k: !!str |- # c\n${" a\n".repeat(much)}`,
  "empty lines": "\n".repeat(4 * much),
  "double quotes": `k: "${'\\",[{\n '.repeat(much)}"\nb: "\\\\"\n`,
  "single quotes": `{k: '${",''[".repeat(much)}'}`,
  "a long comment": `# ${", ".repeat(much)}`,
  "less than a MiB": "-\n".repeat(much),
};

for (const [what, text] of Object.entries(refused)) {
  Deno.test(`checkSize refuses too many ${what}`, () => {
    assert.throws(() => checkSize(text, "f.yaml"), refusal);
  });
}

for (const [what, text] of Object.entries(taken)) {
  Deno.test(`checkSize takes ${what}`, () => checkSize(text, "f.yaml"));
}

Deno.test("checkSize says where a NUL character is", () => {
  assert.throws(() => checkSize("a: b\nc: d\0\n", "f.yaml"), {
    message:
      'Cannot read "f.yaml" at line 2, column 5: it contains a NUL character',
    hint: "Remove it",
  });
});

Deno.test("tooMuch names file and limit", () => {
  const { message, hint } = tooMuch("f.yaml");
  assert.deepEqual({ message, hint }, refusal);
});
