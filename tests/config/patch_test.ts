import assert from "node:assert/strict";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { patchText, readPatch } from "../../config/patch.ts";
import { ConfigError } from "../../errors.ts";
import { listCases } from "./_list_cases.ts";
import { markCases } from "./_mark_cases.ts";
import { valueCases } from "./_value_cases.ts";

function patch(text: string, ...patches: readonly string[]) {
  return patchText(text, "c", patches.map((one) => readPatch(one, "p")));
}

function canonical(text: string): string {
  const { documents, problems } = loadDocuments(text, "c");
  assert.deepEqual(problems, []);
  return encodeDocuments(documents);
}

for (
  const { name, from, patch: change, to, notes = [] } of [
    ...valueCases,
    ...listCases,
    ...markCases,
  ]
) {
  Deno.test(`in patches, ${name}`, () => {
    const patched = patch(from, change);
    assert.equal(canonical(patched.text), canonical(to));
    assert.deepEqual(patched.notes, notes);
  });
}

Deno.test("patchText writes the layout of nodes", () => {
  const text = "machine: {type: worker}\n";
  assert.equal(
    patch(
      text,
      "machine: {network: {interfaces: [{interface: a, addresses: [10.0.0.1/24]}]}}",
    )
      .text,
    `version: ""
machine:
    type: worker
    token: ""
    certSANs: []
    network:
        interfaces:
            - interface: a
              addresses:
                - 10.0.0.1/24
cluster: null
`,
  );
});

Deno.test("patchText leaves a text as it is when nothing changes", () => {
  const text = "# mine\r\nmachine: {type:   worker}   # here\r\n\r\n";
  const changes = ["", " \n", "{}", "---\n---\n", "# nothing", "[]"];
  for (const change of [...changes, "machine: {type: worker}"]) {
    assert.deepEqual(patch(text, change), {
      text,
      notes: ['patch "p" changes nothing'],
    });
  }
  const there = "machine: {type: controlplane}";
  const back = "machine: {type: worker}";
  assert.deepEqual(patch(text, there, back), { text, notes: [] });
});

Deno.test("patchText writes what two patches change", () => {
  const { text } = patch(
    "machine: {type: worker}",
    "machine: {type: controlplane}",
    "machine: {certSANs: [a]}",
  );
  assert.equal(
    text,
    canonical("machine: {type: controlplane, certSANs: [a]}"),
  );
});

Deno.test("patchText applies patches of both kinds in their order", () => {
  const { text } = patch(
    "machine: {certSANs: [a]}",
    '[{"op": "add", "path": "/machine/certSANs/0", "value": "b"}]',
    "machine: {certSANs: [c]}",
    "- {op: remove, path: /machine/certSANs/1}",
  );
  assert.equal(text, canonical("machine: {certSANs: [b, c]}"));
});

const commented = `# The whole file
version: v1alpha1 # one version

# About the machine
machine:
    # What it is
    type: worker # in the pool
    token: ""
    # Names
    certSANs:
        # first
        - a # one
        # second
        - b
        # last of the names
    files:
        - content: |
            # not a comment
          # about the path
          path: /a # slash a
          op: create
    # below the machine
# About the cluster
cluster: null
# at the end
`;

Deno.test("patchText keeps comments around what it changes", () => {
  assert.equal(
    patch(
      commented,
      "machine: {certSANs: [c], files: [{path: /a, $patch: delete}, {path: /b}]}",
    )
      .text,
    `# The whole file
version: v1alpha1 # one version

# About the machine
machine:
    # What it is
    type: worker # in the pool
    token: ""
    # Names
    certSANs:
        # first
        - a # one
        # second
        - b
        - c
        # last of the names
    files:
        - content: ""
          permissions: 0o0
          path: /b
          op: ""
    # below the machine
# About the cluster
cluster: null
# at the end
`,
  );
});

Deno.test("patchText keeps comments behind values that it sets, unless the patch has its own", () => {
  const { text } = patch(
    commented,
    "machine:\n  # Now it is\n  type: controlplane # one of three\n  token: x\n",
  );
  assert.ok(
    text.includes(
      "\n    # Now it is\n    type: controlplane # one of three\n    token: x\n",
    ),
  );
  const { text: other } = patch(commented, "machine: {type: controlplane}");
  assert.ok(
    other.includes(
      "\n    # What it is\n    type: controlplane # in the pool\n",
    ),
  );
});

