import assert from "node:assert/strict";
import { yamlDocument } from "../../../commands/_kit/yaml_rows.ts";

Deno.test("yamlDocument indents by four and folds nothing", () => {
  const long = "x ".repeat(100).trim();
  assert.equal(
    yamlDocument({ node: "a", spec: { list: ["b"], long } }),
    `node: a\nspec:\n    list:\n        - b\n    long: ${long}\n`,
  );
});
