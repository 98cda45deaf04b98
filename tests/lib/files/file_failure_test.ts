import assert from "node:assert/strict";
import { fileFailure } from "../../../lib/files/file_failure.ts";
import { withFolder } from "../../_folder.ts";

const cases: readonly (readonly [
  what: string,
  work: (folder: string) => Promise<unknown>,
  message: string,
])[] = [
  [
    "a folder below a file",
    (folder) => Deno.mkdir(`${folder}/a/b`, { recursive: true }),
    'Cannot write "FOLDER/a/b": a part of the path is a file, not a directory',
  ],
  [
    "a file in a folder that is not there",
    (folder) => Deno.writeTextFile(`${folder}/none/b`, ""),
    'Cannot write "FOLDER/none/b": no such file or directory',
  ],
  [
    "a file that is opened",
    (folder) => Deno.open(`${folder}/none`),
    'Cannot open "FOLDER/none": no such file or directory',
  ],
  [
    "a folder that is read as a file",
    (folder) => Deno.readTextFile(folder),
    'Cannot read "FOLDER": it is a directory',
  ],
  [
    "a move",
    (folder) => Deno.rename(`${folder}/a`, `${folder}/none/b`),
    'Cannot write "FOLDER/none/b": no such file or directory',
  ],
  [
    "a full disk",
    async () => {
      using file = await Deno.open("/dev/full", { write: true });
      await file.write(new Uint8Array(1));
    },
    "Cannot write a file: no space left on the disk",
  ],
];

for (const [what, work, message] of cases) {
  Deno.test(`fileFailure: the reason for ${what} names it`, () =>
    withFolder({ a: "" }, async (folder) => {
      const error = await work(folder).catch((error) => error);
      const failure = fileFailure(error);
      assert.equal(failure?.message.replaceAll(folder, "FOLDER"), message);
      assert.notEqual(failure?.hint, undefined);
      assert.equal(failure?.status, 1);
    }));
}
