import assert from "node:assert/strict";
import { configurationsFor } from "../../../../provisioners/qemu/configurations.ts";
import {
  type FullInputs,
  fullInputs,
} from "../../../../commands/cluster/_qemu/inputs.ts";
import { parseRequest } from "../../../../commands/cluster/_qemu/request.ts";
import { parseContract } from "../../../../config/generate/contract.ts";
import { generateSecrets } from "../../../../config/generate/secrets.ts";
import { loadDocuments } from "../../../../config/documents/load.ts";
import { readPatch } from "../../../../config/patch.ts";
import { validateDocuments } from "../../../../config/validate.ts";
import { planCluster } from "../../../../provisioners/mod.ts";

const initial = Object.fromEntries(
  Object.entries(fullInputs).map(([name, { initial }]) => [name, initial]),
) as unknown as FullInputs;

// Those of old versions have no RSA key, which would take long to make.
const secrets = await generateSecrets({
  contract: parseContract("v1.6"),
  now: new Date("2026-01-01T00:00:00Z"),
});

async function configure(
  change: Partial<FullInputs>,
): Promise<Map<string, string>> {
  const input: FullInputs = { ...initial, arch: "amd64", ...change };
  const { documents, contract } = parseRequest(input);
  const plan = await planCluster({
    ...input,
    name: "lab",
    folder: "/state/lab",
    hasInitNode: input.withInitNode,
    hasUuidNames: false,
  });
  return new Map(configurationsFor(plan.machines, {
    spec: {
      clusterName: "lab",
      endpoint: "https://10.5.0.1:6443",
      contract,
      secrets,
      installDisk: "/dev/vda",
    },
    settings: { ...documents, plan },
    patches: {
      controlplane: [readPatch("machine: {nodeLabels: {role: cp}}", "patch")],
      worker: [readPatch("machine: {nodeLabels: {role: worker}}", "patch")],
    },
  }));
}

const everything: Partial<FullInputs> = {
  controlplanes: 2,
  controlPlanePort: 7443,
  kubeprismPort: 0,
  useVip: true,
  customCniUrl: "https://example.org/cni.yaml",
  withBootloader: false,
  withDebug: true,
  registryInsecureSkipVerify: ["registry.example.org"],
  withFirewall: "block",
  encryptState: true,
  encryptEphemeral: true,
  diskEncryptionKeyTypes: ["uuid", "kms"],
  withJsonLogs: true,
};

for (const osVersion of ["v1.8", "v1.10", "v1.11", "v1.12", "v1.13"]) {
  Deno.test(`configurations of a cluster with all settings are valid for ${osVersion}`, async () => {
    const minor = Number(osVersion.slice(3));
    const texts = await configure({
      ...everything,
      osVersion,
      ...minor >= 10
        ? { userVolumes: ["data:1GB:logs:1GB"], encryptUserVolumes: true }
        : {},
      ...minor >= 12 ? { wireguardCidr: "10.6.0.0/24" } : {},
    });
    assert.deepEqual([...texts.keys()], [
      "lab-controlplane-1",
      "lab-controlplane-2",
      "lab-worker-1",
    ]);
    for (const [name, text] of texts) {
      const loaded = loadDocuments(text, name);
      const version = osVersion.slice(1) as "1.12";
      const problems = validateDocuments(loaded, {
        mode: "metal",
        osVersion: version,
      });
      assert.deepEqual(problems.map(({ message }) => message), [], name);
      assert.match(text, name === "lab-worker-1" ? /role: worker/ : /role: cp/);
      assert.doesNotMatch(text, /kubePrism/);
    }
  });
}

Deno.test("configurations differ by role: a virtual IP, and an init node", async () => {
  const texts = await configure({ useVip: true, withInitNode: true });
  const [first = "", worker = ""] = texts.values();
  assert.match(first, /type: init/);
  assert.match(first, /kind: Layer2VIPConfig\nname: 10\.5\.0\.50\nlink: net0/);
  assert.doesNotMatch(worker, /Layer2VIPConfig/);
});
