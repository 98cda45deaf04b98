import assert from "node:assert/strict";
import { isMap, parseDocument } from "yaml";
import { mapOf } from "../../../config/inject/value.ts";
import {
  blockColumn,
  blockLines,
  flowText,
  jsonText,
  styleOf,
} from "../../../config/inject/written_value.ts";

const value = mapOf({
  name: "web",
  spec: mapOf({ roles: ["os:reader", "on"], at: "/a b" }),
});

function parsed(text: string) {
  return parseDocument(text, { keepSourceTokens: true });
}

Deno.test("styleOf finds out how mappings and lists are indented", () => {
  const style = (text: string) => styleOf(parsed(text), "\n");
  assert.deepEqual(style("a:\n    b:\n    - c\n"), {
    eol: "\n",
    step: 4,
    dash: 0,
  });
  assert.deepEqual(style("a:\n   - b:\n        c: 1\n"), {
    eol: "\n",
    step: 3,
    dash: 3,
  });
  assert.deepEqual(style("{a: [1]}"), { eol: "\n", step: 2, dash: 2 });
});

Deno.test("blockColumn knows where keys and dashes stand", () => {
  const { contents } = parsed("a:\n  - b\nc: {}\n");
  if (!isMap(contents)) throw new Error("expected a mapping");
  assert.equal(blockColumn(contents), 0);
  assert.equal(blockColumn(contents.items[0]?.value), 2);
  assert.equal(blockColumn(contents.items[1]?.value), undefined);
  assert.equal(blockColumn(null), undefined);
});

Deno.test("blockLines writes in the style it is given", () => {
  const style = { eol: "\n", step: 4, dash: 0 };
  assert.deepEqual(blockLines([value], 1, style), [
    " - name: web",
    "   spec:",
    "       roles:",
    "       - os:reader",
    '       - "on"',
    '       at: "/a b"',
  ]);
});

Deno.test("flowText and jsonText write on one line", () => {
  assert.equal(
    flowText(value),
    '{name: web, spec: {roles: [os:reader, "on"], at: "/a b"}}',
  );
  assert.equal(
    jsonText(value, 0),
    '{"name":"web","spec":{"roles":["os:reader","on"],"at":"/a b"}}',
  );
});

Deno.test("jsonText indents", () => {
  assert.equal(jsonText(mapOf({ a: ["b"] }), 1), '{\n "a": [\n  "b"\n ]\n}');
});

Deno.test("texts are quoted where YAML would take them for something else", () => {
  const written = ["", "a: b", "#a", "-", "12", "true", "a:", "é", 'a"b', "*a"]
    .map((text) => flowText(text));
  assert.deepEqual(written, [
    '""',
    '"a: b"',
    '"#a"',
    '"-"',
    '"12"',
    '"true"',
    '"a:"',
    '"é"',
    '"a\\"b"',
    '"*a"',
  ]);
  assert.equal(flowText("apps/v1"), "apps/v1");
});
