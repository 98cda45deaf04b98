import assert from "node:assert/strict";
import { accessIn } from "../../../workflows/kubernetes/access.ts";

const base64 = (text: string) => new TextEncoder().encode(text).toBase64();

function kubeconfig(changes: Readonly<Record<string, string>> = {}): string {
  const lines = {
    current: "current-context: admin@lab",
    server: "    server: https://10.0.0.2:6443/",
    ca: `    certificate-authority-data: ${base64("CA")}`,
    crt: `    client-certificate-data: ${base64("CRT")}`,
    key: `    client-key-data: ${base64("KEY")}`,
    ...changes,
  };
  return `apiVersion: v1
kind: Config
clusters:
- name: other
  cluster:
    server: https://elsewhere
- name: lab
  cluster:
${lines.server}
${lines.ca}
users:
- name: admin
  user:
${lines.crt}
${lines.key}
contexts:
- name: admin@other
  context: {cluster: other, user: admin}
- name: admin@lab
  context: {cluster: lab, user: admin}
${lines.current}
`;
}

for (
  const [name, changes, message] of [
    ["a CA", { ca: "" }, /certificate-authority-data is missing$/],
    ["a key", { key: "" }, /client-key-data is missing$/],
    ["a server", { server: '    server: ""' }, /server is missing$/],
    [
      "base64",
      { crt: "    client-certificate-data: '%%'" },
      /client-certificate-data is not base64$/,
    ],
    ["a context", { current: "" }, /is missing$/],
  ] as const
) {
  Deno.test(`accessIn names what is wrong with a kubeconfig without ${name}`, () => {
    assert.throws(() => accessIn(kubeconfig(changes), "kubeconfig"), {
      name: "ConfigError",
      message,
    });
  });
}

Deno.test("accessIn refuses an empty kubeconfig", () => {
  assert.throws(() => accessIn("", "kubeconfig"), { name: "ConfigError" });
});
