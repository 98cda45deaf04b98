import assert from "node:assert/strict";
import { readIdentity } from "../../../commands/config/_identity_files.ts";
import { client, inDays, now } from "../../pki/_identity.ts";
import { base64, type ConfigFile, testWith } from "./_file.ts";

async function filesOf(
  { write }: ConfigFile,
  { ca, crt, key }: Awaited<ReturnType<typeof client>>,
) {
  return {
    ca: await write("ca.crt", ca),
    crt: await write("admin.crt", crt),
    key: await write("admin.key", key),
  };
}

function options(notes: string[] = [], noExpiryWarning = false) {
  return {
    now,
    noExpiryWarning,
    note: (text: string) => void notes.push(text),
  };
}

function test(name: string, body: (file: ConfigFile) => Promise<void>): void {
  testWith(undefined, name, body);
}

test("readIdentity takes the files as they are", async (file) => {
  const identity = await client();
  const notes: string[] = [];
  const read = await readIdentity(
    await filesOf(file, identity),
    options(notes),
  );
  assert.deepEqual(read, {
    ca: base64(identity.ca),
    crt: base64(identity.crt),
    key: base64(identity.key),
  });
  assert.deepEqual(notes, []);
});

test("readIdentity takes no files for none", async () => {
  const none = { ca: undefined, crt: undefined, key: undefined };
  assert.deepEqual(await readIdentity(none, options()), {});
});

test("readIdentity refuses a key of another certificate and names both files", async (file) => {
  const files = await filesOf(file, await client());
  await file.write("admin.key", (await client()).key);
  await assert.rejects(readIdentity(files, options()), {
    name: "ConfigError",
    message: `Cannot use "${files.key}": it is not the key of "${files.crt}"`,
  });
});

test("readIdentity refuses files in the wrong place", async (file) => {
  const files = await filesOf(file, await client());
  const swapped = { ...files, crt: files.key, key: files.crt };
  await assert.rejects(readIdentity(swapped, options()), {
    message:
      `Cannot use "${files.key}": Cannot read PEM: expected "CERTIFICATE", found "ED25519 PRIVATE KEY"`,
  });
  await assert.rejects(readIdentity({ ...files, key: files.crt }, options()), {
    message:
      `Cannot use "${files.crt}": Cannot read private key: found only "CERTIFICATE"`,
  });
  await assert.rejects(readIdentity({ ...files, ca: files.crt }, options()), {
    message:
      `Cannot use "${files.crt}": It holds a certificate that may not sign others`,
  });
});

test("readIdentity names a file that is missing", async ({ dir }) => {
  const files = { ca: `${dir}/ca`, crt: undefined, key: undefined };
  await assert.rejects(readIdentity(files, options()), {
    name: "ConfigError",
    message: `Cannot read "${dir}/ca": no such file`,
  });
});

test("readIdentity warns of an expired certificate and of another authority", async (file) => {
  const expired = await client({ notBefore: inDays(-9), notAfter: inDays(-1) });
  const { ca } = await client();
  const files = await filesOf(file, { ...expired, ca });
  const notes: string[] = [];
  await readIdentity(files, options(notes));
  assert.deepEqual(notes.filter((note) => note.startsWith("warning")), [
    "warning: Client certificate expired on 2030-05-31T12:00:00Z",
    "warning: Client certificate, signed by O=talos, is not signed by the key of the context's authority O=talos",
  ]);
  assert.equal(notes.length, 4);
  const quiet: string[] = [];
  await readIdentity(files, options(quiet, true));
  assert.deepEqual(quiet, notes.slice(0, 2));
});
