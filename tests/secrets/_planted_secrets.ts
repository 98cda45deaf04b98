/** Configurations with a marker in every field that may hold a secret, and the search for it. */

import { documentKinds } from "../../config/documents/kinds.ts";
import { apiVersion, mainKind } from "../../config/documents/load.ts";
import type { Fields, Shape } from "../../config/documents/schema.ts";
import {
  type ConfigNode,
  type MapNode,
  toTree,
} from "../../config/tree/node.ts";
import { writeDocuments } from "../../config/tree/write.ts";

/** In every marker, and nowhere else. */
export const core = "pl4nt";

export const disclosed = {
  /** Commands that print data: configurations, keys, files. */
  commands: [
    "cgroups schema",
    "config new",
    "copy",
    "debug",
    "etcd snapshot",
    "gen config",
    "gen secrets",
    "get",
    "inject serviceaccount",
    "inspect dependencies",
    "kubeconfig",
    "machineconfig diff",
    "machineconfig gen",
    "machineconfig patch",
    "machineconfig schema",
    "pcap",
    "read",
    "runbook plan",
    "runbook schema",
    "site schema",
    "support",
  ],
  /** Those of them that mask what they print by themselves. */
  masking: ["cgroups schema", "inspect dependencies", "runbook plan"],
  /** Files in the home of an operator, by their names, with what they are. */
  files: {
    "osconfig": "osconfig of the operator",
    "osconfig.bak": "what config renew and rotate-ca leave",
    "given-kubeconfig": "input kubeconfig of certificate-renewal",
    "given-osconfig": "input osconfig of rotate-ca",
    "given-secrets": "input secretsOut of rotate-ca",
  } as Readonly<Record<string, string>>,
};

/** Variables whose values are secrets, with markers in them. */
export const plantedVariables: Readonly<Record<string, string>> = {
  SOPS_AGE_KEY: "AGE-SECRET-KEY-1PL4NT-pl4nt-key",
  OSCTL_VAULT_PASSPHRASE: "pl4nt-vault-passphrase",
  HTTPS_PROXY: "http://user:pl4nt-proxy@127.0.0.1:1",
  https_proxy: "http://user:pl4nt-proxy@127.0.0.1:1",
  SIDERO_SERVICE_ACCOUNT_KEY: btoa("pl4nt-key"),
  OMNI_SERVICE_ACCOUNT_KEY: btoa("pl4nt-key"),
};

/** Values that fit, of fields that are shown. */
const fitting: Readonly<Record<string, string | number | boolean>> = {
  boolean: true,
  integer: 1,
  "file mode": 0o644,
  duration: "1h",
  size: "1GiB",
  "size or percentage": "50%",
  "condition on a size": ">= 1GB",
  CIDR: "10.0.0.0/24",
  "IP address": "10.0.0.1",
  "address and port": "10.0.0.1:51820",
  "hardware address": "02:00:5e:10:00:01",
  "port or range of ports": "1-2",
  expression: "true",
};

/** Markers in the main document that nodes accept, for runs that give them a configuration. */
export const plantedValid = `machine:
  env: {TOKEN: pl4nt-in-env, HTTPS_PROXY: "http://user:pl4nt-pass@10.0.0.9:3128"}
  files:
  - {path: /var/pl, op: create, permissions: 0o600, content: "password=pl4nt-in-file\\n"}
  kubelet:
    extraArgs: {some-key: pl4nt-kubelet}
    extraConfig: {own: pl4nt-kubelet-config}
    credentialProviderConfig: {own: pl4nt-provider}
  logging:
    destinations: [{endpoint: "tcp://user:pl4nt-logging@10.0.0.9:5140/", format: json_lines, extraTags: {some-key: pl4nt-tag}}]
  systemDiskEncryption:
    state:
      provider: luks2
      keys: [{slot: 0, static: {passphrase: pl4nt-passphrase}}]
  registries:
    mirrors:
      registry.example: {endpoints: ["https://user:pl4nt-mirror@10.0.0.9/"]}
    config:
      registry.example:
        auth: {username: user, password: pl4nt-registry, auth: pl4nt-auth, identityToken: pl4nt-identity}
  udev: {rules: [pl4nt-udev]}
  nodeAnnotations: {some-key: pl4nt-annotation}
cluster:
  apiServer:
    extraArgs: {some-key: pl4nt-api}
    env: {TOKEN: pl4nt-api-env}
    auditPolicy: {own: pl4nt-audit}
    admissionControl: [{name: PodSecurity, configuration: {own: pl4nt-admission}}]
  controllerManager: {extraArgs: {some-key: pl4nt-manager}, env: {TOKEN: pl4nt-manager-env}}
  scheduler: {extraArgs: {some-key: pl4nt-scheduler}, env: {TOKEN: pl4nt-scheduler-env}}
  proxy: {extraArgs: {some-key: pl4nt-proxy}}
  extraManifestHeaders: {Authorization: pl4nt-header}
  inlineManifests:
  - {name: a, contents: "kind: Secret\\nstringData: {a: pl4nt-in-manifest}\\n"}
`;

export interface Planted {
  /** Configuration of all kinds, and of one that is not known. */
  readonly text: string;
  /** Every marker, by the path of its field. */
  readonly markers: ReadonlyMap<string, string>;
}

/**
 * Plants a marker of its own into every field that may hold a secret, also into passwords of URLs.
 *
 * @param seed Different ones have different markers.
 * @param kinds Kinds to plant; default all, and one that is not known.
 * @param bare Leaves out fields that hold no marker, so that nodes can live with it.
 */
