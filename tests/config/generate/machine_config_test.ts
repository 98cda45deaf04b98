import assert from "node:assert/strict";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import { loadDocuments } from "../../../config/documents/load.ts";
import {
  newestContract,
  parseContract,
} from "../../../config/generate/contract.ts";
import { machineConfig } from "../../../config/generate/machine_config.ts";
import type { ClusterSpec } from "../../../config/generate/machine_spec.ts";
import { legibleSecrets } from "./_legible.ts";

function specFor(version: string): ClusterSpec {
  const contract = parseContract(version);
  return {
    clusterName: "cluster1",
    endpoint: "https://10.5.0.2:6443",
    contract,
    secrets: legibleSecrets(contract),
  };
}

function expected(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`./expected/${name}.txt`, import.meta.url));
}

// Versions in between have the configurations of the one before them.
const lookLike = {
  "v1.0": "v1.0",
  "v1.1": "v1.1",
  "v1.2": "v1.2",
  "v1.3": "v1.3",
  "v1.4": "v1.3",
  "v1.5": "v1.5",
  "v1.6": "v1.6",
  "v1.7": "v1.7",
  "v1.8": "v1.8",
  "v1.9": "v1.8",
  "v1.10": "v1.8",
  "v1.11": "v1.8",
  "v1.12": "v1.12",
};

for (const [version, like] of Object.entries(lookLike)) {
  for (const role of ["controlplane", "worker"] as const) {
    Deno.test(`the ${role} configuration for ${version} is that of ${like}`, async () => {
      const documents = machineConfig(specFor(version), role);
      assert.equal(
        encodeDocuments(documents),
        await expected(`${like}-${role}`),
      );
    });
  }
}

Deno.test("an init configuration is that of a control plane but for its type", () => {
  const spec = specFor("v1.12");
  const [init, other] = (["init", "controlplane"] as const).map((role) =>
    encodeDocuments(machineConfig(spec, role))
  );
  assert.equal(init, other?.replace("type: controlplane", "type: init"));
});

Deno.test("generated documents read back without a problem", () => {
  for (const version of Object.keys(lookLike)) {
    const text = encodeDocuments(
      machineConfig(specFor(version), "controlplane"),
    );
    assert.deepEqual(loadDocuments(text, "c.yaml").problems, [], version);
  }
});

Deno.test("mirrors of registries have documents, sorted by host", () => {
  const documents = machineConfig({
    ...specFor("v1.12"),
    registryMirrors: new Map([
      ["ghcr.io", ["https://mirror.example/v2"]],
      ["docker.io", ["http://10.1.1.1:5000", "http://10.1.1.2:5000"]],
    ]),
  }, "worker");
  assert.equal(
    encodeDocuments(documents.slice(1)),
    `apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: docker.io
endpoints:
    - url: http://10.1.1.1:5000
    - url: http://10.1.1.2:5000
---
apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: ghcr.io
endpoints:
    - url: https://mirror.example/v2
---
apiVersion: v1alpha1
kind: HostnameConfig
auto: stable
`,
  );
});

Deno.test("documents of the user follow, numbered on", () => {
  const { documents } = loadDocuments(
    "apiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\n",
    "w.yaml",
  );
  const made = machineConfig({ ...specFor("v1.12"), documents }, "worker");
  assert.deepEqual(
    made.map(({ kind, number }) => [kind, number]),
    [["v1alpha1", 1], ["HostnameConfig", 2], ["WatchdogTimerConfig", 3]],
  );
});

Deno.test("the same spec gives the same documents", () => {
  const spec = specFor(newestContract.version);
  assert.deepEqual(
    machineConfig(spec, "worker"),
    machineConfig(spec, "worker"),
  );
});
