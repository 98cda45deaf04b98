import assert from "node:assert/strict";
import { parseTemplate } from "../../../workflows/runbook_cel/template_text.ts";

Deno.test("a text is taken apart at its expressions", () => {
  const table: readonly [string, ReturnType<typeof parseTemplate>][] = [
    ["", { parts: [] }],
    ["plain }} text", { parts: [{ text: "plain }} text" }] }],
    ["${{ a.b }}", { parts: [{ source: "a.b", offset: 4 }] }],
    ["${{a}}", { parts: [{ source: "a", offset: 3 }] }],
    ["x-${{ a }}.y", {
      parts: [{ text: "x-" }, { source: "a", offset: 6 }, { text: ".y" }],
    }],
    ["${{ a }}${{ b }}", {
      parts: [{ source: "a", offset: 4 }, { source: "b", offset: 12 }],
    }],
    ["a $${{ b }} c", { parts: [{ text: "a ${{ b }} c" }] }],
    ["$${{${{ a }}", { parts: [{ text: "${{" }, { source: "a", offset: 8 }] }],
    ['${{ {"a": {"b": 1}} }}!', {
      parts: [{ source: '{"a": {"b": 1}}', offset: 4 }, { text: "!" }],
    }],
    ["${{ '}}' }}", { parts: [{ source: "'}}'", offset: 4 }] }],
    ['${{ "\\"}}" }}', { parts: [{ source: '"\\"}}"', offset: 4 }] }],
    ["x ${{ a }", { parts: [], open: 2 }],
    ["${{ 'a }}", { parts: [], open: 0 }],
    ["costs $5 {", { parts: [{ text: "costs $5 {" }] }],
  ];
  for (const [text, expected] of table) {
    assert.deepEqual(parseTemplate(text), expected, text);
  }
});