export function plant(
  seed: string,
  kinds?: readonly string[],
  bare = false,
): Planted {
  const markers = new Map<string, string>();

  function marker(path: string): string {
    const text = `${core}-${seed}-${markers.size}x`;
    markers.set(path, text);
    return text;
  }

  function filled(shape: Shape, path: string, isSecret = false): ConfigNode {
    switch (shape.shape) {
      case "scalar":
        return toTree(plantValue(shape, path, isSecret));
      case "list":
        return {
          kind: "list",
          items: [{ value: filled(shape.of, `${path}[]`, isSecret) }],
        };
      case "map":
        return {
          kind: "map",
          entries: [{
            key: "some-key",
            value: filled(shape.of, `${path}.*`, isSecret),
          }],
        };
      case "struct":
        return filledMap(shape.fields, path);
      case "free":
        return shape.shown === undefined
          ? toTree({ own: marker(path), list: [{ deep: marker(`${path}[]`) }] })
          : toTree({ cpu: "1" });
    }
  }

  function plantValue(
    shape: Extract<Shape, { shape: "scalar" }>,
    path: string,
    isSecret: boolean,
  ) {
    if (shape.shown === "name") return `NAME=${marker(path)}`;
    if (shape.name === "base64 text") {
      return isSecret
        ? btoa(`-----BEGIN EC PRIVATE KEY-----\n${marker(path)}\n`)
        : btoa("-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----");
    }
    if (shape.name === "URL") {
      return `https://user:${marker(path)}@example.com:6443/`;
    }
    if (shape.shown !== undefined && !isSecret) {
      return fitting[shape.name] ?? shape.values?.[0] ?? "plain";
    }
    if (shape.name === "manifest" || path.endsWith("content")) {
      return `# a file\nkind: Secret\npassword: "${marker(path)}"\n`;
    }
    return marker(path);
  }

  function filledMap(fields: Fields, path: string): MapNode {
    const entries = Object.entries(fields).flatMap(
      ([key, { shape, secret }]) => {
        const before = markers.size;
        const own = path === "" ? key : `${path}.${key}`;
        const value = filled(shape, own, secret);
        const isKept = !bare || markers.size > before || key === "name";
        return isKept ? [{ key, value }] : [];
      },
    );
    return { kind: "map", entries };
  }

  const known = [...documentKinds.values()]
    .filter(({ kind }) => kinds?.includes(kind) ?? true)
    .map((kind) => {
      const entries = filledMap(kind.fields, "").entries.map((entry) =>
        // Kinds of one group must not share a name.
        entry.key === "name" && kind.kind !== "VolumeConfig"
          ? { ...entry, value: toTree(kind.kind.toLowerCase()) }
          : entry
      );
      if (kind.kind === mainKind) return { kind: "map", entries } as const;
      const identity = toTree({ apiVersion, kind: kind.kind });
      const own = identity.kind === "map" ? identity.entries : [];
      return { kind: "map", entries: [...own, ...entries] } as const;
    });
  if (kinds !== undefined) return { text: writeDocuments(known), markers };
  const unknown = toTree({
    apiVersion,
    kind: "FutureConfig",
    name: "future",
    token: marker("FutureConfig.token"),
    nested: [{ deeper: { password: marker("FutureConfig.nested") } }],
  });
  return { text: writeDocuments([...known, unknown]), markers };
}

/**
 * Finds markers in what was written, as they are and in base64, hexadecimal and percent encoding.
 *
 * @param text What was written.
 * @returns Where they are, with a little around; empty when there are none.
 */
export function leaksIn(text: string): readonly string[] {
  const found: string[] = [];
  for (const { index } of text.matchAll(new RegExp(core, "gi"))) {
    found.push(text.slice(Math.max(0, index - 40), index + 30));
  }
  for (const { index } of text.matchAll(encoded)) {
    found.push(`encoded: ${text.slice(Math.max(0, index - 40), index + 30)}`);
  }
  return found;
}

const encoded = new RegExp(
  [
    // Either is written in small or in capital letters.
    ...[new TextEncoder().encode(core).toHex()]
      .flatMap((hex) => [hex, hex.toUpperCase()]),
    // Six characters are the same whatever stands before and behind.
    ...[0, 1, 2].map((before) => {
      const whole = btoa(`${"x".repeat(before)}${core}`);
      const start = Math.ceil(before * 8 / 6);
      return whole.slice(start, start + 6);
    }),
  ].join("|"),
  "g",
);

/**
 * Texts of a node that has read a value: in a line, quoted, encoded, in a diff.
 *
 * @param values The values.
 */
export function makeLeaks(values: Iterable<string>): string {
  return [...values].map((value) =>
    [
      `invalid value ${value} for key`,
      JSON.stringify(`a "quoted" ${value}\n`),
      btoa(value),
      btoa(`ab${value}c`),
      new TextEncoder().encode(value).toHex(),
      `https://user:${encodeURIComponent(value)}@example.com/?token=${value}`,
      `-    password: ${value}`,
    ].join("\n")
  ).join("\n");
}

export function quoteFrom(text: string): string {
  return makeLeaks(new Set(text.match(/pl4nt-[\w-]+/g)));
}

/** Paths of all files in a folder and below it. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    found.push(...isDirectory ? await filesBelow(path) : [path]);
  }
  return found;
}
