import assert from "node:assert/strict";
import { documentKinds } from "../../../config/documents/kinds.ts";
import {
  type Mark,
  redact,
  redacted,
} from "../../../config/documents/redact.ts";
import {
  assignment,
  choice,
  integer,
  openText,
  string,
} from "../../../config/documents/scalars/scalars.ts";
import type { Fields, Shape } from "../../../config/documents/schema.ts";
import { list, map, struct } from "../../../config/documents/shapes.ts";
import {
  type ConfigNode,
  findChild,
  type MapNode,
  toTree,
} from "../../../config/tree/node.ts";
import { growth, proportional } from "../../_scaling.ts";

/** Values that fit; all other scalars take any text. */
const fitting: Readonly<Record<string, string | number | boolean>> = {
  boolean: true,
  integer: 1,
  "file mode": 0o644,
  duration: "1h",
  size: "1GiB",
  "size or percentage": "50%",
  "condition on a size": ">= 1GB",
  URL: "https://example.com:6443/path",
  CIDR: "10.0.0.0/24",
  "IP address": "10.0.0.1",
  "address and port": "10.0.0.1:51820",
  "hardware address": "02:00:5e:10:00:01",
  "port or range of ports": "1-2",
  "base64 text": btoa(
    "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
  ),
};

/** A value in which everything is given once. */
function fill(shape: Shape): ConfigNode {
  switch (shape.shape) {
    case "scalar":
      return toTree(fitting[shape.name] ?? shape.values?.[0] ?? "given");
    case "list":
      return { kind: "list", items: [{ value: fill(shape.of) }] };
    case "map":
      return { kind: "map", entries: [{ key: "*", value: fill(shape.of) }] };
    case "struct":
      return fillMap(shape.fields);
    case "free":
      return toTree({ own: "given" });
  }
}

function fillMap(fields: Fields): MapNode {
  const entries = Object.entries(fields).map(([key, { shape }]) => ({
    key,
    value: fill(shape),
  }));
  return { kind: "map", entries };
}

/** Paths of values that are no longer what they were. */
function* listHidden(
  node: ConfigNode,
  old: ConfigNode,
  path = "",
): Generator<string> {
  if (node.kind === "scalar" && old.kind === "scalar") {
    if (node.text === old.text) return;
    assert.match(node.text, /^(\*{6}|\(redacted, \d+ characters\))$/);
    assert.equal(node.plain, false);
    yield node.text === redacted ? `${path} (secret)` : path;
  }
  if (node.kind === "list" && old.kind === "list") {
    for (const [i, { value }] of node.items.entries()) {
      const was = old.items[i]?.value;
      if (was !== undefined) yield* listHidden(value, was, `${path}[]`);
    }
  }
  if (node.kind === "map") {
    for (const { key, value } of node.entries) {
      const was = findChild(old, key);
      const at = path === "" ? key : `${path}.${key}`;
      if (was !== undefined) yield* listHidden(value, was, at);
    }
  }
}

