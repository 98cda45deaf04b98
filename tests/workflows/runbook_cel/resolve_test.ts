import assert from "node:assert/strict";
import {
  anyField,
  holdsSecret,
  isOptional,
  resolve,
} from "../../../workflows/runbook_cel/resolve.ts";
import type { Reference } from "../../../workflows/runbook_cel/syntax.ts";
import { declarations, field, object } from "./_scope.ts";

function reference(
  path: Reference["path"],
  over?: Reference,
): Reference {
  const offsets = path.map((_, index) => index * 10);
  const keys = path.map(() => undefined);
  return { path, keys, offsets, use: "part", ...over && { over } };
}

Deno.test("a path leads to the type of what it ends in", () => {
  const inferType = (path: Reference["path"], over?: Reference) => {
    const found = resolve(reference(path, over), declarations);
    return "field" in found ? found.field.type : found.fault.message;
  };
  const table: readonly [Reference["path"], string][] = [
    [["inputs", "soak"], "duration"],
    [["groups", "alive", null, "etcd", "voters"], "int"],
    [["node", "labels", "any"], "string"],
    [["steps", "salvage", "copy", null, "file"], "path"],
    [["steps", null], "any"],
    [["inputs", "workerBatch", "x"], "any"],
    [["result", "failed", null, "nam"], '"result.failed[…]" has no "nam"'],
    [
      ["steps", "salvage", "copy", "n-1", "x"],
      '"steps.salvage.copy["n-1"]" has no "x"',
    ],
    [["nothing"], 'Unknown name "nothing"'],
    [["toString"], 'Unknown name "toString"'],
    [["inputs", "constructor"], '"inputs" has no "constructor"'],
  ];
  for (const [path, type] of table) assert.equal(inferType(path), type);
  const list = reference(["groups", "alive"]);
  assert.equal(inferType(["n", "zone"], list), "string");
  assert.equal(
    inferType(["k"], reference(["steps", "salvage", "copy"])),
    "string",
  );
  assert.equal(inferType(["x"], reference(["cluster"])), "any");
  assert.equal(inferType(["x"], reference(["nothing"])), "any");
  const names = { names: field("nodes") };
  const each = resolve(reference(["x"], reference(["names"])), names);
  assert.equal("field" in each && each.field.type, "node");
  const first = resolve(reference(["names", null]), names);
  assert.equal("field" in first && first.field.type, "node");
});

Deno.test("resolve: paths through an optional input are optional", () => {
  const names = { inputs: object({ o: object({ x: field("int") }) }) };
  assert.deepEqual(resolve(reference(["inputs", "o", "x"]), names), {
    field: field("int"),
    absent: "inputs.o",
  });
  assert.equal(isOptional(field("int")), true);
  assert.equal(isOptional(field("int", { required: true })), false);
  assert.equal(isOptional(field("int", { initial: 0 })), false);
});

Deno.test("an unknown member is reported with what there is", () => {
  const hint = (fields: Parameters<typeof object>[0], member: string) => {
    const found = resolve(reference(["steps", member]), {
      steps: object(fields),
    });
    return "fault" in found ? found.fault.hint : undefined;
  };
  assert.equal(hint({}, "a"), '"steps" has no fields here');
  assert.equal(hint({ first: anyField }, "zzz"), "It has: first");
  assert.equal(hint({ first: anyField }, "frist"), 'Did you mean "first"?');
  assert.equal(hint({ "see-new": anyField }, "see"), 'Write steps["see-new"]');
});

Deno.test("secrets are found anywhere inside", () => {
  assert.equal(holdsSecret(field("secret")), true);
  assert.equal(holdsSecret(field("list", { items: field("secret") })), true);
  assert.equal(
    holdsSecret(object({ a: object({ b: field("secret") }) })),
    true,
  );
  assert.equal(holdsSecret(object({ a: field("string") })), false);
});
