import assert from "node:assert/strict";
import { recognizeOther } from "../../../config/documents/other_input.ts";
import { readDocuments } from "../../../config/tree/read.ts";

function recognize(text: string): string | undefined {
  const [document] = readDocuments(text, "f").documents;
  return document && recognizeOther(document.root)?.name;
}

Deno.test("recognizeOther: recognizes other files by their keys", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["- {op: add, path: /a, value: b}\n", "a JSON patch"],
    ["- {op: add}\n- {path: /a}\n", undefined],
    [
      "node: a\nmetadata: {id: v1alpha1}\nspec: 'machine: {}'\n",
      "a resource, as osctl get prints it",
    ],
    [
      "kind: Config\napiVersion: v1\nclusters: [{name: a}]\nusers: []\n",
      "a kubeconfig",
    ],
    ["context: a\ncontexts: {a: {endpoints: []}}\n", "a client configuration"],
    [
      "cluster: {id: a}\nsecrets: {}\ncerts: {os: {crt: a}}\n",
      "a secrets bundle",
    ],
    ["customization: {}\n", "an image factory schematic"],
  ];
  for (const [text, name] of cases) assert.equal(recognize(text), name, text);
});

Deno.test("configurations and unknown files are not recognized", () => {
  for (
    const text of [
      "machine: {type: worker}\ncluster: {secret: a}\n",
      "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}\n",
      "[]\n",
      "word\n",
    ]
  ) assert.equal(recognize(text), undefined, text);
});
