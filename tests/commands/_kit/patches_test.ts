import assert from "node:assert/strict";
import type { Environment } from "../../../terminal/environment.ts";
import {
  readConfiguration,
  readPatches,
} from "../../../commands/_kit/patches.ts";
import { ConfigError } from "../../../errors.ts";
import { withFolder } from "../../_folder.ts";

function context(text = "") {
  const readable = ReadableStream.from([new TextEncoder().encode(text)]);
  const environment = {
    stdin: { terminal: false, readable },
  } as unknown as Environment;
  return { environment, signal: new AbortController().signal };
}

const merge = "machine: {type: worker}";
const json = '[{"op": "remove", "path": "/machine"}]';

Deno.test("readPatches takes values with spaces, line breaks or brackets for patches", () =>
  withFolder({}, async () => {
    const values = [
      merge,
      json,
      "machine:\n",
      "[]",
      '{"machine":{}}',
      " ",
      "{}",
    ];
    const patches = await readPatches(values, context());
    assert.deepEqual(
      patches.map(({ kind, file }) => `${kind} ${file}`),
      [
        ...["merge patch 1", "json patch 2", "merge patch 3", "json patch 4"],
        ...["merge patch 5", "merge patch 6", "merge patch 7"],
      ],
    );
  }));

Deno.test("readPatches reads files, with and without a mark", () =>
  withFolder({ "a.yaml": merge, "b c.json": json }, async (folder) => {
    const values = [
      `@${folder}/a.yaml`,
      `${folder}/a.yaml`,
      `@${folder}/b c.json`,
    ];
    const patches = await readPatches(values, context());
    assert.deepEqual(patches.map(({ kind, file }) => [kind, file]), [
      ["merge", `${folder}/a.yaml`],
      ["merge", `${folder}/a.yaml`],
      ["json", `${folder}/b c.json`],
    ]);
  }));

Deno.test("readPatches reads standard input", async () => {
  for (const value of ["@-", "-"]) {
    const [patch] = await readPatches([value], context(json));
    assert.equal(patch?.kind, "json");
    assert.equal(patch.file, "standard input");
  }
});

Deno.test("readPatches names a file that is not there", async () => {
  for (
    const [value, path] of [["@nope.yaml", "nope.yaml"], [
      "machine:",
      "machine:",
    ], ["", ""]]
  ) {
    await assert.rejects(
      readPatches([value ?? ""], context()),
      new ConfigError(`Cannot read "${path}": no such file`),
    );
  }
});

Deno.test("readPatches tells which patch is wrong", async () => {
  await assert.rejects(readPatches([merge, "a b"], context()), {
    name: "ConfigError",
    message: 'Cannot use patch "patch 2": its document 1 is not a mapping',
  });
});

Deno.test("readConfiguration reads a file or standard input", () =>
  withFolder({ "a.yaml": merge }, async (folder) => {
    const path = `${folder}/a.yaml`;
    assert.deepEqual(await readConfiguration(path, context()), {
      text: merge,
      name: path,
    });
    assert.deepEqual(await readConfiguration("-", context(merge)), {
      text: merge,
      name: "standard input",
    });
  }));
