import assert from "node:assert/strict";
import { patchText } from "../../../config/patch.ts";
import { readPatch } from "../../../config/patches/read_patch.ts";
import { ConfigError } from "../../../errors.ts";

const operation = '{"op": "remove", "path": "/machine"}';
const kinds: readonly (readonly [string, string, "merge" | "json", number])[] =
  [
    ["YAML", "machine:\n  type: worker\n", "merge", 1],
    ["a JSON object", '{"machine": {"type": "worker"}}', "merge", 1],
    [
      "a JSON object of many lines, with tabs",
      '{\n\t"machine": {\n\t\t"type": "worker"\n\t}\n}\n',
      "merge",
      1,
    ],
    [
      "several documents",
      "machine: {}\n---\napiVersion: v1alpha1\nkind: ZswapConfig\n",
      "merge",
      2,
    ],
    [
      "a document of an unknown kind",
      "apiVersion: v1alpha1\nkind: NewConfig\nx: [1]\n",
      "merge",
      1,
    ],
    ["a version alone", "version: v1alpha1", "merge", 1],
    ["a JSON array", `[${operation}]`, "json", 1],
    [
      "a JSON array of many lines, with tabs",
      `\n[\n\t${operation},\n\t${operation}\n]\n`,
      "json",
      2,
    ],
    ["a YAML list", "- op: remove\n  path: /machine\n", "json", 1],
    [
      "a YAML list after a mark",
      "---\n# x\n- op: remove\n  path: /machine\n",
      "json",
      1,
    ],
    ["an empty list", "[]", "json", 0],
    ["nothing", "", "merge", 0],
    ["white space", " \n\t\n", "merge", 0],
    ["an empty mapping", "{}", "merge", 0],
    ["comments", "# later\n", "merge", 0],
    ["empty documents", "---\n---\n~\n---\n{}\n", "merge", 0],
  ];

for (const [name, text, kind, count] of kinds) {
  Deno.test(`readPatch takes ${name} for a ${kind} patch`, () => {
    const patch = readPatch(text, "p");
    assert.equal(patch.kind, kind);
    const parts = patch.kind === "json" ? patch.operations : patch.parts;
    assert.equal(parts.length, count);
    assert.equal(patch.file, "p");
  });
}

const hint =
  "A patch is one or more partial documents, or one list of operations (RFC 6902)";
const refused: readonly (readonly [string, string, string, string?])[] = [
  [
    "a text",
    "worker",
    'Cannot use patch "p": its document 1 is not a mapping',
    hint,
  ],
  [
    "two lists",
    "- a\n---\n- b\n",
    'Cannot use patch "p": its document 1 is not a mapping',
    hint,
  ],
  [
    "a list after a document",
    "machine: {}\n---\n- b\n",
    'Cannot use patch "p": its document 2 is not a mapping',
    hint,
  ],
  [
    "a key that does not exist",
    "machine: {typo: a}",
    'Cannot use patch "p": p:1:11: machine.typo: Unknown key "typo" (Did you mean "type"?)',
  ],
  [
    "a value that does not fit",
    "machine: {install: {wipe: perhaps}}",
    'Cannot use patch "p": p:1:27: machine.install.wipe: "perhaps" is not a boolean (Give true or false)',
  ],
  [
    "a document without its kind",
    "hostname: a",
    'Cannot use patch "p": p:1:1: This document has no "kind" (Give kind, or one of the keys machine, cluster, debug, persist, version)',
  ],
  [
    "a kind without its version",
    "kind: HostnameConfig\nhostname: a",
    'Cannot use patch "p": p:1:1: This document has no "apiVersion" (Give apiVersion, or one of the keys machine, cluster, debug, persist, version)',
  ],
  [
    "to delete the main document",
    "machine: {}\n$patch: delete",
    'Cannot use patch "p": the main document cannot be deleted',
    "Put $patch: delete below the key to delete",
  ],
];

for (const [name, text, message, help] of refused) {
  Deno.test(`readPatch refuses ${name}`, () => {
    assert.throws(
      () => readPatch(text, "p"),
      new ConfigError(message, help === undefined ? {} : { hint: help }),
    );
  });
}

Deno.test("empty keys of a patch are left out, also those with a comment", () => {
  const changes = readPatch(
    `machine:
  # the network
  network:
    # all links
    interfaces:
      - interface: # fill in either this
        deviceSelector: # or this
        addresses: [10.0.0.5/24] # one is enough
  # mirrors of registries
  registries:
    # none yet
    mirrors: {}
cluster:
  # manifests from the web
  extraManifests: []
`,
    "p",
  );
  const text = "machine: {type: worker}\ncluster: {clusterName: a}\n";
  assert.equal(
    patchText(text, "c", [changes]).text,
    `version: ""
machine:
    type: worker
    token: ""
    certSANs: []
    # the network
    network:
        # all links
        interfaces:
            - addresses: # one is enough
                - 10.0.0.5/24
cluster:
    clusterName: a
`,
  );
});
