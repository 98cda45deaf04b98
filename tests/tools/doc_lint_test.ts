import assert from "node:assert/strict";
import { failingExamples, undocumented } from "../../tools/doc_lint.ts";
import { withFolder } from "../_folder.ts";

Deno.test("undocumented names exported symbols and fields without a docstring", async () => {
  const files = {
    "bare.ts": "export function bare(): void {}\n",
    "field.ts":
      "/** A row. */\nexport interface Row {\n  readonly id: string;\n}\n",
  };
  await withFolder(files, async (folder) => {
    const root = new URL(`file://${folder}/`);
    const reported = await undocumented(root, ["bare.ts", "field.ts"]);
    assert.match(
      reported,
      /^error\[missing-jsdoc\].*\n *--> .*bare\.ts:1:17$/m,
    );
    assert.match(
      reported,
      /^error\[missing-jsdoc\].*\n *--> .*field\.ts:3:12$/m,
    );
  });
});

Deno.test("undocumented says nothing of files that are documented", async () => {
  const files = {
    "good.ts": "/** Does it. */\nexport function good(): void {}\n",
  };
  await withFolder(files, async (folder) => {
    const root = new URL(`file://${folder}/`);
    assert.equal(await undocumented(root, ["good.ts"]), "");
  });
});

Deno.test("undocumented names a private type of the file itself, and passes over those of others", async () => {
  const files = {
    "other.ts": "export interface Other {\n  id: string;\n}\n",
    "own.ts": `import type { Other } from "./other.ts";
interface Own {
  id: string;
}
/** One. */
export const own: Own = { id: "" };
/** Another. */
export const other: Other = { id: "" };
`,
  };
  await withFolder(files, async (folder) => {
    const reported = await undocumented(new URL(`file://${folder}/`), [
      "own.ts",
    ]);
    assert.match(
      reported,
      /^error\[private-type-ref\]: public type 'own' references private type 'Own'\n/,
    );
    assert.doesNotMatch(reported, /'Other'/);
  });
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