Deno.test("patchText keeps comments in flow style, old line ends and odd indentation", () => {
  const text =
    "machine:\r\n   # type\r\n   type:   worker\r\n   sysctls: {\r\n     a: x, # first\r\n     b: y }\r\n";
  assert.equal(
    patch(text, "machine: {sysctls: {b: z}}").text,
    `version: ""
machine:
    # type
    type: worker
    token: ""
    certSANs: []
    sysctls:
        a: x # first
        b: z
cluster: null
`,
  );
});

Deno.test("patchText keeps comments of other documents", () => {
  const other =
    "# names\napiVersion: v1alpha1\nkind: HostnameConfig\n# mine\nhostname: a # a\n";
  const { text } = patch(
    `machine: {type: worker}\n---\n${other}`,
    "machine: {token: a}",
  );
  assert.equal(text.split("---\n")[1], other);
});

Deno.test("patchText keeps documents of kinds only newer nodes know, and merges them", () => {
  const text =
    "apiVersion: v1alpha1\nkind: NewConfig\nname: a\nlist: [x]\non: yes\n";
  const { text: patched, notes } = patch(
    text,
    "apiVersion: v1alpha1\nkind: NewConfig\nname: a\nlist: [z]\nmore: {a: 1}\n",
  );
  assert.equal(
    patched,
    'apiVersion: v1alpha1\nkind: NewConfig\nname: a\nlist:\n    - x\n    - z\n"on": yes\nmore:\n    a: 1\n',
  );
  assert.deepEqual(notes, [
    'c:2:1: kind: The kind "NewConfig" (v1alpha1) is unknown (It is kept unchanged and not validated; a node that supports it validates it)',
    "list in NewConfig/a: 1 appended to the existing list",
  ]);
});

Deno.test("patchText reports unknown kinds that a patch adds", () => {
  const kind = "apiVersion: v1alpha1\nkind: BrandNewConfig\n";
  assert.deepEqual(patch("machine: {type: worker}", kind), {
    text: `${canonical("machine: {type: worker}")}---\n${kind}`,
    notes: ['the kind "BrandNewConfig" is unknown; it is added unchanged'],
  });
});

Deno.test("JSON patches find the main document, the only one, and one that they name", () => {
  const main = "machine: {type: worker}\n---\n";
  const host = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n";
  const link = "---\napiVersion: v1alpha1\nkind: LinkConfig\nname: x\n";
  const op = (document: string, path: string) =>
    `[{"op": "add", "path": "${path}", "value": "b"${document}}]`;
  assert.equal(
    patch(main + host, op("", "/machine/token")).text,
    canonical(`machine: {type: worker, token: b}\n---\n${host}`),
  );
  assert.equal(
    patch(host, op("", "/hostname")).text,
    canonical(host.replace(": a", ": b")),
  );
  assert.equal(
    patch(main + host, op(', "document": "HostnameConfig"', "/hostname")).text,
    canonical(main + host.replace(": a", ": b")),
  );
  assert.equal(
    patch(
      main + host + link,
      `[{op: add, path: /mtu, value: 1500, document: LinkConfig/x}]`,
    )
      .text,
    canonical(`${main}${host}${link}mtu: 1500\n`),
  );
  assert.throws(
    () => patch(host + link, op("", "/hostname")),
    new ConfigError("Cannot apply JSON patch: there is no document v1alpha1", {
      hint:
        'Name one of HostnameConfig, LinkConfig/x with "document" in the operation',
    }),
  );
});

Deno.test("JSON patches may make a document unsound in between, but not in the end", () => {
  const text = "machine: {type: worker}";
  const wrong = { op: "add", path: "/machine/tipe", value: 1 };
  const right = { op: "remove", path: "/machine/tipe" };
  assert.equal(patch(text, JSON.stringify([wrong, right])).text, text);
  assert.throws(
    () => patch(text, JSON.stringify([wrong])),
    {
      message:
        'Cannot use the result of the JSON patch: p:1:2: machine.tipe: Unknown key "tipe" (Did you mean "type"?)',
    },
  );
});

