import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { namesIn, readMode, silence, toOutput } from "../config/_file.ts";
import { openssl } from "../../pki/_openssl.ts";
import { testIn } from "./_folder.ts";

testIn(
  "gen key writes one Ed25519 key, mode 600",
  async ({ dir, osctl, read }) => {
    assert.deepEqual(toOutput(await osctl("gen key --name DIR/k")), silence);
    assert.deepEqual(await namesIn(dir), ["k.key"]);
    assert.equal(await readMode(`${dir}/k.key`), 0o600);
    assert.match(
      await read("k.key"),
      /^-----BEGIN ED25519 PRIVATE KEY-----\n.{64}\n-----END ED25519 PRIVATE KEY-----\n$/,
    );
  },
);

testIn("gen key writes a key that openssl reads", async ({ osctl, read }) => {
  await osctl("gen key --name DIR/k");
  const key = (await read("k.key")).replaceAll("ED25519 ", "");
  const shown = await openssl(["pkey", "-in", "key", "-noout", "-text"], {
    key,
  });
  assert.match(shown.text, /^ED25519 Private-Key:\n/, shown.problem);
}, needs(openssl3));

testIn(
  "gen key makes another key every time, and replaces only with --force",
  async ({ dir, osctl, read }) => {
    await osctl("gen key --name DIR/k");
    const first = await read("k.key");
    assert.deepEqual(toOutput(await osctl("gen key --name DIR/k")), {
      out: "",
      err: `error: Cannot write "${dir}/k.key": it already exists
hint: Replace with --force
`,
      status: 2,
    });
    assert.equal(await read("k.key"), first);
    assert.deepEqual(toOutput(await osctl("gen key --name DIR/k -f")), silence);
    assert.notEqual(await read("k.key"), first);
  },
);

testIn("gen key refuses a command line without name", async ({ osctl }) => {
  const { err, status } = await osctl("gen key");
  assert.match(err, /^error: Flag --name is missing: /);
  assert.equal(status, 2);
});
