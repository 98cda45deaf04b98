import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { readNodeDocument } from "../../../workflows/configuration/node_document.ts";
import { fakeNodes } from "../../_fake.ts";

async function read(get: () => unknown) {
  return await readNodeDocument(await fakeNodes({ a: { get } }).nodes.at("a"));
}

Deno.test("readNodeDocument finds the document without a kind", async () => {
  const yamlSpec =
    "apiVersion: v1alpha1\nkind: HostnameConfig\n---\nversion: v1alpha1\nmachine:\n  type: init\n";
  const root = await read(() => ({ resource: { spec: { yamlSpec } } }));
  assert.equal(root?.get("machine", "type").text(), "init");
});

Deno.test("readNodeDocument gives nothing for nodes that have none or do not show it, and raises the rest", async () => {
  assert.equal(await read(() => ({})), undefined);
  const refused = new RpcError("PERMISSION_DENIED", "no");
  assert.equal(await read(() => Promise.reject(refused)), undefined);
  const away = new RpcError("UNAVAILABLE", "away");
  await assert.rejects(read(() => Promise.reject(away)), away);
});
