import assert from "node:assert/strict";
import { ConfigError, RefusedError } from "../../../errors.ts";
import { openVault } from "../../../workflows/vault/vault.ts";
import { withFolder } from "../../_folder.ts";

const phrase = { passphrase: "correct horse", rounds: 10 };
const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function withRun(test: (run: string, folder: string) => Promise<void>) {
  await withFolder({}, async (folder) => {
    await Deno.mkdir(`${folder}/run`);
    await test(`${folder}/run`, folder);
  });
}

Deno.test("a vault has its secrets again when it is opened again", async () => {
  await withRun(async (run, folder) => {
    for (const source of [phrase, { keyFile: `${folder}/key` }]) {
      const vault = await openVault(run, source);
      const handle = await vault.put("ca.os.key", encode("a secret"), "abc");
      assert.deepEqual(handle, { secret: "ca.os.key", fingerprint: "abc" });
      await Promise.all([
        vault.put("second", encode("another one")),
        vault.put("third", encode("and one more")),
      ]);
      const again = await openVault(run, source);
      assert.deepEqual(again.names(), ["ca.os.key", "second", "third"]);
      assert.deepEqual(again.find("ca.os.key"), handle);
      assert.deepEqual(again.find("second"), { secret: "second" });
      assert.equal(again.find("none"), undefined);
      assert.equal(decode(await again.read(handle)), "a secret");
      assert.equal(again.masker.mask("it is another one"), "it is ******");
      assert.equal(vault.masker.mask("it is another one"), "it is ******");
      await Deno.remove(`${run}/vault.bin`);
    }
    assert.equal((await Deno.stat(`${folder}/key`)).mode! & 0o777, 0o600);
  });
});

Deno.test("no secret is in the file of a vault", async () => {
  await withRun(async (run) => {
    const vault = await openVault(run, phrase);
    await vault.put("name-of-it", encode("a secret"));
    const text = await Deno.readTextFile(`${run}/vault.bin`);
    assert.ok(!text.includes("a secret"));
    assert.ok(!text.includes("YSBzZWNyZXQ"));
    assert.ok(!text.includes("name-of-it"));
  });
});

Deno.test("a vault takes the same secret twice and no other of that name", async () => {
  await withRun(async (run) => {
    const vault = await openVault(run, phrase);
    await vault.put("x", encode("a secret"), "f");
    assert.deepEqual(await vault.put("x", encode("a secret")), {
      secret: "x",
      fingerprint: "f",
    });
    await assert.rejects(
      () => vault.put("x", encode("a sekret")),
      RefusedError,
    );
    await assert.rejects(
      () => vault.put("y", encode("1234567")),
      /it has 7 bytes, and at least 8 are needed/,
    );
    await assert.rejects(
      () => vault.read({ secret: "y" }),
      /it is not in the vault/,
    );
  });
});

Deno.test("a vault does not open with another key", async () => {
  await withRun(async (run, folder) => {
    await openVault(run, phrase);
    await assert.rejects(
      () => openVault(run, { passphrase: "correct mouse" }),
      /wrong passphrase/,
    );
    await assert.rejects(
      () => openVault(run, { keyFile: `${folder}/none` }),
      (error) =>
        error instanceof ConfigError && /no such file/.test(error.message),
    );
  });
});

Deno.test("a key file within the run is refused", async () => {
  await withRun(async (run, folder) => {
    await assert.rejects(
      () => openVault(run, { keyFile: `${run}/key` }),
      /it is in the folder of the run/,
    );
    await openVault(run, { keyFile: `${folder}/deep/er/key` });
    assert.equal((await Deno.readFile(`${folder}/deep/er/key`)).length, 32);
  });
});

Deno.test("a flipped bit anywhere in a vault is found", async () => {
  await withRun(async (run) => {
    const path = `${run}/vault.bin`;
    const vault = await openVault(run, phrase);
    await vault.put("x", encode("a secret"));
    const good = await Deno.readFile(path);
    for (let at = 0; at < good.length; at += 7) {
      const bad = good.slice();
      bad[at]! ^= 1;
      await Deno.writeFile(path, bad);
      const opened = await openVault(run, phrase).catch((error) => error);
      const isSame = !(opened instanceof Error) &&
        decode(await opened.read({ secret: "x" })) === "a secret";
      assert.ok(opened instanceof ConfigError || isSame, `byte ${at}`);
    }
    await Deno.writeFile(path, good.subarray(0, good.length - 20));
    await assert.rejects(() => openVault(run, phrase), ConfigError);
  });
});

Deno.test("vault: a partly written file is ignored", async () => {
  await withRun(async (run) => {
    const vault = await openVault(run, phrase);
    await vault.put("x", encode("a secret"));
    await Deno.writeTextFile(`${run}/.vault.bin.12345678.tmp`, "{half");
    const again = await openVault(run, phrase);
    assert.deepEqual(again.names(), ["x"]);
  });
});

Deno.test("a write that fails leaves the vault as it was", async () => {
  await withRun(async (run) => {
    const vault = await openVault(run, phrase);
    await vault.put("x", encode("a secret"));
    await Deno.rename(`${run}/vault.bin`, `${run}/away`);
    await Deno.mkdir(`${run}/vault.bin`);
    await assert.rejects(() => vault.put("y", encode("a second")), ConfigError);
    assert.deepEqual(vault.names(), ["x"]);
    await Deno.remove(`${run}/vault.bin`);
    await Deno.rename(`${run}/away`, `${run}/vault.bin`);
    await vault.put("y", encode("a second"));
    assert.deepEqual((await openVault(run, phrase)).names(), ["x", "y"]);
  });
});

Deno.test("a vault whose key was destroyed is closed for good", async () => {
  await withRun(async (run) => {
    const vault = await openVault(run, phrase);
    await vault.put("x", encode("a secret"));
    await vault.destroyKey();
    assert.deepEqual(vault.names(), []);
    await assert.rejects(
      () => vault.put("y", encode("a second")),
      /was destroyed/,
    );
    await assert.rejects(
      () => openVault(run, phrase),
      /its key was destroyed when the run succeeded/,
    );
  });
});
