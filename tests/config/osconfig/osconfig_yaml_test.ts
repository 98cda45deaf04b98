import assert from "node:assert/strict";
import { emptyOsconfig } from "../../../config/osconfig/osconfig.ts";
import {
  parseTree,
  renderText,
} from "../../../config/osconfig/osconfig_yaml.ts";

Deno.test("parseTree reads what the fast reader leaves to it", () => {
  const tree = parseTree("contexts: {lab: {endpoints: [a, 'b']}}\n", "file");
  assert.match(JSON.stringify(tree), /"lab"/);
});

Deno.test("parseTree names place and problem of a text that is not YAML", () => {
  assert.throws(() => parseTree("context: [\n", "/x/osconfig"), {
    name: "ConfigError",
    message: /^Cannot read "\/x\/osconfig" at line 2, column 1: not YAML: /,
  });
});

Deno.test("renderText writes an empty configuration as talosctl does", () => {
  assert.equal(renderText(emptyOsconfig), 'context: ""\ncontexts: {}\n');
});

Deno.test("renderText indents by four, sequences below their key", () => {
  const contexts = new Map([["lab", { endpoints: ["10.0.0.2"], nodes: [] }]]);
  assert.equal(
    renderText({ current: "lab", contexts }),
    "context: lab\ncontexts:\n    lab:\n        endpoints:\n            - 10.0.0.2\n",
  );
});

Deno.test("renderText keeps the spelling of inline lists that were not changed", () => {
  const source =
    "context: lab\ncontexts:\n    lab:\n        endpoints: [a, b] # two\n    old:\n        endpoints: []\n";
  const lab = { endpoints: ["a", "b"], nodes: [] };
  const text = renderText({
    current: "lab",
    contexts: new Map([["lab", lab]]),
    source,
  });
  assert.equal(
    text,
    "context: lab\ncontexts:\n    lab:\n        endpoints: [a, b] # two\n",
  );
});