Deno.test("a JSON patch that replaces nothing says so", () => {
  assert.deepEqual(
    patch(
      "machine: {type: worker}",
      "[{op: replace, path: /machine/token, value: a}]",
    ),
    {
      text: canonical("machine: {type: worker, token: a}"),
      notes: ["nothing to replace, so added: /machine/token"],
    },
  );
});

Deno.test("patch: problems and newer keys outside of a patch are kept and reported", () => {
  const text =
    "machine: {type: worker, newer: {a: 1}, network: {interfaces: [{mtu: much}]}}";
  const { text: patched, notes } = patch(text, "machine: {token: b}");
  assert.match(patched, /newer:\n +a: 1\n/);
  assert.match(patched, /mtu: much\n/);
  assert.match(patched, /token: b\n/);
  assert.deepEqual(notes, [
    'c:1:69: machine.network.interfaces[0].mtu: "much" is not an integer (Give a whole number from -9223372036854775808 to 9223372036854775807)',
    'c:1:25: machine.newer: Unknown key "newer", which is kept',
  ]);
});

Deno.test("elements that are null stay where nodes keep them", () => {
  const cas = "machine: {acceptedCAs: [null], certSANs: [null]}";
  assert.match(
    patch("machine: {type: worker}", cas).text,
    /acceptedCAs:\n +- null\n +certSANs: \[\]\n/,
  );
  const free = "machine: {kubelet: {extraConfig: {x: null}}}";
  assert.match(patch("machine: {type: worker}", free).text, /x: null\n/);
});

Deno.test("a patch mends what is wrong", () => {
  const wrong = "cluster: {controlPlane: {localAPIServerPort: much}}";
  assert.deepEqual(
    patch(wrong, "cluster: {controlPlane: {localAPIServerPort: 6443}}"),
    {
      text: canonical("cluster: {controlPlane: {localAPIServerPort: 6443}}"),
      notes: [],
    },
  );
  assert.deepEqual(
    patch(
      "machine: {typo: a, type: worker}",
      "machine: {typo: {$patch: delete}}",
    ),
    { text: canonical("machine: {type: worker}"), notes: [] },
  );
  assert.deepEqual(
    patch(
      "machine: {typo: a, newer: b, type: worker}",
      "[{op: remove, path: /machine/typo}]",
    ).notes,
    ['c:1:20: machine.newer: Unknown key "newer", which is kept'],
  );
});

const refused: readonly (readonly [string, string, string, string])[] = [
  [
    "documents that cannot be told apart",
    "kind: A",
    "machine: {type: worker}",
    'Cannot use "c": c:1:1: This document has no "apiVersion" (Give apiVersion, or one of the keys machine, cluster, debug, persist, version)',
  ],
  [
    "a configuration that is empty",
    "---\n",
    "machine: {type: worker}",
    'Cannot read "c": it is empty',
  ],
  [
    "different types in what is left open",
    "machine: {kubelet: {extraConfig: {a: [1]}}}",
    "machine: {kubelet: {extraConfig: {a: 1}}}",
    'Cannot merge machine.kubelet.extraConfig.a ("p", line 1, column 38): the document has a list, the patch a number',
  ],
  [
    "a kind that is misspelt",
    "machine: {type: worker}",
    "apiVersion: v1alpha1\nkind: linkconfig\nname: a\n",
    'Cannot use patch "p": p:2:1: kind: The kind "linkconfig" does not exist (Did you mean "LinkConfig"?)',
  ],
  [
    "one document twice in a patch",
    "machine: {type: worker}",
    "machine: {token: a}\n---\nmachine: {token: b}\n",
    'Cannot use patch "p": p:3:1: v1alpha1 is already document 1 (Put both into one document, or give two patches)',
  ],
  [
    "documents that cannot be combined",
    "apiVersion: v1alpha1\nkind: LinkConfig\nname: a\n",
    "apiVersion: v1alpha1\nkind: DummyLinkConfig\nname: a\n",
    "Cannot use the patched configuration: p:3:1: name: LinkConfig/a has the same name (Give them different names, or remove one)",
  ],
];

for (const [name, text, change, message] of refused) {
  Deno.test(`patchText refuses ${name}`, () => {
    assert.throws(() => patch(text, change), { name: "ConfigError", message });
  });
}
