import assert from "node:assert/strict";
import { annotate } from "../../../config/documents/comments.ts";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import { documentKinds } from "../../../config/documents/kinds.ts";
import { loadDocuments } from "../../../config/documents/load.ts";
import { patchText, readPatch } from "../../../config/patch.ts";
import { toTree } from "../../../config/tree/node.ts";
import {
  annotateText,
  bare,
  both,
  comment,
  generate,
  toDocument,
} from "./_annotated.ts";
import { rootWith } from "./_structs.ts";

for (const kind of documentKinds.values()) {
  Deno.test(`${kind.kind}: comments change no data and stay`, () => {
    for (const { value } of kind.examples) {
      const root = rootWith(kind, [], toTree(value));
      const plain = encodeDocuments([toDocument(root)]);
      for (const options of [both, { docs: true, examples: false }]) {
        const text = annotateText(plain, options);
        const { documents, problems } = loadDocuments(text, "f");
        assert.deepEqual(problems, []);
        assert.equal(encodeDocuments(documents), text);
        assert.deepEqual(
          bare(documents[0]?.root),
          bare(loadDocuments(plain, "f").documents[0]?.root),
        );
      }
    }
  });
}

for (const role of ["controlplane", "worker"] as const) {
  Deno.test(`comments of a ${role} configuration change no data and stay`, () => {
    const plain = encodeDocuments(generate(role));
    for (
      const options of [
        both,
        { docs: true, examples: false },
        { docs: false, examples: true },
      ]
    ) {
      const text = comment(role, options);
      const { documents, problems } = loadDocuments(text, "f");
      assert.deepEqual(problems, []);
      assert.equal(encodeDocuments(documents), text);
      const lines = text.split("\n").filter((line) => !/^ *(#|$)/.test(line))
        .map((line) => line.replace(/ # .*/, ""));
      const listed = /^ {4}(extra|inline)Manifests: \[\]$/;
      assert.equal(
        `${lines.filter((line) => !listed.test(line)).join("\n")}\n`,
        plain,
      );
    }
  });
}

Deno.test("without docs and examples a document stays as it is", () => {
  const [document] = generate("worker");
  assert.ok(document !== undefined);
  const none = { docs: false, examples: false };
  assert.equal(annotate(document, none), document);
});

Deno.test("a document of a kind that is not known stays as it is", () => {
  const text = "apiVersion: v1alpha1\nkind: NewConfig\nname: a\n";
  assert.equal(annotateText(text), text);
});

Deno.test("comments say what keys mean and show what is omitted", () => {
  const text = `machine:
    type: worker
    token: aaaaaa.bbbbbbbbbbbbbbbb
    certSANs: []
    network: {}
    install:
        disk: /dev/sda
        extensions:
            - image: example.com/a:1
        wipe: false
    nodeLabels:
        own: a
`;
  const lines = annotateText(text).split("\n");
  const shown = lines.slice(2, lines.indexOf("        own: a"));
  const expected = `machine:
    type: worker # Machine type of the node
    token: aaaaaa.bbbbbbbbbbbbbbbb # Token for joining the cluster, shared by all nodes
    # Additional names and addresses for the node API's certificate
    certSANs: []
    #     - 192.0.2.10
    #     - node1.example.com

    # Network settings
    network: {}
    #     # Encrypted mesh between all nodes of the cluster (KubeSpan)
    #     kubespan:
    #         enabled: true # Enables KubeSpan
    #         mtu: 1420 # MTU of the KubeSpan link, in bytes, at least 1280

    # Installation settings
    install:
        disk: /dev/sda # Disk to install to
        extensions:
            - image: example.com/a:1
        wipe: false # Wipes the disk before installation

        # # Selects the disk by its properties; takes precedence over disk
        # diskSelector:
        #     size: '>= 100GB' # Size of the disk; may start with ==, >=, <=, > or <
        #     type: nvme # Type of the disk

        # # Installer image; determines the installed version
        # image: ghcr.io/siderolabs/installer:v1.12.11
    # Labels of the Kubernetes node
    nodeLabels:`;
  assert.equal(shown.join("\n"), expected);
});

Deno.test("examples without docs have their titles only", () => {
  const text = `cluster:
    network:
        dnsDomain: a.local
`;
  const lines = annotateText(text, { docs: false, examples: true }).split("\n");
  const start = lines.indexOf("        # # A CNI installed from manifests");
  const expected = `        # # A CNI installed from manifests
        # cni:
        #     name: custom
        #     urls:
        #         - https://example.com/cni.yaml
        # # No CNI; install one later
        # cni:
        #     name: none`;
  assert.equal(lines.slice(start, start + 8).join("\n"), expected);
});

Deno.test("a patch that adds and deletes keeps all comments of other places", () => {
  const text = comment("controlplane");
  const patch = readPatch(
    `cluster:
  extraManifests: [https://example.com/a.yaml]
  allowSchedulingOnControlPlanes: true
  adminKubeconfig: {certLifetime: 1h}
  coreDNS: {$patch: delete}
`,
    "p",
  );
  const { text: patched } = patchText(text, "f", [patch]);
  const left = patched.split("\n");
  const gone = text.split("\n").filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  assert.deepEqual(gone, ["    extraManifests: []"]);
  assert.deepEqual(left, [
    "    extraManifests:",
    "        - https://example.com/a.yaml",
    "    adminKubeconfig:",
    "        certLifetime: 1h0m0s",
    "    allowSchedulingOnControlPlanes: true",
  ]);
});
