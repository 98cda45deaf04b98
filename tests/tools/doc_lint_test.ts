import assert from "node:assert/strict";
import { failingExamples, findUndocumented } from "../../tools/doc_lint.ts";
import { withFolder } from "../_folder.ts";

Deno.test("undocumented names exports without a docstring that another room imports", () => {
  const all = [
    { path: "pki/bare.ts", text: "export function bare(): void {}\n" },
    { path: "pki/own.ts", text: 'import { bare } from "./bare.ts";\n' },
  ];
  assert.deepEqual(findUndocumented(all), []);
  const other = {
    path: "config/other.ts",
    text: 'import { bare } from "../pki/bare.ts";\n',
  };
  assert.deepEqual(findUndocumented([...all, other]), ["pki/bare.ts:1: bare"]);
});

Deno.test("undocumented passes over exports with a docstring", () => {
  const all = [
    {
      path: "pki/good.ts",
      text: "/** Does it. */\nexport function good(): void {}\n",
    },
    { path: "mod.ts", text: 'import { good } from "./pki/good.ts";\n' },
  ];
  assert.deepEqual(findUndocumented(all), []);
});

Deno.test("failingExamples shows examples that do not hold", async () => {
  const example = (sum: number) =>
    `/**
 * Adds.
 *
 * @example
 * \`\`\`ts
 * import assert from "node:assert/strict";
 * assert.equal(add(1, 1), ${sum});
 * \`\`\`
 */
export function add(a: number, b: number): number {
  return a + b;
}
`;
  const files = { "right.ts": example(2), "wrong.ts": example(3) };
  await withFolder(files, async (folder) => {
    const root = new URL(`file://${folder}/`);
    assert.equal(await failingExamples(root, ["right.ts"]), "");
    assert.equal(await failingExamples(root, []), "");
    assert.match(await failingExamples(root, ["wrong.ts"]), /2 !== 3/);
  });
});
