import assert from "node:assert/strict";
import {
  canonical,
  encodeDocuments,
} from "../../../config/documents/encode.ts";
import { loadDocuments } from "../../../config/documents/load.ts";
import { writeTree } from "../../../config/tree/write.ts";

function encoded(text: string): string {
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
    encoded(`${link}---\n${hostname}---\nversion: v1alpha1\nmachine:\n`),
    `version: v1alpha1
machine: null
cluster: null
---
${link}---
${hostname}`,
  );
});

Deno.test("identity comes first, then the keys in the order of the description", () => {
  assert.equal(
    encoded(
      "mtu: 9000\nname: eth0\nkind: LinkConfig\napiVersion: v1alpha1\n",
    ),
    link,
  );
});

Deno.test("what nodes write of the main document in any case is there", () => {
  assert.equal(
    encoded("debug: false\n"),
    'version: ""\ndebug: false\nmachine: null\ncluster: null\n',
  );
});

Deno.test("a document in its layout does not change", () => {
  for (const text of [link, hostname, `${link}---\n${hostname}`]) {
    assert.equal(encoded(text), text);
  }
});

Deno.test("documents of kinds that are not known are written as they are", () => {
  const text = `kind: NewConfig
b: 0x10
a: []
apiVersion: v1alpha1
`;
  assert.equal(encoded(text), text);
});

Deno.test("comments stay, also above and below documents", () => {
  const text = `# one
apiVersion: v1alpha1
# two
kind: HostnameConfig # three
auto: stable # four
# five
---
# six
apiVersion: v1alpha1
kind: LinkConfig
name: eth0
mtu: 9000
# seven

# eight
`;
  assert.equal(encoded(text), text);
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
  const lines = encoded(text).split("\n");
  for (const line of text.trimEnd().split("\n")) {
    assert.ok(lines.includes(line), line);
  }
});

Deno.test("empty lists go where nothing is said about them", () => {
  const text = encoded("cluster:\n  extraManifests: []\n  clusterName: a\n");
  assert.ok(text.includes("    clusterName: a\n"));
  assert.ok(!text.includes("extraManifests"));
});

Deno.test("Windows line ends become those of nodes", () => {
  assert.equal(encoded(link.replaceAll("\n", "\r\n")), link);
});

Deno.test("canonical gives one document in its layout", () => {
  const [document] = loadDocuments("machine:\ndebug: yes\n", "f").documents;
  assert.ok(document !== undefined);
  assert.equal(
    writeTree(canonical(document)),
    'version: ""\ndebug: true\nmachine: null\ncluster: null\n',
  );
});
