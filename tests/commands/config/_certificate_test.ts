import assert from "node:assert/strict";
import { listPems, readLeaf } from "../../../commands/config/_certificate.ts";
import { client } from "../../pki/_identity.ts";
import { base64 } from "./_file.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("listPems decodes what a context has", () => {
  const context = { endpoints: [], nodes: [], ca: base64("A"), crt: "" };
  assert.deepEqual(listPems(context), {
    ca: bytes("A"),
    crt: undefined,
    key: undefined,
  });
});

Deno.test("readLeaf reads the first certificate, and none that is broken", async () => {
  const { crt, ca } = await client();
  assert.deepEqual(readLeaf(bytes(crt + ca))?.subject.organizations, [
    "os:admin",
  ]);
  assert.equal(readLeaf(bytes(crt.replace("MII", "AII"))), undefined);
  assert.equal(readLeaf(bytes("no PEM")), undefined);
  assert.equal(readLeaf(undefined), undefined);
});