/** Every field that may hold a secret, by kind: a new field is hidden until it is known to be harmless. */
const expected: Readonly<Record<string, readonly string[]>> = {
  v1alpha1: [
    "machine.token (secret)",
    "machine.ca.key (secret)",
    "machine.kubelet.extraArgs.*[]",
    "machine.kubelet.extraMounts[].options[]",
    "machine.kubelet.extraConfig.own",
    "machine.kubelet.credentialProviderConfig.own",
    "machine.pods[].own",
    "machine.network.interfaces[].vlans[].vip.equinixMetal.apiToken (secret)",
    "machine.network.interfaces[].vlans[].vip.hcloud.apiToken (secret)",
    "machine.network.interfaces[].wireguard.privateKey (secret)",
    "machine.network.interfaces[].vip.equinixMetal.apiToken (secret)",
    "machine.network.interfaces[].vip.hcloud.apiToken (secret)",
    "machine.install.extraKernelArgs[]",
    "machine.files[].content",
    "machine.env.*",
    "machine.registries.config.*.tls.clientIdentity.key (secret)",
    "machine.registries.config.*.auth.password (secret)",
    "machine.registries.config.*.auth.auth (secret)",
    "machine.registries.config.*.auth.identityToken (secret)",
    "machine.systemDiskEncryption.state.keys[].static.passphrase (secret)",
    "machine.systemDiskEncryption.ephemeral.keys[].static.passphrase (secret)",
    "machine.udev.rules[]",
    "machine.logging.destinations[].extraTags.*",
    "machine.kernel.modules[].parameters[]",
    "machine.seccompProfiles[].value.own",
    "machine.baseRuntimeSpecOverrides.own",
    "machine.nodeAnnotations.*",
    "cluster.secret (secret)",
    "cluster.network.cni.flannel.extraArgs[]",
    "cluster.token (secret)",
    "cluster.aescbcEncryptionSecret (secret)",
    "cluster.secretboxEncryptionSecret (secret)",
    "cluster.ca.key (secret)",
    "cluster.aggregatorCA.key (secret)",
    "cluster.serviceAccount.key (secret)",
    "cluster.apiServer.extraArgs.*[]",
    "cluster.apiServer.env.*",
    "cluster.apiServer.admissionControl[].configuration.own",
    "cluster.apiServer.auditPolicy.own",
    "cluster.apiServer.authorizationConfig[].webhook.own",
    "cluster.controllerManager.extraArgs.*[]",
    "cluster.controllerManager.env.*",
    "cluster.proxy.extraArgs.*[]",
    "cluster.scheduler.extraArgs.*[]",
    "cluster.scheduler.env.*",
    "cluster.scheduler.config.own",
    "cluster.etcd.ca.key (secret)",
    "cluster.etcd.extraArgs.*[]",
    "cluster.extraManifestHeaders.*",
    "cluster.inlineManifests[].contents",
  ],
  WireguardConfig: ["privateKey (secret)", "peers[].presharedKey (secret)"],
  HCloudVIPConfig: ["apiToken (secret)"],
  VolumeConfig: ["encryption.keys[].static.passphrase (secret)"],
  UserVolumeConfig: ["encryption.keys[].static.passphrase (secret)"],
  RawVolumeConfig: ["encryption.keys[].static.passphrase (secret)"],
  SwapVolumeConfig: ["encryption.keys[].static.passphrase (secret)"],
  RegistryAuthConfig: [
    "password (secret)",
    "auth (secret)",
    "identityToken (secret)",
  ],
  RegistryTLSConfig: ["clientIdentity.key (secret)", "ca (secret)"],
  ExtensionServiceConfig: ["configFiles[].content", "environment[]"],
  DiscoveryIdentityConfig: ["clusterSecret (secret)"],
  CRIBaseRuntimeSpecConfig: ["overrides.own"],
  CRICustomizationConfig: ["content"],
  ContainerConfig: ["args[]", "environment[]"],
  KubeNodeConfig: ["annotations.*"],
  KubeletConfig: ["config.own", "extraArgs.*[]"],
  KubeAPIServerCAConfig: ["issuingCA.key (secret)"],
  KubeAggregatorCAConfig: ["issuingCA.key (secret)"],
  KubeServiceAccountConfig: ["issuer.privateKey (secret)"],
  KubeEtcdEncryptionConfig: ["config.own"],
  KubeAPIServerConfig: ["extraArgs.*[]", "env.*"],
  KubeControllerManagerConfig: ["extraArgs.*[]", "env.*"],
  KubeSchedulerConfig: ["config.own", "extraArgs.*[]", "env.*"],
  KubeProxyConfig: ["config.own", "extraArgs.*[]"],
  KubeFlannelCNIConfig: ["backendExtraConfig.own", "extraArgs[]"],
  KubeAdmissionControlConfig: ["configuration.own"],
  KubeAuditPolicyConfig: ["configuration.own"],
  KubeAuthenticationConfig: ["configuration.own"],
  KubeAuthorizerConfig: ["webhook.own"],
  KubeCredentialProviderConfig: ["configuration.own"],
  KubeInlineManifestConfig: ["manifest"],
  KubeExternalManifestConfig: ["headers.*"],
  KubeStaticPodConfig: ["pod.own"],
  EnvironmentConfig: ["variables.*"],
  KernelModuleConfig: ["parameters[]"],
  UdevRulesConfig: ["rules[]"],
  EtcFileConfig: ["contents"],
  SideroLinkConfig: ["apiUrl (secret)", "uniqueToken (secret)"],
};

for (const { kind, fields } of documentKinds.values()) {
  Deno.test(`${kind}: only what is known to be harmless is shown`, () => {
    const given = fillMap(fields);
    const found = redact(given, fields);
    assert.deepEqual([...listHidden(found, given)], expected[kind] ?? []);
  });
}

