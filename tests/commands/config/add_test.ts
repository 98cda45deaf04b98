import assert from "node:assert/strict";
import { client, inDays, now } from "../../pki/_identity.ts";
import {
  base64,
  type ConfigFile,
  namesIn,
  readMode,
  silence,
  testWith,
  toOutput,
  twoContexts,
} from "./_file.ts";
import { readIdentity } from "../../../commands/config/add.ts";

async function flagsFor(
  { write }: ConfigFile,
  { ca, crt, key }: Awaited<ReturnType<typeof client>>,
): Promise<string> {
  return [
    `--ca=${await write("ca", ca)}`,
    `--crt=${await write("crt", crt)}`,
    `--key=${await write("key", key)}`,
  ].join(" ");
}

testWith(
  undefined,
  "config add makes the file, closed to others",
  async (file) => {
    const identity = await client();
    const flags = await flagsFor(file, identity);
    const ran = await file.osctl(`config add first ${flags}`, { now });
    assert.deepEqual(toOutput(ran), silence);
    assert.equal(
      await file.text(),
      `context: ""
contexts:
    first:
        endpoints: []
        ca: ${base64(identity.ca)}
        crt: ${base64(identity.crt)}
        key: ${base64(identity.key)}
`,
    );
    assert.equal(await readMode(file.path), 0o600);
    assert.deepEqual(await namesIn(file.dir), ["ca", "config", "crt", "key"]);
  },
);

testWith(
  twoContexts,
  "config add leaves other contexts and the current one",
  async (file) => {
    const { osctl, text, path } = file;
    assert.deepEqual(toOutput(await osctl("config add aa")), silence);
    assert.equal(
      await text(),
      twoContexts.replace("    b:", "    aa:\n        endpoints: []\n    b:"),
    );
    assert.equal(await Deno.readTextFile(`${path}.bak`), twoContexts);
    assert.equal(await readMode(`${path}.bak`), 0o600);
  },
);

testWith(
  twoContexts,
  "config add keeps what an existing context has beside the certificates, and says so",
  async (file) => {
    const identity = await client();
    const flags = await flagsFor(file, identity);
    const { out, err, status } = await file.osctl(`config add b ${flags}`, {
      now,
    });
    assert.deepEqual({ out, err, status }, {
      out: "",
      err: 'replaced ca, crt, key of context "b"; kept everything else\n',
      status: 0,
    });
    const added = `        ca: ${base64(identity.ca)}
        crt: ${base64(identity.crt)}
        key: ${base64(identity.key)}
`;
    assert.equal(
      await file.text(),
      twoContexts.replace("        future: [1, 2]\n", "") + added +
        "        future: [1, 2]\n",
    );
    const again = await file.osctl(`config add b ${flags}`, { now });
    assert.deepEqual(toOutput(again), silence);
  },
);

testWith(
  undefined,
  "config add wants certificate and key together",
  async (file) => {
    const { crt, key } = await client();
    const one = await file.osctl(
      `config add a --crt ${await file.write("c", crt)}`,
    );
    assert.equal(
      one.err,
      `error: Flag --crt is given, --key is not
hint: Give both the certificate and its key
Usage: osctl config add <context> [flags]
Run "osctl config add --help" for its flags
`,
    );
    assert.equal(one.status, 2);
    const other = await file.osctl(
      `config add a --key ${await file.write("k", key)}`,
    );
    assert.match(other.err, /^error: Flag --key is given, --crt is not\n/);
    await assert.rejects(Deno.stat(file.path), Deno.errors.NotFound);
  },
);

testWith(
  undefined,
  "config add names the file that is wrong and writes nothing",
  async (file) => {
    const identity = await client();
    const flags = await flagsFor(file, { ...identity, ca: "no PEM" });
    const { err, status } = await file.osctl(`config add a ${flags}`, { now });
    assert.equal(
      err,
      `error: Cannot use "${file.dir}/ca": Cannot read PEM: there is no "-----BEGIN" line\n`,
    );
    assert.equal(status, 2);
    await assert.rejects(Deno.stat(file.path), Deno.errors.NotFound);
  },
);

testWith(
  undefined,
  "config add from ten at once loses none",
  async ({ osctl, text }) => {
    const names = Array.from({ length: 10 }, (_, i) => `c${i}`);
    const all = await Promise.all(
      names.map((name) => osctl(`config add ${name}`)),
    );
    assert.deepEqual(all.map(toOutput), names.map(() => silence));
    const expected = names.map((name) =>
      `    ${name}:\n        endpoints: []\n`
    );
    assert.equal(await text(), `context: ""\ncontexts:\n${expected.join("")}`);
  },
);

async function writeFiles(
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

test("readIdentity refuses a key of another certificate and names both files", async (file) => {
  const files = await writeFiles(file, await client());
  await file.write("admin.key", (await client()).key);
  await assert.rejects(readIdentity(files, options()), {
    name: "ConfigError",
    message: `Cannot use "${files.key}": it is not the key of "${files.crt}"`,
  });
});

test("readIdentity refuses files in the wrong place", async (file) => {
  const files = await writeFiles(file, await client());
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
    message: `Cannot use "${files.crt}": It is not a CA certificate`,
  });
});

test("readIdentity warns of an expired certificate and of another CA", async (file) => {
  const expired = await client({ notBefore: inDays(-9), notAfter: inDays(-1) });
  const { ca } = await client();
  const files = await writeFiles(file, { ...expired, ca });
  const notes: string[] = [];
  await readIdentity(files, options(notes));
  assert.deepEqual(notes.filter((note) => note.startsWith("warning")), [
    "warning: Client certificate expired on 2030-05-31T12:00:00Z",
    "warning: Client certificate, signed by O=talos, is not signed by the key of the context's CA O=talos",
  ]);
  assert.equal(notes.length, 4);
  const quiet: string[] = [];
  await readIdentity(files, options(quiet, true));
  assert.deepEqual(quiet, notes.slice(0, 2));
});
