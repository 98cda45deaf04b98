import assert from "node:assert/strict";
import type { Change } from "../../../config/inject/change.ts";
import { splice } from "../../../config/inject/splice.ts";
import { mapOf } from "../../../config/inject/value.ts";
import { opened } from "./_change.ts";

function change(path: Change["path"], name = "w"): Change {
  return { path, key: "l", drop: [], add: [mapOf({ name })] };
}

function spliced(text: string, changes: readonly Change[]) {
  return splice(opened(text), changes, "\n");
}

Deno.test("splice writes in block and flow style side by side", () => {
  assert.deepEqual(
    spliced("a:\n- l:   [x]\n- {l: null}\n- l: []\n- b: c\n- l:\n  - x\n", [
      change(["a", 0]),
      change(["a", 1]),
      change(["a", 2]),
      change(["a", 3]),
      change(["a", 4]),
      change([]),
    ]),
    {
      text: `a:
- l:   [x, {name: w}]
- {l: [{name: w}]}
- l:
  - name: w
- b: c
  l:
  - name: w
- l:
  - x
  - name: w
l:
- name: w
`,
      rewritten: false,
    },
  );
});

Deno.test("splice changes what an alias stands for once", () => {
  const text =
    "a:\n- &x\n  l: &l # c\n  - b\n- l: *l\n- *x\n- <<: *x\n  d: e\n";
  assert.deepEqual(
    spliced(text, [0, 1, 2, 3].map((i) => change(["a", i]))),
    {
      text:
        "a:\n- &x\n  l: &l # c\n  - b\n  - name: w\n- l: *l\n- *x\n- <<: *x\n  d: e\n",
      rewritten: false,
    },
  );
});

Deno.test("splice adds beside a merge key that does not bring the list", () => {
  assert.deepEqual(
    spliced("x: &x {b: c}\na:\n  <<: *x\n", [change(["a"])]),
    {
      text: "x: &x {b: c}\na:\n  <<: *x\n  l:\n    - name: w\n",
      rewritten: false,
    },
  );
});

Deno.test("splice writes aliases out where they stand for different things now", () => {
  const text = "# c\na:\n- l: &l # d\n  - b:   {}\n- l: *l\n- m: *l\n";
  assert.deepEqual(
    spliced(text, [change(["a", 0], "w"), change(["a", 1], "o")]),
    {
      text: `# c
a:
- l:
  # d
  - b: {}
  - name: w
- l:
  # d
  - b: {}
  - name: o
- m:
  # d
  - b: {}
`,
      rewritten: true,
    },
  );
});

Deno.test("splice writes aliases out with the line ends it is given", () => {
  const text = "a: &a\r\n  l: [1.10]\r\nb: *a\r\n";
  assert.deepEqual(splice(opened(text), [change(["a"])], "\r\n"), {
    text: "a:\r\n  l: [ 1.10, {name: w} ]\r\nb:\r\n  l: [ 1.10 ]\r\n",
    rewritten: true,
  });
});

Deno.test("splice gives up where no place can be found", () => {
  assert.equal(spliced("a: b\n", [change(["a"])])?.text, "a: b\n");
  assert.equal(spliced("l: !!null ~\n", [change([])]), undefined);
});
