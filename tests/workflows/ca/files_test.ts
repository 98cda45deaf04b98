import assert from "node:assert/strict";
import { testCa } from "../../_test_ca.ts";
import { withFolder } from "../../_folder.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import {
  exportVault,
  updateContext,
  writeOsconfig,
} from "../../../workflows/ca/files.ts";
import { keepRotation } from "../../../workflows/ca/rotation.ts";
import type { RunResources } from "../../../workflows/ca/run_resources.ts";
import { openVault } from "../../../workflows/vault/vault.ts";

const home = { name: "prod", endpoints: ["10.0.0.1"], nodes: ["10.0.0.2"] };
const now = new Date("2026-01-02T03:04:05Z");

async function withVault(
  test: (
    resources: Pick<RunResources, "vault" | "ring">,
    credential: Parameters<typeof writeOsconfig>[1],
    folder: string,
  ) => Promise<void>,
) {
  await withFolder({}, async (folder) => {
    await Deno.mkdir(`${folder}/run`);
    const vault = await openVault(`${folder}/run`, {
      passphrase: "correct horse",
      rounds: 10,
    });
    const key = await vault.put(
      "client-key",
      new TextEncoder().encode("a key of it"),
    );
    const ring = { home } as unknown as RunResources["ring"]; // nothing else is asked of it
    const credential = { name: "final", ca: "the ca", crt: "the crt", key };
    await test({ vault, ring }, credential, folder);
  });
}

Deno.test("a client is written into a new file, and the same is not written again", async () => {
  await withVault(async ({ vault }, credential, folder) => {
    const path = `${folder}/osconfig`;
    const target = { path, home, keepPrevious: true, now };
    assert.deepEqual(await writeOsconfig(vault, credential, target), {
      path,
      changed: true,
    });
    const text = await Deno.readTextFile(path);
    assert.equal(
      text,
      `context: prod
contexts:
    prod:
        endpoints:
            - 10.0.0.1
        nodes:
            - 10.0.0.2
        ca: dGhlIGNh
        crt: dGhlIGNydA==
        key: YSBrZXkgb2YgaXQ=
`,
    );
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    assert.deepEqual(await writeOsconfig(vault, credential, target), {
      path,
      changed: false,
    });
  });
});

Deno.test("other contexts of a file stay, and a copy of it is kept", async () => {
  await withVault(async ({ vault }, credential, folder) => {
    const path = `${folder}/osconfig`;
    const before = "context: a\ncontexts:\n    a:\n        endpoints: [x]\n";
    await Deno.writeTextFile(path, before);
    const target = { path, home, keepPrevious: true, now };
    const { previous } = await writeOsconfig(vault, credential, target);
    assert.equal(previous, `${path}.20260102T030405Z.bak`);
    assert.equal(await Deno.readTextFile(previous!), before);
    const { current, contexts } = await parseOsconfig(
      await Deno.readTextFile(path),
      path,
    );
    assert.equal(current, "prod");
    assert.deepEqual([...contexts.keys()], ["a", "prod"]);
    await Deno.writeTextFile(path, before);
    const without = { ...target, keepPrevious: false };
    assert.deepEqual(await writeOsconfig(vault, credential, without), {
      path,
      changed: true,
    });
  });
});

Deno.test("new CAs are written as a secrets bundle spells them", async () => {
  await withVault(async (resources, client, folder) => {
    const { pem, key, fingerprint } = await testCa();
    await resources.vault.put(
      "ca.kubernetes.key",
      new TextEncoder().encode(key),
    );
    await keepRotation(resources.vault, "kubernetes", {
      crt: pem,
      oldCrt: "",
      new: fingerprint,
      old: "",
      kept: [],
      madeAt: "",
    });
    const path = `${folder}/secrets.yaml`;
    const base64 = (text: string) => new TextEncoder().encode(text).toBase64();
    const cas = { path, cas: true, client: undefined };
    await exportVault(resources, cas);
    assert.equal(
      await Deno.readTextFile(path),
      `certs:
    k8s:
        crt: ${base64(pem)}
        key: ${base64(key)}
`,
    );
    assert.equal((await exportVault(resources, cas)).changed, false);
    await exportVault(resources, { path, cas: false, client });
    assert.match(
      await Deno.readTextFile(path),
      /^certs: \{\}\nosconfig: \|\n {4}context: prod\n/,
    );
  });
});

Deno.test("a rotation replaces the certificates of the context it came from, and keeps the file of before", async () => {
  await withVault(async ({ vault }, credential, folder) => {
    const osconfig = `${folder}/osconfig`;
    const signal = new AbortController().signal;
    const context = { home: { ...home, osconfig }, now, signal };
    const before = `context: other
contexts:
    other:
        endpoints: [10.9.0.1]
    prod:
        endpoints: [vip.example]
        ca: b2xk
        crt: b2xk
        key: b2xk
        cluster: prod
`;
    await Deno.writeTextFile(osconfig, before);
    const previous = `${osconfig}.20260102T030405Z.bak`;
    assert.deepEqual(await updateContext(vault, credential, context), {
      path: osconfig,
      changed: true,
      previous,
    });
    assert.equal(await Deno.readTextFile(previous), before);
    const text = await Deno.readTextFile(osconfig);
    const { current, contexts } = await parseOsconfig(text, osconfig);
    assert.equal(current, "other");
    const { endpoints, ca, crt, key, cluster } = contexts.get("prod") ?? {};
    assert.deepEqual([endpoints, ca, crt, key, cluster], [
      ["vip.example"],
      "dGhlIGNh",
      "dGhlIGNydA==",
      "YSBrZXkgb2YgaXQ=",
      "prod",
    ]);
    // The same again, a context that is gone, and no file: nothing is changed.
    const unchanged = { path: osconfig, changed: false };
    assert.deepEqual(
      await updateContext(vault, credential, context),
      unchanged,
    );
    const gone = { ...context, home: { ...context.home, name: "gone" } };
    assert.deepEqual(await updateContext(vault, credential, gone), unchanged);
    assert.deepEqual(
      await updateContext(vault, credential, { ...context, home }),
      { path: "", changed: false },
    );
  });
});
