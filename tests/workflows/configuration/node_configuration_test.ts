import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { readNodeConfiguration } from "../../../workflows/configuration/node_configuration.ts";
import { fakeNodes } from "../../_fake.ts";

async function read(get: () => unknown) {
  const nodes = fakeNodes({ a: { get } }).nodes;
  return await readNodeConfiguration(await nodes.at("a"));
}

const text = (yamlSpec: string) => () => ({ resource: { spec: { yamlSpec } } });

Deno.test("readNodeConfiguration knows both places of what v1.14 has moved", async () => {
  const expected = {
    machineType: "controlplane",
    endpoint: "https://lab.example:6443",
    installImage: "registry.example/installer:v1.14.0",
    kernelArguments: [],
    nodeLabels: { rack: "r1" },
  };
  const before = `version: v1alpha1
machine:
  type: controlplane
  nodeLabels: { rack: r1 }
  install: { image: "registry.example/installer:v1.14.0" }
cluster:
  controlPlane: { endpoint: "https://lab.example:6443" }
`;
  const since = `apiVersion: v1alpha1
kind: KubeClusterConfig
endpoint: https://lab.example:6443
---
apiVersion: v1alpha1
kind: UnattendedInstallConfig
installer: { image: "registry.example/installer:v1.14.0" }
---
apiVersion: v1alpha1
kind: KubeNodeConfig
labels: { rack: r1 }
---
version: v1alpha1
machine:
  type: controlplane
`;
  assert.deepEqual(await read(text(before)), expected);
  assert.deepEqual(await read(text(since)), expected);
});

Deno.test("readNodeConfiguration finds the kernel arguments for GRUB, and leaves open what is not in it", async () => {
  const spec = "machine: { install: { extraKernelArgs: [a=1, b], image: '' } }";
  assert.deepEqual(await read(text(spec)), {
    machineType: undefined,
    endpoint: undefined,
    installImage: undefined,
    kernelArguments: ["a=1", "b"],
    nodeLabels: {},
  });
});

Deno.test("readNodeConfiguration gives nothing for nodes that have none or do not show it, and raises the rest", async () => {
  assert.equal(await read(() => ({})), undefined);
  const refused = new RpcError("PERMISSION_DENIED", "no");
  assert.equal(await read(() => Promise.reject(refused)), undefined);
  const away = new RpcError("UNAVAILABLE", "away");
  await assert.rejects(read(() => Promise.reject(away)), away);
});
