/** Projects that have nothing but tests. */

import { testAll } from "../../tools/test.ts";
import { withFolder } from "../_folder.ts";

/** Runs tests of a project that has no others. */
export async function runTest(
  tests: Readonly<Record<string, string>>,
  listed: unknown = {},
  require?: string,
): Promise<{ readonly isGood: boolean | undefined; readonly text: string }> {
  const printed: string[] = [];
  let isGood: boolean | undefined;
  const files = {
    "deno.json": "{}",
    "tests/slow_tests.json": JSON.stringify(listed),
    ...tests,
  };
  await withFolder(files, async (folder) => {
    isGood = await testAll({
      root: new URL(`file://${folder}/`),
      wanted: [],
      require,
      print: (text) => void printed.push(text),
    });
  });
  const text = printed.join("\n").replaceAll(/\d+(\.\d)? s/g, "0 s");
  return { isGood, text };
}
