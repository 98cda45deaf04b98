import assert from "node:assert/strict";
import {
  caOfMachineConfig,
  caOfSecrets,
} from "../../../config/osconfig/ca_source.ts";

const [crt, key] = [btoa("certificate"), btoa("private")];
const files = {
  crt: new TextEncoder().encode("certificate"),
  key: new TextEncoder().encode("private"),
};

const controlplane = `# generated
version: v1alpha1
machine:
    type: controlplane
    ca:
        crt: ${crt}
        key: ${key}
cluster:
    ca:
        crt: ${btoa("kubernetes")}
        key: ${btoa("of kubernetes")}
`;

function expectRefusal(
  read: () => unknown,
  message: string,
  hint: string,
): void {
  assert.throws(read, { name: "ConfigError", message, hint });
}

Deno.test("a secrets bundle gives the node API's CA", () => {
  const bundle = `cluster:
    id: x
certs:
    k8s:
        crt: ${btoa("kubernetes")}
        key: ${btoa("of kubernetes")}
    os:
        crt: ${crt}
        key: ${key}
`;
  assert.deepEqual(caOfSecrets(bundle, "s"), files);
});

Deno.test("a secrets bundle in JSON with capitals is read", () => {
  const bundle = { Certs: { OS: { Crt: crt, Key: key } } };
  assert.deepEqual(caOfSecrets(JSON.stringify(bundle), "s"), files);
});

Deno.test("a secrets bundle without key, or that is something else, is refused", () => {
  const hint = "Use the secrets bundle that osctl gen secrets wrote";
  expectRefusal(
    () => caOfSecrets(`certs: {os: {crt: ${crt}, key: }}`, "s.yaml"),
    'Cannot use "s.yaml": it has no certs.os.key',
    hint,
  );
  expectRefusal(
    () => caOfSecrets(controlplane, "s.yaml"),
    'Cannot use "s.yaml": it has no certs.os.crt',
    hint,
  );
  expectRefusal(
    () => caOfSecrets(`certs:\n  os: {crt: ${crt}, key: "%"}`, "s.yaml"),
    'Cannot read "s.yaml" at line 2, column 36: certs.os.key is not base64',
    hint,
  );
});

Deno.test("a worker's configuration is refused, and one whose secrets were omitted", () => {
  const hint = "Use the machine configuration of a control plane";
  expectRefusal(
    () => caOfMachineConfig(controlplane.replace(key, '""'), "w.yaml"),
    'Cannot use "w.yaml": it has no machine.ca.key',
    hint,
  );
  expectRefusal(
    () => caOfMachineConfig(controlplane.replace(key, "'******'"), "w"),
    'Cannot read "w" at line 7, column 14: machine.ca.key is redacted',
    hint,
  );
  expectRefusal(
    () => caOfMachineConfig("kind: Other\n", "w.yaml"),
    'Cannot use "w.yaml": it has no machine.ca.crt',
    hint,
  );
});

Deno.test("a machine configuration that is not YAML is refused with the line in the file", () => {
  assert.throws(
    () => caOfMachineConfig("kind: A\n---\na: 1\nb: [\n", "m"),
    { name: "ConfigError", message: /^Cannot read "m" at line 5, column 1: / },
  );
});
