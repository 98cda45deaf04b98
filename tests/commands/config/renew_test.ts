import assert from "node:assert/strict";
import { listPems, readLeaf } from "../../../commands/config/_certificate.ts";
import { readOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import type { CertificateAuthority } from "../../../pki/certificate.ts";
import { encodePrivateKey } from "../../../pki/private_key.ts";
import {
  client,
  type ClientChange,
  derToPem,
  inDays,
  makeCa,
  now,
} from "../../pki/_identity.ts";
import {
  base64,
  type ConfigFile,
  readMode,
  testWith,
  toOutput,
} from "./_file.ts";
import {
  checkIssued,
  type Issued,
  issueLocally,
} from "../../../commands/config/renew.ts";

type Identity = Awaited<ReturnType<typeof client>>;

/** Writes a client configuration with one certified context. */
async function issue(
  { path }: ConfigFile,
  change: ClientChange & { readonly ca: CertificateAuthority },
): Promise<Identity> {
  const identity = await client(change);
  const { ca, crt, key } = identity;
  await Deno.writeTextFile(
    path,
    `# mine
context: c
contexts:
    c:
        endpoints:
            - 10.0.0.1
        nodes:
            - 10.0.0.5
            - 10.0.0.6
        ca: ${base64(ca)}
        crt: ${base64(crt)}
        key: ${base64(key)}
        future: kept
    d:
        endpoints: []
`,
  );
  return identity;
}

function formatSecrets({ certificate, key }: CertificateAuthority): string {
  return `certs:
    os:
        crt: ${base64(derToPem(certificate))}
        key: ${base64(encodePrivateKey(key))}
`;
}

function answering({ crt, key }: Identity, seen: unknown[] = []) {
  const bytes = (text: string) => new TextEncoder().encode(text);
  return {
    generateClientConfiguration(request: unknown) {
      seen.push(request);
      return { messages: [{ crt: bytes(crt), key: bytes(key) }] };
    },
  };
}

/** Certificate and key of a context in a file. */
async function readPair(path: string, name = "c") {
  const context = (await readOsconfig(path))?.contexts.get(name);
  assert.ok(context);
  const { crt, key } = listPems(context);
  return { leaf: readLeaf(crt), key: new TextDecoder().decode(key) };
}

function test(name: string, body: (file: ConfigFile) => Promise<void>): void {
  testWith(undefined, name, body);
}

test("config renew signs with a secrets bundle, also when the certificate has expired", async (file) => {
  const { osctl, path, text, write } = file;
  const ca = await makeCa();
  const old = await issue(file, {
    ca,
    notBefore: inDays(-30),
    notAfter: inDays(-2),
  });
  const before = await text();
  const secrets = await write("secrets.yaml", formatSecrets(ca));
  const ran = await osctl(`config renew --with-secrets ${secrets}`, { now });
  assert.deepEqual(toOutput(ran), {
    out: `Context:             c
Roles:               os:admin
Old certificate end: 2 days ago (2030-05-30)
New certificate end: 1 year from now (2031-06-01)
`,
    err: "",
    status: 0,
  });
  const { leaf, key } = await readPair(path);
  assert.deepEqual(leaf?.subject.organizations, ["os:admin"]);
  assert.equal(leaf.notAfter.toISOString(), "2031-06-01T12:00:00.000Z");
  assert.notEqual(key, old.key);
  const hidden = (all: string) => all.replace(/(crt|key): .*/g, "$1");
  assert.equal(hidden(await text()), hidden(before));
  assert.equal(await readMode(path), 0o600);
  assert.equal(await Deno.readTextFile(`${path}.bak`), before);
  assert.equal((await osctl("config info", { now })).err, "");
});

test("config renew -o json tells both ends", async (file) => {
  const ca = await makeCa();
  await issue(file, { ca, notAfter: inDays(5) });
  const secrets = await file.write("s", formatSecrets(ca));
  const { out } = await file.osctl(
    `config renew --with-secrets ${secrets} --roles os:reader --crt-ttl 240h -o json`,
    { now },
  );
  assert.deepEqual(JSON.parse(out), {
    context: "c",
    roles: ["os:reader"],
    oldNotAfter: "2030-06-06T12:00:00.000Z",
    newNotAfter: "2030-06-11T12:00:00.000Z",
  });
});

test("config renew signs with the machine configuration of a control plane, and not with a worker's", async (file) => {
  const ca = await makeCa();
  await issue(file, { ca });
  const config = (key: string) =>
    `kind: Other\n---\nmachine:\n    ca:\n        crt: ${
      base64(derToPem(ca.certificate))
    }\n        key: ${key}\n`;
  const key = base64(encodePrivateKey(ca.key));
  const controlplane = await file.write("controlplane.yaml", config(key));
  const line = "config renew --from-controlplane-config";
  const { status } = await file.osctl(`${line} ${controlplane}`, { now });
  assert.equal(status, 0);
  const { leaf } = await readPair(file.path);
  assert.equal(leaf?.notAfter.toISOString(), "2031-06-01T12:00:00.000Z");

  const worker = await file.write("worker.yaml", config('""'));
  const refused = await file.osctl(`${line} ${worker}`, { now });
  assert.equal(
    refused.err,
    `error: Cannot use "${worker}": it has no machine.ca.key
hint: Use the machine configuration of a control plane
`,
  );
  assert.equal(refused.status, 2);
});

test("config renew asks the endpoint, for the roles the certificate has", async (file) => {
  const ca = await makeCa();
  await issue(file, { ca });
  const fresh = await client({ ca, notAfter: inDays(365) });
  const seen: unknown[] = [];
  const { out, status } = await file.osctl("config renew", {
    now,
    nodes: { "": answering(fresh, seen) },
  });
  assert.match(out, /^New certificate end: 1 year from now \(2031-06-01\)$/m);
  assert.equal(status, 0);
  assert.deepEqual(seen, [{
    roles: ["os:admin"],
    crtTtl: { seconds: 31_536_000n, nanos: 0 },
  }]);
  assert.equal((await readPair(file.path)).key, fresh.key);
});

test("config renew asks the node that is named", async (file) => {
  const ca = await makeCa();
  await issue(file, { ca });
  const fresh = await client({ ca });
  const ran = await file.osctl("config renew -n 10.0.0.1", {
    now,
    nodes: { "10.0.0.1": answering(fresh) },
  });
  assert.equal(ran.status, 0);
});

test("config renew notices that the context changed meanwhile", async (file) => {
  const ca = await makeCa();
  await issue(file, { ca });
  const fresh = await client({ ca });
  const { err, status } = await file.osctl("config renew", {
    now,
    nodes: {
      "": {
        async generateClientConfiguration(request: unknown) {
          await issue(file, { ca: await makeCa() });
          return answering(fresh).generateClientConfiguration(request);
        },
      },
    },
  });
  assert.equal(
    err,
    `error: Cannot renew the certificate of context "c": another process changed the context meanwhile
hint: Try again
`,
  );
  assert.equal(status, 1);
});

test("config renew keeps what others write meanwhile", async (file) => {
  const ca = await makeCa();
  await issue(file, { ca });
  const fresh = await client({ ca });
  await file.osctl("config renew", {
    now,
    nodes: {
      "": {
        async generateClientConfiguration(request: unknown) {
          await file.osctl("config endpoint 10.9.9.9");
          return answering(fresh).generateClientConfiguration(request);
        },
      },
    },
  });
  assert.match(await file.text(), /10\.9\.9\.9/);
  assert.equal((await readPair(file.path)).key, fresh.key);
});

test("config renew wants one source, roles, and files that are there", async (file) => {
  const ca = await makeCa();
  await issue(file, { ca });
  const both = await file.osctl(
    "config renew --with-secrets a --from-controlplane-config b",
  );
  assert.match(
    both.err,
    /^error: Flags --with-secrets and --from-controlplane-config cannot be combined\n/,
  );
  assert.equal(both.status, 2);
  const missing = await file.osctl(
    `config renew --with-secrets ${file.dir}/none`,
  );
  assert.equal(
    missing.err,
    `error: Cannot read "${file.dir}/none": no such file\n`,
  );
  assert.equal(missing.status, 2);
  const bare = await file.osctl("config renew --context d");
  assert.equal(
    bare.err,
    `error: Cannot determine the roles of context "d": its certificate names none
hint: Give them with --roles
`,
  );
  assert.equal(bare.status, 2);
});

test("config renew finds out that it may not write before anything is signed", async (file) => {
  await issue(file, { ca: await makeCa() });
  await Deno.mkdir(`${file.path}.lock`);
  const { status, err } = await file.osctl("config renew", {
    nodes: { "": {} },
  });
  assert.equal(status, 2);
  assert.match(err, new RegExp(`^error: Cannot write "${file.path}": `));
});

const spec = { roles: ["os:admin", "os:reader"], lifetimeMs: 3_600_000, now };
const bytes = (text: string) => new TextEncoder().encode(text);

function caFiles({ certificate, key }: CertificateAuthority) {
  return {
    crt: bytes(derToPem(certificate)),
    key: bytes(encodePrivateKey(key)),
  };
}

function contextYaml({ certificate }: CertificateAuthority) {
  const ca = bytes(derToPem(certificate)).toBase64();
  return { name: "c", endpoints: [], nodes: [], ca };
}

async function renewalNotes(
  ca: CertificateAuthority,
  issued: Issued,
  at = now,
) {
  const notes: string[] = [];
  await checkIssued(contextYaml(ca), issued, {
    now: at,
    note: (text) => void notes.push(text),
  });
  return notes;
}

Deno.test("issueLocally refuses a key of another CA", async () => {
  const [one, two] = [await makeCa(), await makeCa()];
  const files = { ...caFiles(one), key: caFiles(two).key };
  await assert.rejects(issueLocally(files, spec), {
    name: "ConfigError",
    message:
      "Cannot use certificate authority: its key does not match its certificate",
  });
});

Deno.test("checkIssued refuses another CA than the context's", async () => {
  const issued = await issueLocally(caFiles(await makeCa()), spec);
  await assert.rejects(renewalNotes(await makeCa(), issued), {
    name: "ConfigError",
    message:
      'Cannot renew the certificate of context "c": the CA that signs is not the one the context trusts',
  });
});

Deno.test("checkIssued refuses a context without CA", async () => {
  const issued = await issueLocally(caFiles(await makeCa()), spec);
  const context = { name: "c", endpoints: [], nodes: [] };
  await assert.rejects(
    checkIssued(context, issued, { now, note: () => {} }),
    {
      message:
        'Cannot renew the certificate of context "c": it has no CA to verify the new one with',
    },
  );
});

Deno.test("checkIssued refuses a key of another certificate and a CA at its end", async () => {
  const ca = await makeCa();
  const [one, two] = [
    await issueLocally(caFiles(ca), spec),
    await issueLocally(caFiles(ca), spec),
  ];
  await assert.rejects(renewalNotes(ca, { ...one, key: two.key }), {
    message:
      'Cannot renew the certificate of context "c": Client key does not match the client certificate',
  });
  const old = await makeCa({ from: -50, to: -1 });
  await assert.rejects(
    renewalNotes(old, await issueLocally(caFiles(old), spec)),
    {
      message:
        'Cannot renew the certificate of context "c": Certificate authority expired on 2030-05-31T12:00:00Z',
    },
  );
});

Deno.test("checkIssued only warns when the clock of the node is ahead", async () => {
  const ca = await makeCa();
  const issued = await issueLocally(caFiles(ca), spec);
  const early = new Date(now.getTime() - 2000);
  assert.deepEqual(await renewalNotes(ca, issued, early), [
    "warning: Client certificate is valid only from 2030-06-01T12:00:00Z",
  ]);
});
