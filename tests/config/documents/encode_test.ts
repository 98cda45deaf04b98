import assert from "node:assert/strict";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import { loadDocuments } from "../../../config/documents/load.ts";

function encode(text: string): string {
  const { documents, problems } = loadDocuments(text, "f");
  assert.deepEqual(problems.filter(({ level }) => level === "error"), []);
  return encodeDocuments(documents);
}

const hostname = `apiVersion: v1alpha1
kind: HostnameConfig
auto: stable
`;
const link = `apiVersion: v1alpha1
kind: LinkConfig
name: eth0
mtu: 9000
`;

Deno.test("the main document comes first, the others stay in their order", () => {
  assert.equal(
    encode(`${link}---\n${hostname}---\nversion: v1alpha1\nmachine:\n`),
    `version: v1alpha1
machine: null
cluster: null
---
${link}---
${hostname}`,
  );
});

Deno.test("empty lists stay where something is said about them", () => {
  const text = `machine:
    type: worker
    token: t
    certSANs: []
cluster:
    controlPlane:
        endpoint: https://a:6443
    # none yet
    extraManifests: []
    inlineManifests: [] # none either
    # nothing
    adminKubeconfig: {}
`;
  const lines = encode(text).split("\n");
  for (const line of text.trimEnd().split("\n")) {
    assert.ok(lines.includes(line), line);
  }
});

Deno.test("Windows line ends become those of nodes", () => {
  assert.equal(encode(link.replaceAll("\n", "\r\n")), link);
});
