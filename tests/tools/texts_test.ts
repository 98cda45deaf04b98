import assert from "node:assert/strict";
import { findTexts } from "../../tools/texts.ts";

Deno.test("findTexts finds what people may read, by line", () => {
  const source = `import { x } from "./imported.ts";
// "not a comment"
/** Nor "this one". */
const id = "kebab-case";
throw new ConfigError(\`Cannot read "\${path}": \${shown(\`a \${b}\`)} is
  too large\`, { hint: 'Use "a" instead' });
const quote = /it's "a pattern"/.test(text) ? "Ready" : "two words";
`;
  assert.deepEqual(findTexts(source), [
    { line: 5, text: 'Cannot read "…": … is too large' },
    { line: 6, text: 'Use "a" instead' },
    { line: 7, text: "Ready" },
    { line: 7, text: "two words" },
  ]);
});
