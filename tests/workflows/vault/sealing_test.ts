import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import {
  newDataKey,
  seal,
  unseal,
  unwrapKey,
  wrapKey,
} from "../../../workflows/vault/sealing.ts";

const content = new TextEncoder().encode("something secret");

Deno.test("sealing: opens with the same key and purpose only", async () => {
  const key = await newDataKey();
  const sealed = await seal(key, content, "a");
  assert.deepEqual(await unseal(key, sealed, "a"), content);
  assert.equal(await unseal(key, sealed, "b"), undefined);
  assert.equal(await unseal(await newDataKey(), sealed, "a"), undefined);
  assert.equal(await unseal(key, { ...sealed, iv: "!" }, "a"), undefined);
});

Deno.test("two seals of the same are different", async () => {
  const key = await newDataKey();
  const [a, b] = [await seal(key, content, ""), await seal(key, content, "")];
  assert.notEqual(a.sealed, b.sealed);
});

Deno.test("a data key comes back out of its wrapping", async () => {
  const key = await newDataKey();
  const sealed = await seal(key, content, "");
  const bytes = new Uint8Array(32).fill(7);
  for (const held of [{ passphrase: "correct horse" }, { bytes }]) {
    const again = await unwrapKey(await wrapKey(key, held, 10), held);
    assert.deepEqual(await unseal(again, sealed, ""), content);
  }
});

Deno.test("a data key does not come out with another key, or another kind of key", async () => {
  const key = await newDataKey();
  const bytes = new Uint8Array(32);
  const byPhrase = await wrapKey(key, { passphrase: "correct horse" }, 10);
  const byFile = await wrapKey(key, { bytes }, 10);
  const cases = [
    [byPhrase, { passphrase: "correct mouse" }, /wrong passphrase/],
    [byFile, { bytes: bytes.map(() => 1) }, /wrong key file/],
    [byPhrase, { bytes }, /made with a passphrase/],
    [byFile, { passphrase: "correct horse" }, /made with a key file/],
    [
      { ...byPhrase, rounds: 1e9 },
      { passphrase: "correct horse" },
      /requires 1000000000 rounds/,
    ],
  ] as const;
  for (const [wrapped, held, message] of cases) {
    await assert.rejects(
      () => unwrapKey(wrapped, held),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
  }
});

Deno.test("short passphrases and key files are refused", async () => {
  const key = await newDataKey();
  await assert.rejects(
    () => wrapKey(key, { passphrase: "1234567" }, 10),
    /fewer than 8 characters/,
  );
  await assert.rejects(
    () => wrapKey(key, { bytes: new Uint8Array(31) }, 10),
    /has 31 bytes, and at least 32 are needed/,
  );
});