const fields: Fields = {
  open: { shape: openText, summary: "Seen" },
  text: { shape: string, summary: "Any text" },
  names: { shape: list(assignment), summary: "NAME=value" },
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

function redactValue(
  value: Parameters<typeof toTree>[0],
  mark?: Parameters<typeof redact>[2],
): unknown {
  const root = toTree(value);
  assert.ok(root.kind === "map");
  return redact(root, fields, mark);
}

Deno.test("an empty secret stays empty", () => {
  assert.deepEqual(redactValue({ secret: "" }), toTree({ secret: "" }));
});

Deno.test("everything in a secret list or mapping is hidden", () => {
  assert.deepEqual(
    redactValue({ all: [{ a: "1", b: { c: 2 } }], secret: { x: true } }),
    toTree({
      all: [{ a: redacted, b: { c: redacted } }],
      secret: { x: redacted },
    }),
  );
});

Deno.test("redact: the replacement of a secret may depend on its path and value", () => {
  const mark: Mark = (path, text, why) => `${path} ${text.length} ${why}`;
  assert.deepEqual(
    redactValue(
      { open: "o", secret: "abc", hosts: { h: { secret: "de" } }, all: ["f"] },
      mark,
    ),
    toTree({
      open: "o",
      secret: "/secret 3 secret",
      hosts: { h: { secret: "/hosts/h/secret 2 secret" } },
      all: ["/all/0 1 secret"],
    }),
  );
});

Deno.test("comments are omitted, and unknown keys are hidden", () => {
  const at = { file: "f", line: 2, column: 3 };
  const value: ConfigNode = { kind: "scalar", text: "x", plain: true, at };
  const root: MapNode = {
    kind: "map",
    at,
    after: ["below"],
    entries: [
      { key: "secret", at, before: ["above"], line: "behind", value },
      { key: "unknown", value: toTree({ a: ["x y", true, null, ""] }) },
    ],
  };
  assert.deepEqual(redact(root, fields), {
    kind: "map",
    at,
    entries: [
      { key: "secret", at, value: { ...value, text: redacted, plain: false } },
      {
        key: "unknown",
        value: toTree({ a: ["(redacted, 3 characters)", true, null, ""] }),
      },
    ],
  });
});

Deno.test("of a kind that is not known only its identity is shown", () => {
  const root = toTree({
    apiVersion: "v1alpha1",
    kind: "NewConfig",
    name: "a",
    port: 8080,
    nested: { name: "b", on: true },
  });
  assert.ok(root.kind === "map");
  assert.deepEqual(
    redact(root, undefined),
    toTree({
      apiVersion: "v1alpha1",
      kind: "NewConfig",
      name: "a",
      port: "(redacted, 4 characters)",
      nested: { name: "(redacted, 1 character)", on: true },
    }),
  );
});

for (
  const [given, shown] of [
    ["https://user:pass@example.com/a", "https://******@example.com/a"],
    ["https://token@example.com:1/", "https://******@example.com:1/"],
    ["https://user:pa/ss@example.com", "https://******@example.com"],
    ["grpc://example.com?jointoken=abc", "grpc://example.com?******"],
    ["https://example.com/a#token", "https://example.com/a#******"],
    ["https://example.com:6443/a", "https://example.com:6443/a"],
    ["ghcr.io/a/b:v1@sha256:abc", "ghcr.io/a/b:v1@sha256:abc"],
    ["two\nlines", "(redacted, 9 characters)"],
    [
      "-----BEGIN EC PRIVATE KEY-----\nYQ==\n-----END EC PRIVATE KEY-----",
      "(redacted, 64 characters)",
    ],
    [
      "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
      "-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n",
    ],
  ] as const
) {
  Deno.test(`an open text ${JSON.stringify(given)} is shown as ${JSON.stringify(shown)}`, () =>
    assert.deepEqual(redactValue({ open: given }), toTree({ open: shown })));
}

Deno.test("an open text takes time in proportion to its length", async () => {
  const grown = await growth((size) => {
    const open = "a".repeat(size);
    assert.deepEqual(redactValue({ open }), toTree({ open }));
  }, 20_000);
  assert.ok(grown < proportional, `${grown}`);
});

for (
  const [given, shown] of [
    ["TOKEN=abc", "TOKEN=(redacted, 3 characters)"],
    ["--iface=eth0", "--iface=(redacted, 4 characters)"],
    [
      "siderolink.api=grpc://a?jointoken=b",
      "siderolink.api=(redacted, 20 characters)",
    ],
    ["quiet", "(redacted, 5 characters)"],
    ["c2VjcmV0MQ==", "(redacted, 12 characters)"],
    ["a secret = b", "(redacted, 12 characters)"],
  ] as const
) {
  Deno.test(`an assignment "${given}" is shown as "${shown}"`, () =>
    assert.deepEqual(
      redactValue({ names: [given] }),
      toTree({ names: [shown] }),
    ));
}

Deno.test("a value that does not fit its field is hidden", () => {
  const numbers: Fields = {
    n: { shape: integer(0n, 10n), summary: "N" },
    w: { shape: choice(["a", "b"]), summary: "W" },
    l: { shape: list(openText), summary: "L" },
  };
  const root = toTree({ n: "hunter2", w: "c", l: "text" });
  assert.ok(root.kind === "map");
  assert.deepEqual(
    redact(root, numbers),
    toTree({
      n: "(redacted, 7 characters)",
      w: "(redacted, 1 character)",
      l: "(redacted, 4 characters)",
    }),
  );
});
