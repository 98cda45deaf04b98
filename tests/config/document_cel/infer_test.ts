import assert from "node:assert/strict";
import {
  environments,
  type ExpressionEnvironment,
} from "../../../config/document_cel/environments.ts";
import { inferType } from "../../../config/document_cel/infer.ts";
import { parseExpression } from "../../../config/document_cel/parse.ts";
import { typeText } from "../../../config/document_cel/types.ts";

function typed(text: string, place: ExpressionEnvironment = "disk"): string {
  const environment = environments[place];
  return typeText(inferType(parseExpression(text, environment), environment));
}

Deno.test("inferType wraps what is asked of optional values", () => {
  const place = "oom-ranking";
  assert.equal(typed("{'a': 1}.?a", place), "optional(int)");
  assert.equal(typed("{'a': {'b': 1}}.?a.b", place), "optional(int)");
  assert.equal(typed("[[1]][?0][0]", place), "optional(int)");
  assert.equal(
    typed("memory_max.optMap(m, string(m))", place),
    "optional(string)",
  );
  assert.equal(
    typed("memory_max.optFlatMap(m, memory_peak)", place),
    "optional(uint)",
  );
  assert.equal(typed("[?memory_max]", place), "list(uint)");
});

Deno.test("inferType takes the node's own types for granted, and looks into them", () => {
  assert.equal(typed("google.protobuf.Duration{seconds: 1}.seconds"), "dyn");
  assert.throws(() => typed("google.protobuf.Duration{seconds: x}"), {
    message: 'Unknown name "x"',
  });
  assert.throws(() => typed("Duration{seconds: 1}"), {
    message: 'Unknown name "Duration"',
  });
});
