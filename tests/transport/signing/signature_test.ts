import assert from "node:assert/strict";
import { readKey } from "openpgp";
import {
  loadSigner,
  type SignerOptions,
} from "../../../transport/signing/signature.ts";
import { requestMetadata } from "../../../transport/call/metadata.ts";
import { needs } from "../../_needs.ts";
import { checkRequest, made, pgpKey } from "../_pgp.ts";

const now = new Date("2026-01-01T01:00:00.999Z");
const path = "/machine.MachineService/Version";
const { privateKey, publicKey } = await pgpKey();
const fingerprint = (await readKey({ armoredKey: publicKey })).getFingerprint();
const registered = { [`me@here.org ${fingerprint}`]: publicKey };

function options(over: Partial<SignerOptions> = {}): SignerOptions {
  return {
    identity: "me@here.org",
    context: "prod",
    folders: ["/keys"],
    readText: (path) =>
      Promise.resolve(
        path === "/keys/prod-me@here.org.pgp" ? privateKey : undefined,
      ),
    now: () => now,
    ...over,
  };
}

async function signRequest() {
  const sign = await loadSigner(options());
  return await requestMetadata(path, {
    cluster: "west",
    basicAuth: { username: "u", password: "p" },
    sign,
  }, "10.0.0.2");
}

Deno.test("loadSigner signs requests that a proxy accepts", async () => {
  const metadata = await signRequest();
  assert.equal(
    await checkRequest({ path, metadata }, registered, now),
    "me@here.org",
  );
});

Deno.test("loadSigner writes the signed text and where it came from", async () => {
  const metadata = await signRequest();
  assert.deepEqual(Object.keys(metadata).sort(), [
    "authorization",
    "context",
    "node",
    "runtime",
    "x-sidero-payload",
    "x-sidero-signature",
    "x-sidero-timestamp",
  ]);
  assert.equal(
    metadata["x-sidero-payload"],
    '{"headers":{"authorization":["Basic dTpw"],"cluster":null,"context":["west"],' +
      '"fieldSelectors":null,"namespace":null,"nodes":null,"runtime":["Talos"],' +
      '"selectors":null,"uid":null,"x-sidero-timestamp":["1767229200"]},' +
      '"method":"/machine.MachineService/Version"}',
  );
  assert.equal(metadata["x-sidero-timestamp"], "1767229200");
  assert.match(
    metadata["x-sidero-signature"] ?? "",
    new RegExp(`^siderov1 me@here\\.org ${fingerprint} [A-Za-z0-9+/]+=*$`),
  );
});

Deno.test("loadSigner covers method, metadata and time", async () => {
  const metadata = await signRequest();
  const payload = metadata["x-sidero-payload"] ?? "";
  const late = new Date(now.getTime() + 301_000);
  const forged: [string, Parameters<typeof checkRequest>][] = [
    ["method does not match", [
      { path: "/machine.MachineService/Reset", metadata },
      registered,
      now,
    ]],
    ["header context does not match", [
      { path, metadata: { ...metadata, context: "east" } },
      registered,
      now,
    ]],
    ["header nodes does not match", [
      { path, metadata: { ...metadata, nodes: "10.0.0.9" } },
      registered,
      now,
    ]],
    ["timestamp is outside of the allowed skew", [
      { path, metadata },
      registered,
      late,
    ]],
    ["Signed digest did not match", [
      {
        path,
        metadata: { ...metadata, "x-sidero-payload": `${payload} ` },
      },
      registered,
      now,
    ]],
    ["key is not registered", [{ path, metadata }, {}, now]],
  ];
  for (const [message, args] of forged) {
    await assert.rejects(checkRequest(...args), { message });
  }
});

Deno.test("loadSigner signs what is not ASCII in ASCII", async () => {
  const sign = await loadSigner(options());
  const added = await sign(path, { context: "møre" });
  assert.match(added["x-sidero-payload"] ?? "", /"context":\["m\\u00f8re"\]/);
  const metadata = { context: "møre", ...added };
  assert.equal(
    await checkRequest({ path, metadata }, registered, now),
    "me@here.org",
  );
});

Deno.test("loadSigner signs with a key from a clock that is ahead", async () => {
  const behind = new Date(made.getTime() - 60_000);
  const sign = await loadSigner(options({ now: () => behind }));
  const metadata = await sign(path, {});
  assert.equal(
    await checkRequest({ path, metadata }, registered, made),
    "me@here.org",
  );
});

Deno.test("loadSigner prefers the key of a service account", async () => {
  const account = { name: "robot", pgp_key: privateKey };
  const encoded = new TextEncoder().encode(JSON.stringify(account)).toBase64();
  const sign = await loadSigner(options({
    serviceAccount: { encoded, variable: "ACCOUNT_KEY" },
    readText: () => Promise.reject(new Error("no file is read")),
  }));
  const metadata = await sign(path, {});
  assert.equal(
    await checkRequest(
      { path, metadata },
      { [`robot ${fingerprint}`]: publicKey },
      now,
    ),
    "robot",
  );
});

Deno.test("loadSigner refuses a key that has expired, then and later", async () => {
  const expired = {
    name: "ConfigError",
    message:
      'Cannot sign requests with "/keys/prod-me@here.org.pgp": the key expired on 2026-01-01T04:00:00Z',
    hint:
      "Sign in with the client of the service behind the proxy, which writes a new key, or name its folder with --osv1-keys-dir",
  };
  let time = new Date("2026-01-01T03:59:59Z");
  const sign = await loadSigner(options({ now: () => time }));
  await sign(path, {});
  time = new Date("2026-01-01T04:00:00Z");
  await assert.rejects(sign(path, {}), expired);
  await assert.rejects(loadSigner(options({ now: () => time })), expired);
});

Deno.test("loadSigner refuses an identity that fits in no header", async () => {
  const account = { name: "two words", pgp_key: privateKey };
  const encoded = new TextEncoder().encode(JSON.stringify(account)).toBase64();
  await assert.rejects(
    loadSigner(options({ serviceAccount: { encoded, variable: "X" } })),
    {
      name: "ConfigError",
      message:
        'Cannot sign requests as "two words": it is not an email address or name',
    },
  );
});

Deno.test({
  name: "loadSigner signs what gpg accepts",
  ...needs("gpg"),
  async fn() {
    const sign = await loadSigner(options({ now: () => new Date(now) }));
    const metadata = await sign(path, {});
    const home = await Deno.makeTempDir();
    const signature = metadata["x-sidero-signature"]?.split(" ")[3] ?? "";
    await Deno.writeTextFile(`${home}/key.asc`, publicKey);
    await Deno.writeTextFile(
      `${home}/text`,
      metadata["x-sidero-payload"] ?? "",
    );
    await Deno.writeFile(`${home}/sig`, Uint8Array.fromBase64(signature));
    const gpg = (...args: string[]) =>
      new Deno.Command("gpg", {
        args: ["--homedir", home, "--batch", "--status-fd", "1", ...args],
        stdout: "piped",
        stderr: "piped",
      }).output();
    await gpg("--import", `${home}/key.asc`);
    const { stdout } = await gpg("--verify", `${home}/sig`, `${home}/text`);
    await Deno.remove(home, { recursive: true });
    // The key has expired by now; the signature was made before.
    assert.match(
      new TextDecoder().decode(stdout),
      new RegExp(`\\[GNUPG:\\] (EXPKEYSIG|GOODSIG) `),
    );
  },
});
