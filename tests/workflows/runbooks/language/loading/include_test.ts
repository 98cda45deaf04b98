import assert from "node:assert/strict";
import {
  plainPath,
  resolveUse,
} from "../../../../../workflows/runbooks/language/loading/include.ts";

const paths: readonly (readonly [string, string])[] = [
  ["./a/../b.yaml", "b.yaml"],
  ["a//b/./c", "a/b/c"],
  ["../../x", "../../x"],
  ["/a/../../b", "/b"],
  ["a/..", "."],
];
for (const [path, expected] of paths) {
  Deno.test(`plainPath writes ${path} as ${expected}`, () => {
    assert.equal(plainPath(path), expected);
  });
}

const uses: readonly (readonly [string, string, string])[] = [
  ["./b.yaml", "x/a.yaml", "x/b.yaml"],
  ["../b.yaml", "x/a.yaml", "b.yaml"],
  ["../b.yaml", "a.yaml", "../b.yaml"],
  ["./b.yaml", "/etc/a.yaml", "/etc/b.yaml"],
  ["builtin:x", "a.yaml", "builtin:x"],
];
for (const [target, from, source] of uses) {
  Deno.test(`resolveUse finds ${target} from ${from}`, () => {
    assert.deepEqual(resolveUse(target, from), { source });
  });
}

Deno.test("resolveUse says what a file must not be", () => {
  assert.deepEqual(resolveUse("/etc/b.yaml", "a.yaml"), {
    message: '"/etc/b.yaml" is neither a file nor a builtin runbook',
    hint:
      "Write ./etc/b.yaml for a file next to this one, builtin:name for a builtin runbook",
  });
  assert.deepEqual(resolveUse("file:///b.yaml", "a.yaml"), {
    message: '"file:///b.yaml" is not a file next to this one',
    hint: "Only files and builtin runbooks can be included, not URLs",
  });
  assert.deepEqual(resolveUse("./b.yaml", "builtin:x"), {
    message: '"./b.yaml" is a file, and a builtin runbook cannot use files',
    hint: "Use builtin:name",
  });
});
