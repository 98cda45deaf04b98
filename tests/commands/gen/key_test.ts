import assert from "node:assert/strict";
import { needs, openssl3 } from "../../_needs.ts";
import { openssl } from "../../pki/_openssl.ts";
import { testIn } from "./_folder.ts";

testIn("gen key writes a key that openssl reads", async ({ osctl, read }) => {
  await osctl("gen key --name DIR/k");
  const key = (await read("k.key")).replaceAll("ED25519 ", "");
  const shown = await openssl(["pkey", "-in", "key", "-noout", "-text"], {
    key,
  });
  assert.match(shown.text, /^ED25519 Private-Key:\n/, shown.problem);
}, needs(openssl3));
