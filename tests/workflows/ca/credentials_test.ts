import assert from "node:assert/strict";
import { testCa } from "../../_test_ca.ts";
import { withFolder } from "../../_folder.ts";
import { ConfigError } from "../../../errors.ts";
import { inspectCertificate } from "../../../pki/inspect.ts";
import { decodePemAs } from "../../../pki/pem.ts";
import {
  credentialIn,
  issueClients,
  restoreCredentials,
} from "../../../workflows/ca/credentials.ts";
import { keepRotation } from "../../../workflows/ca/rotation.ts";
import type {
  Credential,
  CredentialRing,
} from "../../../workflows/ca/run_resources.ts";
import { type OpenVault, openVault } from "../../../workflows/vault/vault.ts";

const source = { passphrase: "correct horse", rounds: 10 };
const spec = {
  role: "os:admin",
  lifetimeMs: 24 * 3_600_000,
  now: Date.parse("2026-01-02T03:04:05Z"),
} as const;

function fakeRing(added: Credential[]): CredentialRing {
  return {
    home: { name: "home", endpoints: [], nodes: [] },
    add: (one) => void added.push(one),
    names: () => [],
    at: () => Promise.reject(new Error("no CA")),
  };
}

async function withExchange(
  test: (
    vault: OpenVault,
    certificates: { old: string; next: string },
    folder: string,
  ) => Promise<void>,
) {
  await withFolder({}, async (folder) => {
    const vault = await openVault(folder, source);
    const [old, next] = [await testCa(), await testCa()];
    await vault.put("ca.os.key", new TextEncoder().encode(next.key));
    await keepRotation(vault, "os", {
      crt: next.pem,
      oldCrt: old.pem,
      new: next.fingerprint,
      old: old.fingerprint,
      kept: [],
      madeAt: "",
    });
    await test(vault, { old: old.pem, next: next.pem }, folder);
  });
}

Deno.test("a new client comes with the old and with the new CA, and joins the ring", async () => {
  await withExchange(async (vault, { old, next }) => {
    const added: Credential[] = [];
    const room = { vault, ring: fakeRing(added) };
    const { transitional, final } = await issueClients(room, spec);
    assert.deepEqual(added.map(({ name, ca }) => [name, ca]), [
      ["transitional", old],
      ["final", next],
    ]);
    const credential = await credentialIn(vault, final);
    assert.deepEqual(credential, added[1]);
    assert.equal(transitional.fingerprint, final.fingerprint);
    const [der] = decodePemAs("CERTIFICATE", credential.crt);
    const facts = inspectCertificate(der);
    assert.deepEqual(facts.subject.organizations, ["os:admin"]);
    assert.equal(facts.notBefore.toISOString(), "2026-01-02T02:04:05.000Z");
    assert.equal(facts.notAfter.toISOString(), "2026-01-03T03:04:05.000Z");
    // Again: the same.
    assert.deepEqual(await issueClients(room, spec), { transitional, final });
    assert.deepEqual(added[3], added[1]);
  });
});

Deno.test("a client that a dead process has half made is completed with the same key", async () => {
  await withExchange(async (vault, _, folder) => {
    const room = { vault, ring: fakeRing([]) };
    const failing: OpenVault = {
      ...vault,
      put: (name, ...rest) =>
        name === "client.final"
          ? Promise.reject(new Error("killed"))
          : vault.put(name, ...rest),
    };
    await assert.rejects(
      () => issueClients({ ...room, vault: failing }, spec),
      /killed/,
    );
    const again = await openVault(folder, source);
    const { final } = await issueClients({ ...room, vault: again }, spec);
    assert.equal(final.secret, "client.final");
    assert.deepEqual(
      again.names(),
      [
        "ca.os.key",
        "ca.os",
        "client-key",
        "client.transitional",
        "client.final",
      ],
    );
  });
});

Deno.test("a ring has its credentials again in the next process", async () => {
  await withExchange(async (vault, _, folder) => {
    const [before, after]: [Credential[], Credential[]] = [[], []];
    await issueClients({ vault, ring: fakeRing(before) }, spec);
    await restoreCredentials(fakeRing(after), await openVault(folder, source));
    assert.deepEqual(after, before);
  });
});

Deno.test("other secrets are not clients", async () => {
  await withExchange(async (vault) => {
    await assert.rejects(
      () => credentialIn(vault, { secret: "ca.os" }),
      ConfigError,
    );
  });
});
