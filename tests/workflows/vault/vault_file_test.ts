import assert from "node:assert/strict";
import {
  readVaultFile,
  vaultPath,
  wipeVaultFile,
  writeVaultFile,
} from "../../../workflows/vault/vault_file.ts";
import { withFolder } from "../../_folder.ts";

const sealed = { iv: "aXY=", sealed: "c2VhbGVk" };
const content = {
  v: 1,
  key: { way: "file", ...sealed },
  entries: sealed,
} as const;

Deno.test("a vault file is read as it was written, by its owner only", async () => {
  await withFolder({}, async (folder) => {
    assert.equal(await readVaultFile(folder), undefined);
    await writeVaultFile(folder, content);
    assert.deepEqual(await readVaultFile(folder), content);
    assert.equal((await Deno.stat(vaultPath(folder))).mode! & 0o777, 0o600);
  });
});

Deno.test("a vault file that was wiped holds nothing", async () => {
  await withFolder({}, async (folder) => {
    await wipeVaultFile(folder);
    assert.equal(await readVaultFile(folder), undefined);
    await writeVaultFile(folder, content);
    await wipeVaultFile(folder);
    assert.equal(
      await Deno.readTextFile(vaultPath(folder)),
      '{"v":1,"destroyed":true}',
    );
    await Deno.writeTextFile(vaultPath(folder), "\0\0\0\0");
    assert.deepEqual(await readVaultFile(folder), { v: 1, destroyed: true });
  });
});

Deno.test("a damaged vault file is reported", async () => {
  const damaged = [
    "{",
    "null",
    '{"v":2}',
    '{"v":1}',
    '{"v":1,"key":{"iv":"","sealed":"","way":"other"},"entries":{"iv":"","sealed":""}}',
    '{"v":1,"key":{"iv":"","sealed":"","way":"passphrase"},"entries":{"iv":"","sealed":""}}',
    '{"v":1,"key":{"iv":"","sealed":"","way":"passphrase","rounds":1,"salt":"!"},"entries":{"iv":"","sealed":""}}',
    '{"v":1,"key":{"iv":"","sealed":"","way":"file"},"entries":{"iv":1,"sealed":""}}',
  ];
  await withFolder({}, async (folder) => {
    for (const text of damaged) {
      await Deno.writeTextFile(vaultPath(folder), text);
      await assert.rejects(() => readVaultFile(folder), /it is damaged/);
    }
  });
});
