import assert from "node:assert/strict";
import { nodeClient } from "../../transport/client.ts";
import { clusterMembers } from "../../transport/members.ts";

/** A client whose only resources are these, and what it was asked. */
function clientOf(specs: readonly string[]) {
  const asked: unknown[] = [];
  const client = nodeClient("endpoint", {
    unary: () => assert.fail("unary call"),
    async *stream(method, request) {
      asked.push([method.path, request]);
      for (const yamlSpec of specs) {
        yield method.responseType.decode(encode(yamlSpec));
      }
    },
    close() {},
  }, {});
  return { client, asked };
}

/** `ListResponse` with a resource of this spec. */
function encode(yamlSpec: string): Uint8Array {
  const text = new TextEncoder().encode(yamlSpec);
  const spec = [0x12, text.length, ...text]; // Spec.yaml_spec
  const resource = [0x12, spec.length, ...spec]; // Resource.spec
  return new Uint8Array([0x0a, resource.length, ...resource]);
}

Deno.test("clusterMembers lists the members of the cluster namespace", async () => {
  const { client, asked } = clientOf([
    "addresses:\n  - 10.0.0.1\n  - fd00::1\nhostname: cp1\nmachineType: controlplane\n",
    "addresses: [10.0.0.2]\nhostname: cp0\nmachineType: init\n",
    "addresses: [10.0.0.3]\nmachineType: worker\n",
  ]);
  assert.deepEqual(await clusterMembers(client), [
    { address: "10.0.0.1", hostname: "cp1", controlPlane: true },
    { address: "10.0.0.2", hostname: "cp0", controlPlane: true },
    { address: "10.0.0.3", hostname: "10.0.0.3", controlPlane: false },
  ]);
  const [[path, request]] = asked as [[string, Record<string, unknown>]];
  assert.equal(path, "/cosi.resource.State/List");
  assert.equal(request["namespace"], "cluster");
  assert.equal(request["type"], "Members.cluster.talos.dev");
});

for (const spec of ["", "text", "[]", "addresses: []", "addresses: {a: 1}"]) {
  Deno.test(`clusterMembers passes over the spec "${spec}"`, async () => {
    assert.deepEqual(await clusterMembers(clientOf([spec]).client), []);
  });
}
