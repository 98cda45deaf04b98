import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { readKubeconfig } from "../../../workflows/kubernetes/kubeconfig.ts";
import { OsctlError } from "../../../errors.ts";
import { fakeNodes } from "../../_fake.ts";
import { nodeKubeconfig } from "../../config/kubeconfig/_kubeconfig.ts";

/** An archive as nodes send it, in two messages, without the mark at its end. */
async function* send(files: Readonly<Record<string, string>>) {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) {
    archive.entry({ name }, text);
  }
  archive.finalize();
  const whole = await buffer(archive);
  const isEmpty = Object.keys(files).length === 0;
  const bytes = gzipSync(isEmpty ? whole : whole.subarray(0, -1024));
  yield { bytes: bytes.subarray(0, 10) };
  yield { bytes: bytes.subarray(10) };
}

async function read(files: Readonly<Record<string, string>>): Promise<string> {
  const { nodes } = fakeNodes({ a: { kubeconfig: () => send(files) } });
  return await readKubeconfig(await nodes.at("a"));
}

Deno.test("readKubeconfig says when nothing was sent", async () => {
  await assert.rejects(read({}), {
    message: "Cannot read the kubeconfig of a: the node sent none",
  });
});

Deno.test("readKubeconfig does not take more than a kubeconfig can be", async () => {
  await assert.rejects(read({ kubeconfig: "x".repeat(1024 * 1024 + 1) }), {
    message: "Cannot read the kubeconfig of a: too large",
  });
});

async function refusal(kubeconfig: string): Promise<string> {
  const error = await read({ kubeconfig }).catch((error) => error);
  assert.ok(error instanceof OsctlError, String(error));
  assert.equal(error.status, 5);
  const [, what] = /^Refused the kubeconfig of a: (.*)$/.exec(error.message) ??
    [];
  assert.ok(what, error.message);
  return what;
}

const given = nodeKubeconfig();
const key = "    client-key-data:";
const server = "    server:";

for (
  const [what, text, reason] of [
    [
      "a program to run",
      given.replace(key, `    exec: {command: /tmp/x}\n${key}`),
      'user "admin@c" has "exec"',
    ],
    [
      "a plug-in",
      given.replace(key, `    auth-provider: {name: gcp}\n${key}`),
      'user "admin@c" has "auth-provider"',
    ],
    [
      "several at once",
      given.replace(key, `    tokenFile: /root/t\n    token: x\n${key}`),
      'user "admin@c" has "tokenFile", user "admin@c" has "token"',
    ],
    [
      "paths",
      given.replace(
        key,
        `    client-key: /root/k\n    client-certificate: c\n${key}`,
      )
        .replace(server, `    certificate-authority: /root/ca\n${server}`),
      'cluster "c" has "certificate-authority", user "admin@c" has "client-key", user "admin@c" has "client-certificate"',
    ],
    [
      "an identity to take on",
      given.replace(key, `    as: root\n${key}`),
      'user "admin@c" has "as"',
    ],
    [
      "a proxy",
      given.replace(server, `    proxy-url: http://x\n${server}`),
      'cluster "c" has "proxy-url"',
    ],
    [
      "a server without TLS",
      given.replace("https://", "http://"),
      'cluster "c" has the server "http://10.0.0.2:6443", which is not an https URL',
    ],
    [
      "an unchecked server",
      given.replace(server, `    insecure-skip-tls-verify: true\n${server}`),
      'cluster "c" has "insecure-skip-tls-verify"',
    ],
    [
      "a structure in the place of a text",
      given.replace(/ {4}server: .*/, "    server: {exec: x}"),
      'cluster "c" has "server", cluster "c" has the server "", which is not an https URL',
    ],
    [
      "extensions beside the lists and in them",
      `${given}extensions: []\n`.replace("- name: c", "- extra: 1\n  name: c")
        .replace("    namespace:", "    extensions: []\n    namespace:"),
      'extensions, cluster "c" has "extra", context "admin@c" has "extensions"',
    ],
    [
      "preferences",
      `${given}preferences: {colors: true}\n`,
      "preferences",
    ],
    [
      "a context with a user that only this machine has",
      given.replace("    user: admin@c", "    user: production"),
      'context "admin@c" refers to user "production", which does not exist',
    ],
    [
      "a context with a cluster that only this machine has",
      given.replace("    cluster: c", "    cluster: production"),
      'context "admin@c" refers to cluster "production", which does not exist',
    ],
    [
      "a current context that only this machine has",
      given.replace("current-context: admin@c", "current-context: production"),
      'current-context "production" is not one of its contexts',
    ],
  ] as const
) {
  Deno.test(`readKubeconfig refuses ${what} by name`, async () => {
    assert.notEqual(text, given);
    assert.equal(await refusal(text), reason);
  });
}

Deno.test("readKubeconfig writes again what other readers could read differently", async () => {
  const text = given.replace("cluster: c\n", 'cluster: "c" # here\n')
    .replace("namespace: default", 'namespace: "no"') +
    "preferences: {}\n";
  assert.equal(
    await read({ kubeconfig: text }),
    given.replace("namespace: default", 'namespace: "no"'),
  );
  await assert.rejects(read({ kubeconfig: `${given}---\n${given}` }), {
    message:
      "Cannot use the kubeconfig of a: it has 2 documents instead of one",
  });
});
