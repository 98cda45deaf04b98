import assert from "node:assert/strict";
import { ConfigError, RefusedError } from "../../../errors.ts";
import {
  findRotation,
  keepRotation,
  newCaKey,
  readRotation,
} from "../../../workflows/ca/rotation.ts";
import { openVault } from "../../../workflows/vault/vault.ts";
import { withFolder } from "../../_folder.ts";

const exchange = {
  crt: "new pem",
  oldCrt: "old pem",
  old: "aa",
  new: "bb",
  kept: [],
  madeAt: "2026-01-02T03:04:05.000Z",
};

Deno.test("a rotation is found again in the vault", async () => {
  await withFolder({}, async (folder) => {
    const source = { passphrase: "correct horse", rounds: 10 };
    const vault = await openVault(folder, source);
    assert.equal(await findRotation(vault, "os"), undefined);
    await assert.rejects(() => readRotation({ vault }, "os"), ConfigError);
    const handle = await keepRotation(vault, "os", exchange);
    assert.deepEqual(handle, { secret: "ca.os", fingerprint: "bb" });
    await vault.put(
      "ca.kubernetes.key",
      new TextEncoder().encode("another key"),
    );
    const again = { vault: await openVault(folder, source) };
    assert.deepEqual(await readRotation(again, "os", handle), exchange);
    assert.equal(await newCaKey(again, "kubernetes"), "another key");
    await assert.rejects(
      () => readRotation(again, "os", { secret: "ca.kubernetes" }),
      RefusedError,
    );
  });
});
