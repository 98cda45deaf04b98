import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { readKubeletVersion } from "../../../workflows/upgrade/kubelet_version.ts";
import { type FakeNode, fakeNodes } from "../../_fake.ts";

async function read(get: FakeNode["get"] & unknown): Promise<string> {
  return await readKubeletVersion(
    await fakeNodes({ a: { get } }).nodes.at("a"),
  );
}

function image(name: unknown) {
  return () => ({
    resource: { spec: { yamlSpec: JSON.stringify({ image: name }) } },
  });
}

Deno.test("the version of the kubelet is the tag of its image, without what follows it", async () => {
  const of = (name: unknown) => read(image(name));
  assert.equal(
    await of("registry.example:5000/kubelet:v1.34.1-slim@sha256:00"),
    "v1.34.1",
  );
  assert.equal(await of("kubelet:v1.36.0-rc.1"), "v1.36.0-rc.1");
  assert.equal(await of("registry.example:5000/kubelet@sha256:00"), "");
  assert.equal(await of(7), "");
});

Deno.test("who may not look finds no version", async () => {
  const refuse = () => Promise.reject(new RpcError("PERMISSION_DENIED", "no"));
  assert.equal(await read(refuse), "");
});
