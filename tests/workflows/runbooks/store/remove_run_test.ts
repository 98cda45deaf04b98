import assert from "node:assert/strict";
import {
  hasVault,
  removeRun,
} from "../../../../workflows/runbooks/store/remove_run.ts";
import { openVault } from "../../../../workflows/vault/vault.ts";
import { withFolder } from "../../../_folder.ts";
import { holdRun, makeRun } from "./_runs.ts";

const id = "20261120-7k2f";

Deno.test("a run is removed with the key of its vault", () =>
  withFolder({}, async (home) => {
    const folder = await makeRun(home);
    const keyFile = `${home}/keys/${id}`;
    await openVault(folder, { keyFile });
    assert.equal(await hasVault(folder), true);
    await removeRun({ folder, id, keyFile });
    await assert.rejects(Deno.stat(folder), Deno.errors.NotFound);
    await assert.rejects(Deno.stat(keyFile), Deno.errors.NotFound);
  }));

Deno.test("a run that a process has is not removed, and keeps its vault", () =>
  withFolder({}, async (home) => {
    const folder = await makeRun(home);
    const keyFile = `${home}/keys/${id}`;
    await openVault(folder, { keyFile });
    using _ = await holdRun(folder);
    await assert.rejects(removeRun({ folder, id, keyFile }), {
      name: "LockedError",
    });
    assert.equal(await hasVault(folder), true);
  }));

Deno.test("a vault counts until its key is destroyed", () =>
  withFolder({}, async (home) => {
    const folder = await makeRun(home);
    assert.equal(await hasVault(folder), false);
    const vault = await openVault(folder, { keyFile: `${home}/key` });
    await vault.destroyKey();
    assert.equal(await hasVault(folder), false);
  }));
