import assert from "node:assert/strict";
import { systemReason } from "../../../lib/files/system_reason.ts";
import { withFolder } from "../../_folder.ts";

Deno.test("systemReason puts codes into words, and leaves no number of the system in others", async () => {
  await withFolder({ "a/b": "" }, async (folder) => {
    const reasons: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["it is a directory", () => Deno.readFile(`${folder}/a`)],
      ["no such file or directory", () => Deno.readFile(`${folder}/c`)],
      [
        "a part of the path is a file, not a directory",
        () => Deno.readFile(`${folder}/a/b/c`),
      ],
      [
        "no space left on the disk",
        () => Deno.writeFile("/dev/full", new Uint8Array(1)),
      ],
    ];
    for (const [reason, work] of reasons) {
      const error = await work().then(() => undefined, (error) => error);
      assert.equal(systemReason(error), reason);
    }
  });
  const odd = Object.assign(new Error("Odd thing (os error 99): open '/x'"), {
    code: "EODD",
  });
  assert.equal(systemReason(odd), "Odd thing");
  assert.equal(systemReason("text"), "text");
});
