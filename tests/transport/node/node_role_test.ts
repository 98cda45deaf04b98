import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { ownRole } from "../../../transport/node/node_role.ts";
import { fakeNodes } from "../../_fake.ts";

const types = [
  ["controlplane", "controlplane"],
  ["init", "controlplane"],
  ["worker", "worker"],
  ["unknown", "unknown"],
  ["", "unknown"],
] as const;

for (const [type, role] of types) {
  Deno.test(`ownRole takes the machine type "${type}" for ${role}`, async () => {
    const get = () => ({ resource: { spec: { yamlSpec: `${type}\n` } } });
    const { nodes } = fakeNodes({ a: { get } });
    assert.equal(await ownRole(await nodes.at("a")), role);
  });
}

Deno.test("ownRole of a node that does not answer is unknown", async () => {
  const get = () => Promise.reject(new RpcError("UNAVAILABLE", "gone"));
  const { nodes } = fakeNodes({ a: { get } });
  assert.equal(await ownRole(await nodes.at("a")), "unknown");
});
