import assert from "node:assert/strict";
import {
  environments,
  type ExpressionEnvironment,
} from "../../../config/document_cel/environments.ts";
import { inferType } from "../../../config/document_cel/infer.ts";
import { parseExpression } from "../../../config/document_cel/parse.ts";
import { typeText } from "../../../config/document_cel/types.ts";

function readType(text: string, place: ExpressionEnvironment = "disk"): string {
  const environment = environments[place];
  return typeText(inferType(parseExpression(text, environment), environment));
}

Deno.test("inferType wraps what is asked of optional values", () => {
  const place = "oom-ranking";
  assert.equal(readType("{'a': 1}.?a", place), "optional(int)");
  assert.equal(readType("{'a': {'b': 1}}.?a.b", place), "optional(int)");
  assert.equal(readType("[[1]][?0][0]", place), "optional(int)");
  assert.equal(
    readType("memory_max.optMap(m, string(m))", place),
    "optional(string)",
  );
  assert.equal(
    readType("memory_max.optFlatMap(m, memory_peak)", place),
    "optional(uint)",
  );
  assert.equal(readType("[?memory_max]", place), "list(uint)");
});

Deno.test("inferType takes the node's own types for granted, and looks into them", () => {
  assert.equal(readType("google.protobuf.Duration{seconds: 1}.seconds"), "dyn");
  assert.throws(() => readType("google.protobuf.Duration{seconds: x}"), {
    message: 'Unknown name "x"',
  });
  assert.throws(() => readType("Duration{seconds: 1}"), {
    message: 'Unknown name "Duration"',
  });
});
