import assert from "node:assert/strict";
import { withFolder } from "../../../_folder.ts";
import { ConfigError, OsctlError } from "../../../../errors.ts";
import {
  copyVerified,
  fileBytes,
  hashOf,
  writtenAt,
} from "../../../../workflows/etcd/snapshot/copy_file.ts";

const { signal } = new AbortController();

Deno.test("a file is hashed and read piece by piece", async () => {
  await withFolder({ a: "hello" }, async (folder) => {
    const path = `${folder}/a`;
    assert.equal(
      await hashOf(path, signal),
      "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    );
    const parts: string[] = [];
    for await (const bytes of fileBytes(path, signal)) {
      parts.push(new TextDecoder().decode(bytes));
    }
    assert.deepEqual(parts, ["hello"]);
    assert.match(await writtenAt(path) ?? "", /^\d{4}-\d\d-\d\dT.*Z$/);
    await assert.rejects(() => hashOf(`${folder}/b`, signal), ConfigError);
    await assert.rejects(() => hashOf(path, AbortSignal.abort()));
  });
});

Deno.test("what is no database leaves nothing behind", async () => {
  await withFolder({ a: "hello" }, async (folder) => {
    await assert.rejects(
      () =>
        copyVerified(fileBytes(`${folder}/a`, signal), `${folder}/b`, signal),
      (error) =>
        error instanceof OsctlError &&
        error.message.startsWith(
          `What was to become "${folder}/b" is damaged: `,
        ),
    );
    const names = await Array.fromAsync(Deno.readDir(folder));
    assert.deepEqual(names.map(({ name }) => name), ["a"]);
    await assert.rejects(
      () =>
        copyVerified(fileBytes(`${folder}/a`, signal), `${folder}/x/b`, signal),
      ConfigError,
    );
  });
});
