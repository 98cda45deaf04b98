import assert from "node:assert/strict";
import {
  formatIdentity,
  isHollow,
  learnSecret,
  loadDocuments,
  type Loaded,
} from "../../../config/documents/load.ts";
import { v1alpha1 } from "../../../config/documents/v1alpha1/top.ts";
import { createMasker, processMasker } from "../../../lib/masker.ts";
import { ConfigError } from "../../../errors.ts";

function load(text: string): Loaded {
  return loadDocuments(text, "f");
}

function identities({ documents }: Loaded): string[] {
  return documents.map(formatIdentity);
}

function formatProblems({ problems }: Loaded): string[] {
  return problems.map(({ level, document, identity, path, message, at }) =>
    `${level} ${document} ${identity} ${at?.line}:${at?.column} ${path}: ${message}`
  );
}

function expectRefusal(text: string): string {
  try {
    load(text);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  throw new Error("nothing is wrong");
}

function further(kind: string, rest = ""): string {
  return `---\napiVersion: v1alpha1\nkind: ${kind}\n${rest}`;
}

for (
  const text of [
    "machine: {}",
    "cluster: {}",
    "debug: false",
    "persist: true",
    "machine:",
    "version: v1alpha1\ncluster: {}",
  ]
) {
  Deno.test(`"${text.replaceAll("\n", "\\n")}" is a main document`, () => {
    const loaded = load(text);
    assert.deepEqual(formatProblems(loaded), []);
    const [document] = loaded.documents;
    assert.ok(document !== undefined);
    const { root: _, schema, ...rest } = document;
    assert.equal(schema, v1alpha1);
    assert.deepEqual(rest, { kind: "v1alpha1", apiVersion: "", number: 1 });
  });
}

Deno.test("a document that could be of any kind is refused", () => {
  assert.deepEqual(formatProblems(load("name: a\n")), [
    'error 1  1:1 : This document has no "kind"',
  ]);
  assert.deepEqual(
    formatProblems(load("apiVersion: v1alpha1\nmachine: {}\n")),
    [
      'error 1  1:1 : This document has no "kind"',
    ],
  );
  assert.deepEqual(formatProblems(load("kind: HostnameConfig\n")), [
    'error 1  1:1 : This document has no "apiVersion"',
  ]);
  assert.deepEqual(formatProblems(load("kind: [a]\napiVersion: v1alpha1\n")), [
    'error 1  1:1 : This document has no "kind"',
  ]);
});

Deno.test("documents keep their order, and empty ones are counted", () => {
  const loaded = load(`---
# nothing
---
${further("LinkConfig", "name: eth0\n")}---
null
---
machine: {}
${further("LinkConfig", "name: eth1\n")}`);
  assert.deepEqual(formatProblems(loaded), []);
  assert.deepEqual(identities(loaded), [
    "LinkConfig/eth0",
    "v1alpha1",
    "LinkConfig/eth1",
  ]);
  assert.deepEqual(loaded.documents.map(({ number }) => number), [3, 5, 6]);
  assert.deepEqual(loaded.empty, [1, 2, 4]);
});

Deno.test("kinds that are not known are kept with a warning", () => {
  const loaded = load(
    `apiVersion: v1alpha1\nkind: Pod\nname: a\nspec: {b: c}\n${
      further("NewConfig", "a: b\n")
    }`,
  );
  assert.deepEqual(formatProblems(loaded), [
    'warning 1 Pod/a 2:1 kind: The kind "Pod" (v1alpha1) is unknown',
    'warning 2 NewConfig 7:1 kind: The kind "NewConfig" (v1alpha1) is unknown',
  ]);
  assert.equal(
    loaded.problems[0]?.hint,
    "It is kept unchanged and not validated; a node that supports it validates it",
  );
  assert.deepEqual(identities(loaded), ["Pod/a", "NewConfig"]);
  assert.deepEqual(loaded.documents.map(({ schema }) => schema), [
    undefined,
    undefined,
  ]);
});

Deno.test("documents of another version, and kinds that are misspelt, are refused", () => {
  for (
    const [version, kind, problem] of [
      [
        "v1",
        "Pod",
        '1:1 apiVersion: Nodes have no documents of apiVersion "v1"',
      ],
      [
        "v1alpha2",
        "LinkConfig",
        '1:1 apiVersion: Nodes have no documents of apiVersion "v1alpha2"',
      ],
      [
        "v1alpha1",
        "LinkConfg",
        '2:1 kind: The kind "LinkConfg" does not exist',
      ],
      [
        "v1alpha1",
        "linkconfig",
        '2:1 kind: The kind "linkconfig" does not exist',
      ],
      [
        "v1alpha1",
        "VlanConfig",
        '2:1 kind: The kind "VlanConfig" does not exist',
      ],
    ]
  ) {
    assert.deepEqual(
      formatProblems(load(`apiVersion: ${version}\nkind: ${kind}\n`)),
      [`error 1 ${kind} ${problem}`],
    );
  }
});

Deno.test("loadDocuments: refuses YAML that nodes cannot read", () => {
  const main = "machine: {type: worker}\n";
  for (
    const [text, reason] of [
      [`%YAML 1.2\n---\n${main}`, 'nodes do not accept "%YAML 1.2"'],
      [`# a\x85b\n${main}`, "nodes end the comment at a line break"],
      [
        `${main}debug: true # a\u2028b\n`,
        "nodes end the comment at a line break",
      ],
    ] as const
  ) {
    assert.throws(
      () => load(text),
      (error: Error) => error.message.includes(reason),
    );
  }
  for (const text of [`%YAML 1.1\n---\n${main}`, `# a\x85# b\n${main}`]) {
    assert.deepEqual(formatProblems(load(text)), []);
  }
});

Deno.test("merge keys are allowed only in files that the user names, custom tags nowhere", () => {
  const text = "machine:\n  sysctls: &a {x: !mine y}\n  sysfs: {<<: *a}\n";
  assert.deepEqual(formatProblems(load(text)), []);
  assert.deepEqual(
    formatProblems(
      load("machine:\n  install: &a {disk: b}\n  time: {<<: *a}\n"),
    ),
    [
      'error 1 v1alpha1 3:10 machine.time: Nodes do not support "<<" (merge keys) here',
      'error 1 v1alpha1 2:16 machine.time.disk: Unknown key "disk"',
    ],
  );
});

Deno.test("problems name the document they are in", () => {
  const loaded = load(
    `machine: {typ: a}\n${further("LinkConfig", "name: a\nmtu: x\n")}`,
  );
  assert.deepEqual(formatProblems(loaded), [
    'error 1 v1alpha1 1:11 machine.typ: Unknown key "typ"',
    'error 2 LinkConfig/a 6:6 mtu: "x" is not an integer',
  ]);
});

Deno.test("the same document twice is refused", () => {
  const link = further("LinkConfig", "name: a\n");
  assert.deepEqual(
    formatProblems(load(`machine: {}\n${link}---\ncluster: {}\n${link}`)),
    [
      "error 3 v1alpha1 7:1 : v1alpha1 is already document 1",
      "error 4 LinkConfig/a 9:1 : LinkConfig/a is already document 2",
    ],
  );
});

Deno.test("kinds of one group with the same name are refused", () => {
  const text = further("LinkConfig", "name: a\n") +
    further("VLANConfig", "name: a\n") +
    further("UserVolumeConfig", "name: a\n") +
    further("ExistingVolumeConfig", "name: a\n") +
    further("RawVolumeConfig", "name: a\n") +
    further("BondConfig", "name: b\n");
  assert.deepEqual(formatProblems(load(text)), [
    "error 2 VLANConfig/a 8:1 name: LinkConfig/a has the same name",
    "error 4 ExistingVolumeConfig/a 16:1 name: UserVolumeConfig/a has the same name",
  ]);
});

Deno.test("Windows line ends and a byte order mark change nothing", () => {
  const text = "machine:\n  # a\n  type: worker\n  files:\n    - content: |\n" +
    "        a\n        b\n";
  const plain = load(text);
  const windows = load(text.replaceAll("\n", "\r\n"));
  assert.deepEqual(windows, plain);
  assert.deepEqual(identities(load(`\ufeff${text}`)), ["v1alpha1"]);
});

Deno.test("loadDocuments: refuses invalid YAML with line and column", () => {
  assert.equal(
    expectRefusal("machine:\n  type: a\0b\n"),
    'Cannot read "f" at line 2, column 10: it contains a NUL character',
  );
  assert.equal(
    expectRefusal("machine:\n\ttype: a\n"),
    'Cannot read "f" at line 2, column 1: tab characters must not be used in indentation',
  );
  assert.equal(
    expectRefusal("machine:\n  type: a\n  type: b\n"),
    'Cannot read "f" at line 3, column 3: "type" appears twice in one mapping',
  );
  assert.equal(
    expectRefusal(`a: &a [${"x,".repeat(100_000)}x]\nb: [*a, *a]\n`),
    'Cannot read "f" at line 2, column 5: its aliases expand to too many values',
  );
});

Deno.test("a text of 20 MB with too many values is refused", () => {
  const line = "    - aaaaaaaaaaaaaaaa\n";
  const text = `machine:\n  certSANs:\n${line.repeat(900_000)}`;
  assert.ok(text.length > 20_000_000);
  assert.equal(
    expectRefusal(text),
    'Cannot read "f": it contains more than 500,000 values and comments',
  );
});

Deno.test("a text of 20 MB with few values is loaded", () => {
  const loaded = load(`machine:\n  token: ${"x".repeat(20_000_000)}\n`);
  assert.deepEqual(identities(loaded), ["v1alpha1"]);
});

Deno.test("documents that say nothing but which one they are are hollow", () => {
  const texts: readonly [string, boolean][] = [
    ["version: v1alpha1\nmachine: null\n", true],
    ["machine: {}\n", false],
    [further("LinkConfig", "name: a\nmtu: null\n"), true],
    [further("LinkConfig", "name: a\nmtu: 0\n"), false],
    [further("HostnameConfig"), true],
    [further("NewConfig", "name: a\n"), true],
    [further("NewConfig", "name: a\nb: c\n"), false],
  ];
  for (const [text, hollow] of texts) {
    const [document] = load(text).documents;
    assert.ok(document !== undefined);
    assert.equal(isHollow(document), hollow, text);
  }
});

Deno.test("loadDocuments: registers the secrets of a configuration for masking", () => {
  const reported = "node says: t0ken-from-load";
  assert.equal(processMasker.mask(reported), reported);
  load("machine: {token: t0ken-from-load}");
  assert.equal(processMasker.mask(reported), "node says: ******");
});

Deno.test("a secret that is a configuration is hidden by field, all others as a whole", () => {
  const masker = createMasker();
  learnSecret(
    new TextEncoder().encode("machine: {type: worker, token: c0nfig-token}"),
    masker,
  );
  learnSecret("machine: [unclosed", masker);
  learnSecret("kind: of secret", masker);
  assert.equal(
    masker.mask("worker c0nfig-token, machine: [unclosed, kind: of secret"),
    "worker ******, ******, ******",
  );
});

Deno.test("both ends of a pair of links have names of their own", () => {
  const pair = further("VethConfig", "name: a\npeer: {name: b}\n");
  assert.deepEqual(formatProblems(load(pair)), []);
  assert.deepEqual(
    formatProblems(load(pair + further("LinkConfig", "name: b\n"))),
    [
      "error 2 LinkConfig/b 9:1 name: VethConfig/a has the same name",
    ],
  );
});
