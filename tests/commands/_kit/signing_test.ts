import assert from "node:assert/strict";
import { readKey } from "openpgp";
import { openSigner } from "../../../commands/_kit/signing.ts";
import type { Globals } from "../../../commands/_kit/globals.ts";
import { realEnvironment } from "../../../terminal/environment.ts";
import { withFolder } from "../../_folder.ts";
import { runWith } from "./_session.ts";
import { newCa, serverPair, toCaPem } from "../../transport/_certificates.ts";
import {
  checkRequest,
  made,
  pgpKey,
  type SignedRequest,
} from "../../transport/_pgp.ts";
import { startServer, versionReply } from "../../transport/_server.ts";

const now = new Date(made.getTime() + 60_000);
const { privateKey, publicKey } = await pgpKey();
const fingerprint = (await readKey({ armoredKey: publicKey })).getFingerprint();
const registered = { [`me@here.org ${fingerprint}`]: publicKey };

async function signIn(
  files: Readonly<Record<string, string>>,
  options: {
    readonly env?: (home: string) => Readonly<Record<string, string>>;
    readonly keys?: string;
  } = {},
) {
  let metadata: Readonly<Record<string, string>> = {};
  await withFolder(files, async (home) => {
    const env: Record<string, string> = { HOME: home, ...options.env?.(home) };
    const sign = await openSigner(
      { name: "prod", endpoints: [], nodes: [] },
      "me@here.org",
      {
        globals: {
          osv1KeysDir: options.keys && `${home}/${options.keys}`,
        } as Globals,
        environment: {
          ...realEnvironment(),
          env: (name) => env[name],
          now: () => now,
        },
      },
    );
    metadata = await sign("/x", {});
  });
  return metadata;
}

const name = "prod-me@here.org.pgp";

Deno.test("openSigner takes the service account of the environment instead", async () => {
  for (
    const variable of ["SIDERO_SERVICE_ACCOUNT_KEY", "OMNI_SERVICE_ACCOUNT_KEY"]
  ) {
    const account = { name: "ci@service", pgp_key: privateKey };
    const metadata = await signIn({}, {
      env: () => ({ [variable]: btoa(JSON.stringify(account)) }),
    });
    await checkRequest(
      { path: "/x", metadata },
      { [`ci@service ${fingerprint}`]: publicKey },
      now,
    );
  }
});

Deno.test("a context that names an identity signs every request to its proxy", async () => {
  const ca = await newCa();
  const seen: SignedRequest[] = [];
  const path = "/machine.MachineService/Version";
  await using server = await startServer({
    pair: await serverPair(ca),
    routes: {
      async *[path](call) {
        seen.push({ path, metadata: call.metadata });
        yield versionReply("v1.12.0");
      },
    },
  });
  const files = { [name.replace("prod", "lab")]: privateKey };
  await withFolder(files, async (keys) => {
    const { err, status } = await runWith(
      `version --osv1-keys-dir ${keys} -n 10.0.0.2,10.0.0.3`,
      {
        ca: toCaPem(ca),
        endpoints: [server.endpoint],
        cluster: "west",
        auth: {
          siderov1: { identity: "me@here.org" },
          basic: { username: "u", password: "p" },
        },
      },
      { now },
    );
    assert.deepEqual({ err, status }, { err: "", status: 0 });
  });
  assert.equal(seen.length, 2);
  for (const request of seen) {
    const who = await checkRequest(request, registered, now);
    assert.equal(who, "me@here.org");
  }
  const [{ metadata } = seen[0]!] = seen;
  assert.deepEqual(
    [metadata.context, metadata.runtime, metadata.authorization],
    ["west", "Talos", "Basic dTpw"],
  );
  const nodes = seen.map(({ metadata }) => metadata.node).sort();
  assert.deepEqual(nodes, ["10.0.0.2", "10.0.0.3"]);
});

Deno.test("a key that is missing stops the command before anything is sent", async () => {
  const { err, status } = await runWith("version -n a", {
    endpoints: ["127.0.0.1:1"],
    auth: { osv1: { identity: "me@here.org" } },
  }, { now });
  assert.match(
    err,
    /^error: Cannot sign requests as "me@here\.org": there is no key ".*\/\.os\/keys\/lab-me@here\.org\.pgp" or "/,
  );
  assert.equal(status, 2);
});
