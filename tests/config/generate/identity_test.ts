import assert from "node:assert/strict";
import { renderAdminOsconfig } from "../../../config/generate/client.ts";
import {
  existingAmong,
  identityIn,
  identityText,
  isSameCluster,
  readIdentity,
} from "../../../config/generate/identity.ts";
import { parseSecrets } from "../../../config/generate/secrets_file.ts";
import { madeAt } from "./_bundle.ts";
import {
  peerControlPlane,
  peerSecrets,
  peerWorker,
} from "./_talosctl_bundle.ts";

const id = "9bSVBvz624_ciiO-SM1042a2Ln0FAT1Yhux79bE2zvg=";
// openssl x509 -pubkey | openssl pkey -pubin -outform DER | sha256sum
const fingerprint =
  "sha256:93f952f1cac200a0ba455c4f2c76f873f65298e0ee07ef424b3c873d06cab9e7";
const secrets = await parseSecrets(peerSecrets, "s.yaml");

Deno.test("secrets know the identity of their cluster", async () => {
  assert.deepEqual(await readIdentity(secrets), { id, fingerprint });
});

for (
  const [what, text] of [
    ["a secrets bundle", peerSecrets],
    ["the configuration of a control plane", peerControlPlane],
    ["the configuration of a worker", peerWorker],
    [
      "a configuration behind another document",
      `kind: HostnameConfig\n---\n${peerWorker}`,
    ],
  ] as const
) {
  Deno.test(`${what} tells the identity of its cluster`, async () => {
    assert.deepEqual(await identityIn(text), { id, fingerprint });
  });
}

Deno.test("a client configuration tells the CA of its current context", async () => {
  const now = madeAt;
  const clusterName = "test";
  const text = await renderAdminOsconfig({ clusterName, secrets, now });
  assert.deepEqual(await identityIn(text), { fingerprint });
});

for (
  const [what, text] of [
    ["no YAML", "a: [\n"],
    ["nothing", ""],
    ["a list", "- a\n"],
    ["another file", "id: 1\n"],
    ["broken certificates", "certs: {os: {crt: '?'}}\n"],
    ["certificates of another kind", "machine: {ca: {crt: YQ==}}\n"],
  ] as const
) {
  Deno.test(`${what} tells no identity`, async () => {
    assert.deepEqual(await identityIn(text), {});
  });
}

Deno.test("clusters are the same when all that is known of both is", () => {
  const [a, b] = ["sha256:a", "sha256:b"];
  for (
    const [one, other, same] of [
      [{ id: "1", fingerprint: a }, { id: "1", fingerprint: a }, true],
      [{ id: "1", fingerprint: a }, { fingerprint: a }, true],
      [{ id: "1" }, { id: "1", fingerprint: b }, true],
      [{ id: "1", fingerprint: a }, { id: "1", fingerprint: b }, false],
      [{ id: "1", fingerprint: a }, { id: "2", fingerprint: a }, false],
      [{ id: "1" }, { fingerprint: a }, false],
      [{}, { id: "1", fingerprint: a }, false],
      [{}, {}, false],
    ] as const
  ) {
    assert.equal(isSameCluster(one, other), same, JSON.stringify([one, other]));
    assert.equal(isSameCluster(other, one), same, JSON.stringify([other, one]));
  }
});

Deno.test("an identity is described by what is known", () => {
  for (
    const [identity, text] of [
      [
        { id: "1", fingerprint: "sha256:a" },
        "cluster id 1, node API CA sha256:a",
      ],
      [{ id: "1" }, "cluster id 1"],
      [{ fingerprint: "sha256:a" }, "node API CA sha256:a"],
      [{}, "no known cluster"],
    ] as const
  ) {
    assert.equal(identityText(identity), text);
  }
});

Deno.test("files in the way come with content and identity, in order", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/b`, "cluster: {id: some}\n");
    await Deno.writeTextFile(`${dir}/a`, "notes\n");
    await Deno.symlink("b", `${dir}/link`);
    const found = await existingAmong(
      ["b", "none", "a", "link"].map((name) => `${dir}/${name}`),
    );
    assert.deepEqual(
      found.map(({ path, content, identity }) => [
        path.slice(dir.length + 1),
        new TextDecoder().decode(content),
        identity,
      ]),
      [
        ["b", "cluster: {id: some}\n", { id: "some" }],
        ["a", "notes\n", {}],
        ["link", "cluster: {id: some}\n", { id: "some" }],
      ],
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("folders and links to nowhere hold nothing", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${dir}/folder`);
    await Deno.symlink("nowhere", `${dir}/link`);
    const found = await existingAmong([`${dir}/folder`, `${dir}/link`]);
    assert.deepEqual(found.map(({ content }) => content.length), [0, 0]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
