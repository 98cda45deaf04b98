import assert from "node:assert/strict";
import { injectServiceAccounts } from "../../../config/inject/service_accounts.ts";
import { ConfigError } from "../../../errors.ts";
import type { Role } from "../../../pki/roles.ts";

function inject(text: string, roles: readonly Role[] = ["os:reader"]) {
  return injectServiceAccounts(text, { file: "app.yaml", roles });
}

function refusal(text: string): unknown {
  try {
    return inject(text).text;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [error.message, error.hint];
  }
}

const podOnOneLine =
  "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a}]}}";
const account = `apiVersion: talos.dev/v1alpha1
kind: ServiceAccount
metadata:
  name: p-talos-secrets
spec:
  roles:
    - os:reader
`;

Deno.test("injection keeps the line ends of Windows", () => {
  const windows = (text: string) => text.replaceAll("\n", "\r\n");
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n";
  assert.equal(
    inject(windows(`${pod}  hostNetwork: true`)).text,
    windows(
      `${pod}  hostNetwork: true\n  volumes:\n    - name: talos-secrets\n      secret:\n        secretName: p-talos-secrets\n---\n${account}`,
    ),
  );
});

Deno.test("injection refuses what it cannot read, with its place", () => {
  assert.deepEqual(refusal("a: 1\n---\nb: 1\nb: 2\n"), [
    'Cannot read "app.yaml" at line 4, column 1: "b" appears twice in one mapping (document 2)',
    "Keep one of them",
  ]);
  assert.deepEqual(refusal("a:\n\tb: 1\n"), [
    'Cannot read "app.yaml" at line 2, column 1: not YAML: Tabs are not allowed as indentation (document 1)',
    "Indent with spaces",
  ]);
  assert.deepEqual(refusal("a: b\n---\n\0\n"), [
    'Cannot read "app.yaml" at line 3, column 1: it has a control character (document 2)',
    undefined,
  ]);
  const pod = podOnOneLine.replace(
    "containers",
    "volumes: !!null ~, containers",
  );
  assert.deepEqual(refusal(pod), [
    'Cannot read "app.yaml" at line 1, column 1: cannot add the keys (document 1)',
    "Write it without anchors, tags and question marks for keys",
  ]);
});

Deno.test("injection refuses what would take too long", () => {
  assert.deepEqual(refusal(`a: b\n---\n${"a:\n".repeat(150_001)}`), [
    'Cannot read "app.yaml" at line 2, column 1: it has too many keys and items (document 2)',
    undefined,
  ]);
  assert.deepEqual(refusal("a:\n".repeat(500_001)), [
    'Cannot read "app.yaml": it has too many keys and items',
    "Split the file",
  ]);
});

Deno.test("injection keeps documents without pods byte for byte", () => {
  const text =
    "# a\n\n%YAML 1.2\n---   # b\na:   [ x ]  # c\n...\n# d\n---\nb: |+\n  ---\n  c\n\n--- |\n d\n---\r\ne: >2+\n    b\n\n";
  assert.equal(inject(text).text, text);
});

Deno.test("injection keeps the comments of documents it drops", () => {
  const documents = (text: string) => inject(text).text;
  assert.equal(
    documents("a: b\n---\n  # c\n\nnull # d\n--- # e\nb: c\n"),
    "a: b\n--- # e\n# c\n# d\nb: c\n",
  );
  assert.equal(documents("---\n# c\n--- |\n a\n"), "--- |\n a\n# c\n");
  assert.equal(documents("# c\n"), "# c\n");
  assert.equal(documents("---\n"), "");
});

Deno.test("injection names what is wrong with a document", () => {
  const messages: Readonly<Record<string, string>> = {
    "a: 'b\n": "line 2, column 1: not YAML: Missing closing 'quote",
    "a: 1\n? [b]\n: 1\n": "line 2, column 3: a key is not a string",
    "a: *b\n": 'line 1, column 4: "*b" is not defined',
    [`a: &a ${"x".repeat(20_000)}\nb: [${Array(10).fill("*a").join()}]\n`]:
      "line 2, column 32: its aliases expand to too many values",
  };
  for (const [text, message] of Object.entries(messages)) {
    assert.deepEqual(
      refusal(text),
      [`Cannot read "app.yaml" at ${message} (document 1)`, undefined],
    );
  }
});

Deno.test("injection refuses documents that are nested too deeply", () => {
  const [message] = refusal("[".repeat(20_000)) as string[];
  assert.match(message ?? "", /: it is nested too deeply \(document 1\)$/);
});
