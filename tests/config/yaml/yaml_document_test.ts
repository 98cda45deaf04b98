import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  fromTree,
  openYaml,
  toTree,
} from "../../../config/yaml/yaml_document.ts";

Deno.test("scalars stay as they are spelled", () => {
  const tree = toTree(openYaml("a: 1.10\nb: 'true'\nc: !!str ~\n", "f"));
  assert.deepEqual(tree, {
    kind: "map",
    entries: [
      {
        key: "a",
        at: { line: 1, column: 1 },
        value: {
          kind: "text",
          value: "1.10",
          plain: true,
          at: { line: 1, column: 4 },
        },
      },
      {
        key: "b",
        at: { line: 2, column: 1 },
        value: {
          kind: "text",
          value: "true",
          plain: false,
          at: { line: 2, column: 4 },
        },
      },
      {
        key: "c",
        at: { line: 3, column: 1 },
        value: {
          kind: "text",
          value: "~",
          plain: true,
          at: { line: 3, column: 10 },
        },
      },
    ],
  });
});

const refused: Record<string, [text: string, message: string]> = {
  "an open quote": [
    "a: 'b\n",
    'Cannot read "f" at line 2, column 1: not YAML: Missing closing \'quote',
  ],
  "a tab as indentation": [
    "a:\n\tb: c\n",
    'Cannot read "f" at line 2, column 1: not YAML: Tabs are not allowed as indentation',
  ],
  "a doubled key": [
    "a: b\nc:\n    d: e\n    d: f\n",
    'Cannot read "f" at line 4, column 5: "d" appears twice in one mapping',
  ],
  "a key that is a list": [
    "a: b\n? [c]\n: d\n",
    'Cannot read "f" at line 2, column 3: a key is not a string',
  ],
  "a second document": [
    "a: b\n---\nc: d\n",
    'Cannot read "f" at line 2, column 1: a second document starts here',
  ],
  "an alias without an anchor": [
    "a: *x\n",
    'Cannot read "f" at line 1, column 4: "*x" is not defined',
  ],
};

for (const [what, [text, message]] of Object.entries(refused)) {
  Deno.test(`${what} is refused with its place`, () => {
    assert.throws(() => toTree(openYaml(text, "f")), (error) => {
      assert.equal(error instanceof ConfigError, true);
      assert.equal((error as Error).message, message);
      return true;
    });
  });
}

Deno.test("nests of any depth end in an error, not in a crash", () => {
  for (const part of ["[", "- ", "{a: ", "? ", "a: &a ["]) {
    const text = part.repeat(20_000);
    assert.throws(() => openYaml(text, "f"), /it is nested too deeply$/, part);
  }
});

Deno.test("text that is all structure is refused before it eats the memory", () => {
  for (const part of ["[", "- ", "k:\n", "}\n", "? a\n", "'a' "]) {
    assert.throws(() => openYaml(part.repeat(3_000_000), "f"), {
      message: 'Cannot read "f": it has too many keys and items',
    });
  }
});

Deno.test("a large file of long texts is no matter", () => {
  const line = `k: ${"x".repeat(9_000_000)}\n`;
  assert.equal(toTree(openYaml(line, "f")).kind, "map");
});

Deno.test("a tree becomes nodes that are written as it was spelled", () => {
  const text = "a: 0x10\nb: 'x'\nc: [1, {}]\nd: {e: }\nf: []\n";
  const { document } = openYaml("", "f");
  document.contents = fromTree(toTree(openYaml(text, "f")));
  assert.equal(
    document.toString(),
    'a: 0x10\nb: "x"\nc:\n  - 1\n  - {}\nd:\n  e: null\nf: []\n',
  );
});

Deno.test("mappings on one line, each in the one before, do not fill the stack", () => {
  assert.throws(() => openYaml(`${"k: ".repeat(20_000)}k\n---`, "f"), {
    message: 'Cannot read "f": it is nested too deeply',
  });
});
