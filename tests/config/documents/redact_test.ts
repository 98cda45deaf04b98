import assert from "node:assert/strict";
import { documentKinds } from "../../../config/documents/kinds.ts";
import { redact, redacted } from "../../../config/documents/redact.ts";
import { string } from "../../../config/documents/scalars.ts";
import type { Fields, Shape } from "../../../config/documents/schema.ts";
import { list, map, struct } from "../../../config/documents/shapes.ts";
import {
  type ConfigNode,
  type MapNode,
  treeOf,
} from "../../../config/tree/node.ts";

/** A value in which everything is given once, with the text `given`. */
function filled(shape: Shape): ConfigNode {
  switch (shape.shape) {
    case "scalar":
      return treeOf("given");
    case "list":
      return { kind: "list", items: [{ value: filled(shape.of) }] };
    case "map":
      return {
        kind: "map",
        entries: [{ key: "*", value: filled(shape.of) }],
      };
    case "struct":
      return filledMap(shape.fields);
    case "free":
      return treeOf({ own: "given" });
  }
}

function filledMap(fields: Fields): MapNode {
  const entries = Object.entries(fields).map(([key, { shape }]) => ({
    key,
    value: filled(shape),
  }));
  return { kind: "map", entries };
}

/** Paths of texts that are no longer what they were. */
function* hidden(node: ConfigNode, path = ""): Generator<string> {
  if (node.kind === "scalar") {
    if (node.text === "given") return;
    assert.equal(node.text, "******");
    assert.equal(node.plain, false);
    yield path;
  }
  if (node.kind === "list") {
    for (const { value } of node.items) yield* hidden(value, `${path}[]`);
  }
  if (node.kind === "map") {
    for (const { key, value } of node.entries) {
      yield* hidden(value, path === "" ? key : `${path}.${key}`);
    }
  }
}

const volumeSecrets = ["encryption.keys[].static.passphrase"];

const secrets: Readonly<Record<string, readonly string[]>> = {
  v1alpha1: [
    "machine.token",
    "machine.ca.key",
    "machine.network.interfaces[].vlans[].vip.equinixMetal.apiToken",
    "machine.network.interfaces[].vlans[].vip.hcloud.apiToken",
    "machine.network.interfaces[].wireguard.privateKey",
    "machine.network.interfaces[].vip.equinixMetal.apiToken",
    "machine.network.interfaces[].vip.hcloud.apiToken",
    "machine.registries.config.*.tls.clientIdentity.key",
    "machine.registries.config.*.auth.password",
    "machine.registries.config.*.auth.auth",
    "machine.registries.config.*.auth.identityToken",
    "machine.systemDiskEncryption.state.keys[].static.passphrase",
    "machine.systemDiskEncryption.ephemeral.keys[].static.passphrase",
    "cluster.secret",
    "cluster.token",
    "cluster.aescbcEncryptionSecret",
    "cluster.secretboxEncryptionSecret",
    "cluster.ca.key",
    "cluster.aggregatorCA.key",
    "cluster.serviceAccount.key",
    "cluster.etcd.ca.key",
  ],
  WireguardConfig: ["privateKey", "peers[].presharedKey"],
  HCloudVIPConfig: ["apiToken"],
  VolumeConfig: volumeSecrets,
  UserVolumeConfig: volumeSecrets,
  RawVolumeConfig: volumeSecrets,
  SwapVolumeConfig: volumeSecrets,
  RegistryAuthConfig: ["password", "auth", "identityToken"],
  RegistryTLSConfig: ["clientIdentity.key", "ca"],
  SideroLinkConfig: ["apiUrl", "uniqueToken"],
};

for (const { kind, fields } of documentKinds.values()) {
  Deno.test(`${kind}: secrets are hidden, and nothing else`, () => {
    const found = redact(filledMap(fields), fields);
    assert.deepEqual([...hidden(found)], secrets[kind] ?? []);
  });
}

const fields: Fields = {
  open: { shape: string, summary: "Seen" },
  secret: { shape: string, summary: "Hidden", secret: true },
  all: {
    shape: list(struct({ a: { shape: string, summary: "A" } })),
    summary: "Hidden as a whole",
    secret: true,
  },
  hosts: {
    shape: map(struct({
      secret: { shape: string, summary: "Hidden", secret: true },
    })),
    summary: "Hosts",
  },
};

function redactedOf(
  value: Parameters<typeof treeOf>[0],
  mark?: Parameters<typeof redact>[2],
): unknown {
  const root = treeOf(value);
  assert.ok(root.kind === "map");
  return redact(root, fields, mark);
}

Deno.test("an empty secret stays empty", () => {
  assert.deepEqual(redactedOf({ secret: "" }), treeOf({ secret: "" }));
});

Deno.test("everything in a secret list or mapping is hidden", () => {
  assert.deepEqual(
    redactedOf({ all: [{ a: "1", b: { c: 2 } }], secret: { x: true } }),
    treeOf({
      all: [{ a: redacted, b: { c: redacted } }],
      secret: { x: redacted },
    }),
  );
});

Deno.test("what takes the place of a secret may depend on path and value", () => {
  const mark = (path: string, text: string) => `${path} ${text.length}`;
  assert.deepEqual(
    redactedOf(
      { open: "o", secret: "abc", hosts: { h: { secret: "de" } }, all: ["f"] },
      mark,
    ),
    treeOf({
      open: "o",
      secret: "/secret 3",
      hosts: { h: { secret: "/hosts/h/secret 2" } },
      all: ["/all/0 1"],
    }),
  );
});

Deno.test("comments, places and unknown keys stay", () => {
  const at = { file: "f", line: 2, column: 3 };
  const root: MapNode = {
    kind: "map",
    at,
    after: ["below"],
    entries: [
      {
        key: "secret",
        at,
        before: ["above"],
        line: "behind",
        value: { kind: "scalar", text: "x", plain: true, at },
      },
      { key: "unknown", value: treeOf("x") },
    ],
  };
  const [first, second] = root.entries;
  assert.deepEqual(redact(root, fields), {
    ...root,
    entries: [
      { ...first, value: { kind: "scalar", text: redacted, plain: false, at } },
      second,
    ],
  });
});

Deno.test("a document of a kind that is not known stays as it is", () => {
  const root = filledMap(fields);
  assert.equal(redact(root, undefined), root);
});
