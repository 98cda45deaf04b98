import assert from "node:assert/strict";
import { cursorOf } from "../../../config/documents/cursor.ts";
import { loadDocuments } from "../../../config/documents/load.ts";
import { parseContract } from "../../../config/generate/contract.ts";
import { machineConfig } from "../../../config/generate/machine_config.ts";
import { acceptConfiguration } from "../../../simulator/node/accept_configuration.ts";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import { joinedMain } from "../../../simulator/state/split_configuration.ts";
import { madeNodes } from "../_node.ts";

/** The same configuration, as each version writes it. */
async function joinedFor(version: string, role: "controlplane" | "worker") {
  const [node] = await madeNodes({ release: { tag: `${version}.0` } });
  const { secrets } = node!.cluster;
  const documents = machineConfig({
    clusterName: "lab",
    endpoint: "https://10.5.0.2:6443",
    contract: parseContract(version),
    secrets,
    kubernetesVersion: "1.36.3",
    installDisk: "/dev/vda",
    installImage: "example.com/installer:v1",
  }, role);
  const text = encodeDocuments(documents);
  assert.equal(acceptConfiguration(node!, text).verdict, "accepted");
  return {
    certs: secrets.certs,
    main: cursorOf(joinedMain(loadDocuments(text, "c.yaml").documents)),
  };
}

const places = [
  ["cluster", "clusterName"],
  ["cluster", "controlPlane", "endpoint"],
  ["cluster", "apiServer", "image"],
  ["cluster", "controllerManager", "image"],
  ["cluster", "scheduler", "image"],
  ["cluster", "proxy", "image"],
  ["cluster", "network", "dnsDomain"],
  ["machine", "kubelet", "image"],
  ["machine", "install", "image"],
  ["machine", "type"],
] as const;

Deno.test("a configuration of v1.14 is taken, and read like that of v1.13", async () => {
  for (const role of ["controlplane", "worker"] as const) {
    const [old, now] = await Promise.all(
      ["v1.13", "v1.14"].map((version) => joinedFor(version, role)),
    );
    for (const place of places) {
      // Workers are not told the images of control planes.
      const expected = old!.main.get(...place).text();
      assert.equal(now!.main.get(...place).text(), expected, place.join("."));
    }
    const { certs, main } = now!;
    const texts = (...place: string[]) => main.get(...place).text();
    if (role === "worker") {
      const [accepted] = main.get("cluster", "acceptedCAs").items();
      assert.equal(accepted?.get("crt").text(), certs.k8s.crt);
      continue;
    }
    assert.deepEqual(
      [
        texts("cluster", "ca", "crt"),
        texts("cluster", "ca", "key"),
        texts("cluster", "aggregatorCA", "crt"),
        texts("cluster", "serviceAccount", "key"),
      ],
      [
        ...[certs.k8s.crt, certs.k8s.key, certs.k8sAggregator.crt],
        certs.k8sServiceAccount.key,
      ],
    );
  }
});

Deno.test("a main document without others stays as it is, and without one there is nothing", () => {
  const { documents } = loadDocuments("machine: {type: worker}\n", "c.yaml");
  assert.equal(joinedMain(documents), documents[0]!.root);
  assert.deepEqual(joinedMain([]), { kind: "map", entries: [] });
});

Deno.test("names that are given for the API server only are those of its certificate", () => {
  const { documents } = loadDocuments(
    "apiVersion: v1alpha1\nkind: KubeAPIServerConfig\ncertExtraSANs: [a.test]\n",
    "c.yaml",
  );
  const sans = cursorOf(joinedMain(documents))
    .get("cluster", "apiServer", "certSANs").items();
  assert.deepEqual(sans.map((name) => name.text()), ["a.test"]);
});
