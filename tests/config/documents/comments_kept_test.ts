import assert from "node:assert/strict";
import { annotate, withComments } from "../../../config/documents/comments.ts";
import { encodeDocuments } from "../../../config/documents/encode.ts";
import { documentKinds } from "../../../config/documents/kinds.ts";
import { loadDocuments } from "../../../config/documents/load.ts";
import { toTree } from "../../../config/tree/node.ts";
import { both, comment, generate, toDocument } from "./_annotated.ts";
import { rootWith } from "./_structs.ts";

const docs = { docs: true, examples: false };
const examples = { docs: false, examples: true };

/** Lines of the first text that the second does not have, each as often. */
function listLost(from: string, to: string): readonly string[] {
  const left = to.split("\n");
  return from.split("\n").filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

const texts: readonly (readonly [string, string])[] = [
  ...(["controlplane", "worker"] as const).map((role) =>
    [role, encodeDocuments(generate(role))] as const
  ),
  ...[...documentKinds.values()].flatMap((kind) =>
    kind.examples.map(({ value }) =>
      [
        kind.kind,
        encodeDocuments([toDocument(rootWith(kind, [], toTree(value)))]),
      ] as const
    )
  ),
];

Deno.test("comments are added to what has none as gen config adds them", () => {
  for (const [name, text] of texts) {
    for (const options of [both, docs, examples]) {
      const { documents } = loadDocuments(text, "f");
      const generated = documents.map((one) => annotate(one, options));
      assert.equal(
        withComments(text, options),
        encodeDocuments(generated),
        name,
      );
    }
  }
});

Deno.test("a configuration that has comments gets none a second time", () => {
  for (const [name, text] of texts) {
    for (const options of [both, docs, examples]) {
      const once = withComments(text, options);
      assert.equal(withComments(once, options), once, name);
    }
  }
  for (const role of ["controlplane", "worker"] as const) {
    const text = comment(role);
    assert.equal(withComments(text, both), text, role);
  }
});

const operator = `# Rack 7
version: v1alpha1
machine:
    type: worker # never a control plane
    # Rotated by hand
    token: aaaaaa.bbbbbbbbbbbbbbbb
    certSANs: []
    # Ask the network team

    network: {}
    install: # see ticket 12
        disk: /dev/sda
        # image: example.com/installer:v1
        # end of the disks
    # end of the machine
`;

Deno.test("comments of an operator stay, and what has one gets no other", () => {
  const text = withComments(operator, both);
  assert.deepEqual(listLost(operator, text), ["        disk: /dev/sda"]);
  const lines = text.split("\n");
  assert.deepEqual(
    lines.slice(0, 16),
    [
      "# Rack 7",
      "version: v1alpha1",
      "# Settings of this node",
      "machine:",
      "    type: worker # never a control plane",
      "    # Rotated by hand",
      "    token: aaaaaa.bbbbbbbbbbbbbbbb",
      "    # Additional names and addresses for the node API's certificate",
      "    certSANs: []",
      "    #     - 192.0.2.10",
      "    #     - node1.example.com",
      "",
      "    # Ask the network team",
      "",
      "    # Network settings",
      "    network: {}",
    ],
  );
  const at = lines.indexOf("    install: # see ticket 12");
  assert.deepEqual(lines.slice(at, at + 7), [
    "    install: # see ticket 12",
    "        disk: /dev/sda # Disk to install to",
    "        wipe: null # Wipes the disk before installation",
    "        # image: example.com/installer:v1",
    "        # end of the disks",
    "",
    "        # # Selects the disk by its properties; takes precedence over disk",
  ]);
  assert.doesNotMatch(text, /# image: ghcr/);
  assert.equal(withComments(text, both), text);
});

Deno.test("examples in the layout of talosctl are not shown again", () => {
  const text = `version: v1alpha1
machine:
    type: worker # Defines the role of the machine.
    network: {}
    # # \`interfaces\` is used to define the network interface configuration.
    # interfaces:
    #     - interface: enp0s1

    # Used to provide instructions for installations.
    install:
        disk: /dev/sda # The disk used for installations.

        # # Look up disk using disk attributes.
        # diskSelector:
        #     size: 4GB
`;
  const made = withComments(text, both);
  assert.deepEqual(listLost(text, made), ["version: v1alpha1"]);
  assert.ok(made.startsWith("version: v1alpha1 # "));
  assert.equal(made.match(/# interfaces:/g)?.length, 1);
  assert.equal(made.match(/# diskSelector:/g)?.length, 1);
  assert.equal(withComments(made, both), made);
});

Deno.test("a key that is given later keeps its example, and gets no other", () => {
  const text = comment("controlplane").replace(
    /^( *)(network: \{\})/m,
    "$1network:\n$1    kubespan:\n$1        enabled: true",
  );
  const made = withComments(text, both);
  assert.deepEqual(
    listLost(text.replaceAll(/ # .*/g, ""), made.replaceAll(/ # .*/g, "")),
    [],
  );
  assert.equal(withComments(made, both), made);
});

Deno.test("one empty line is between examples and comments that were there", () => {
  const text = withComments(
    `machine:
    certSANs: []

    # mine
    network: {}
    # below
`,
    examples,
  );
  const lines = text.split("\n");
  const at = lines.indexOf("    certSANs: []");
  assert.deepEqual(lines.slice(at + 2, at + 12), [
    "    #     - node1.example.com",
    "",
    "    # mine",
    "    network: {}",
    "    #     kubespan:",
    "    #         enabled: true",
    "    #         mtu: 1420",
    "",
    "    # below",
    "",
  ]);
});

Deno.test("keys with names of what every object inherits are kept, without a comment", () => {
  for (const key of ["constructor", "__proto__", "toString"]) {
    const text =
      `version: v1alpha1\nmachine:\n    type: worker\n    ${key}: 1\n`;
    const version = "1.12";
    const made = withComments(text, { docs: true, examples: true, version });
    assert.match(made, new RegExp(`^ {4}${key}: 1$`, "m"));
  }
});
