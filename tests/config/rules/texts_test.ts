import assert from "node:assert/strict";
import {
  isGiven,
  oneOf,
  textOf,
  textsOf,
} from "../../../config/rules/texts.ts";
import { contextOf } from "./_rules.ts";

const root = contextOf("list: [a, ~, '', {}]\nmap: {}\nnone: ~\n", "metal")
  .documents[0]?.cursor;

Deno.test("textsOf leaves out nulls and collections", () => {
  assert.ok(root);
  const found = textsOf(root.get("list")).map(([place, text]) =>
    [place.path.join("."), text] as const
  );
  assert.deepEqual(found, [["list.0", "a"], ["list.2", ""]]);
  assert.deepEqual(textsOf(root.get("map")), []);
});

Deno.test("textOf is empty where there is no text", () => {
  assert.ok(root);
  assert.equal(textOf(root.get("none")), "");
  assert.equal(textOf(root.get("map")), "");
});

Deno.test("isGiven takes empty collections, not null", () => {
  assert.ok(root);
  assert.equal(isGiven(root.get("map")), true);
  assert.equal(isGiven(root.get("none")), false);
});

Deno.test("oneOf joins words", () => {
  assert.equal(oneOf(["a"]), '"a"');
  assert.equal(oneOf(["a", "b", "c"]), '"a", "b" or "c"');
});
