import assert from "node:assert/strict";
import {
  keepSecrets,
  openRunVault,
} from "../../../../workflows/runbooks/store/run_vault.ts";
import { ConfigError } from "../../../../errors.ts";
import { withFolder } from "../../../_folder.ts";

const secret = new TextEncoder().encode("hunter22hunter22");

function place(home: string, more: {
  readonly keyFile?: string;
  readonly passphrase?: string;
} = {}) {
  return {
    folder: `${home}/runs/r1`,
    id: "r1",
    keys: `${home}/run-keys`,
    keyFile: more.keyFile,
    environment: {
      env: (name: string) =>
        name === "OSCTL_VAULT_PASSPHRASE" ? more.passphrase : undefined,
    },
  };
}

Deno.test("openVault keeps the key of each run outside of its folder", async () => {
  await withFolder({ "runs/r1/": "" }, async (home) => {
    const vault = await openRunVault(place(home));
    const handles = await keepSecrets(vault, new Map([["token", secret]]));
    assert.deepEqual(handles, { token: { secret: "input/token" } });
    const again = await openRunVault(place(home));
    assert.deepEqual(await again.read({ secret: "input/token" }), secret);
    const key = await Deno.stat(`${home}/run-keys/r1`);
    assert.equal(key.mode! & 0o777, 0o600);
    await Deno.remove(`${home}/run-keys/r1`);
    await assert.rejects(openRunVault(place(home)), ConfigError);
  });
});

Deno.test("openVault takes the key file that is named, and a passphrase before it", async () => {
  await withFolder({ "runs/r1/": "", "runs/r2/": "" }, async (home) => {
    const keyFile = `${home}/my.key`;
    await openRunVault(place(home, { keyFile }));
    assert.equal((await Deno.stat(keyFile)).size, 32);
    await openRunVault(place(home, { keyFile }));
    const typed = {
      ...place(home, {
        keyFile: `${home}/none.key`,
        passphrase: "correct horse",
      }),
      folder: `${home}/runs/r2`,
    };
    await openRunVault(typed);
    await openRunVault(typed);
    await assert.rejects(Deno.stat(`${home}/none.key`), Deno.errors.NotFound);
  });
});
