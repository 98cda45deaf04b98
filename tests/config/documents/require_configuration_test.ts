import assert from "node:assert/strict";
import { loadDocuments } from "../../../config/documents/load.ts";
import { requireConfiguration } from "../../../config/documents/require_configuration.ts";
import { ConfigError } from "../../../errors.ts";

function expectRefusal(text: string): string | undefined {
  try {
    requireConfiguration(loadDocuments(text, "f"), "f");
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
}

Deno.test("a file that is no machine configuration is refused, and named", () => {
  const resource =
    "Cannot use \"f\": f:1:1: This is a resource, as osctl get prints it, not a machine configuration (Export the configuration with: osctl get machineconfig v1alpha1 -o 'jsonpath={.spec}')";
  const cases: readonly (readonly [string, string])[] = [
    ["", 'Cannot read "f": it is empty'],
    ["# nothing\n---\n", 'Cannot read "f": it is empty'],
    ["metadata: {id: a}\nspec: b\n", resource],
    [
      "apiVersion: v1\nkind: ConfigMap\n",
      'Cannot use "f": f:1:1: apiVersion: Nodes have no documents of apiVersion "v1" (Give documents of apiVersion "v1alpha1")',
    ],
    [
      "word\n",
      'Cannot use "f": f:1:1: This document is not a mapping (Write a document as keys and values)',
    ],
  ];
  for (const [text, message] of cases) {
    assert.equal(expectRefusal(text), message);
  }
});
