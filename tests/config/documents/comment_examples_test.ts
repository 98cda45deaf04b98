import assert from "node:assert/strict";
import { annotate } from "../../../config/documents/comments.ts";
import { conform } from "../../../config/documents/conform.ts";
import {
  canonical,
  encodeDocuments,
} from "../../../config/documents/encode.ts";
import { documentKinds } from "../../../config/documents/kinds.ts";
import { loadDocuments } from "../../../config/documents/load.ts";
import type { Problem } from "../../../config/documents/problem.ts";
import type {
  DocumentKind,
  Example,
  Field,
  Fields,
  OsVersion,
} from "../../../config/documents/schema.ts";
import {
  type ConfigNode,
  findChild,
  type MapEntry,
  toTree,
} from "../../../config/tree/node.ts";
import { validateDocuments } from "../../../config/validate.ts";
import { bare, both, comment, generate, toDocument } from "./_annotated.ts";
import { listStructs, makeEntry, rootWith, type Struct } from "./_structs.ts";
import { findExampleEnds, type Spot, uncomment } from "./_uncomment.ts";

function at(
  node: ConfigNode | undefined,
  path: readonly (string | number)[],
): ConfigNode | undefined {
  return path.reduce<ConfigNode | undefined>(
    (inner, step) =>
      inner?.kind === "list"
        ? inner.items[Number(step)]?.value
        : findChild(inner, String(step)),
    node,
  );
}

type Named = readonly [key: string, field: Field];

/** Fields whose examples are shown, since they have not become others. */
function complete(fields: Fields): readonly Named[] {
  return Object.entries(fields).filter(([, { deprecated, examples }]) =>
    deprecated === undefined && examples !== undefined
  );
}

function listOmitted(fields: readonly Named[]): readonly Named[] {
  return fields.filter(([, { always }]) => !always);
}

function exampleValue(
  key: string,
  field: Field,
  { value }: Example,
): ConfigNode {
  const alone: Fields = { [key]: { ...field, always: true } };
  const { node } = conform(toTree({ [key]: value }), alone);
  const found = findChild(node, key);
  assert.ok(found !== undefined);
  return found;
}

/** Tells problems from that of a protocol that is always written, also when not chosen. */
function isNew({ path }: Problem): boolean {
  return path !== "portSelector.protocol";
}

/** Loads what became of examples, and compares with what they are. */
function compare(
  texts: readonly string[],
  [key, field]: Named,
  { path }: Struct,
): number {
  const where = [...path, key];
  assert.equal(texts.length, field.examples?.length, `${where}`);
  for (const [index, text] of texts.entries()) {
    const { documents, problems } = loadDocuments(text, "f");
    assert.deepEqual(problems.filter(isNew), [], text);
    const example = field.examples?.[index];
    const [document] = documents;
    assert.ok(example !== undefined && document !== undefined);
    assert.deepEqual(
      bare(at(canonical(document), where)),
      bare(exampleValue(key, field, example)),
      text,
    );
  }
  return texts.length;
}

function textWith(
  kind: DocumentKind,
  struct: Struct,
  entries: readonly MapEntry[],
): string {
  const root = rootWith(kind, struct.path, { kind: "map", entries });
  return encodeDocuments([annotate(toDocument(root), both)]);
}

function ownerPath(path: Struct["path"]): string {
  const last = path.at(-1);
  return last === 0 ? "- {}" : `${last}: {}`;
}

/** Below `{}`. */
function tryAll(kind: DocumentKind, struct: Struct): number {
  const text = textWith(kind, struct, []);
  const { path, fields, column: margin, outer } = struct;
  const startedAt = Object.values(fields).some(({ always }) => always);
  const spot: Spot = startedAt || path.length === 0
    ? { margin, inner: 0 }
    : { margin: outer, inner: 4, owner: ownerPath(path) };
  return listOmitted(complete(struct.fields)).map((one) =>
    compare(uncomment(text, one[0], spot), one, struct)
  ).reduce((sum, count) => sum + count, 0);
}

/** Below an entry. */
function tryBeside(kind: DocumentKind, struct: Struct): number {
  const [first, ...rest] = complete(struct.fields);
  const [example] = first?.[1].examples ?? [];
  if (first === undefined || example === undefined) return 0;
  const [key, field] = first;
  const text = textWith(kind, struct, [
    makeEntry(key, exampleValue(key, field, example)),
  ]);
  const spot: Spot = { margin: struct.column, inner: 0 };
  return listOmitted(rest).map((one) =>
    compare(uncomment(text, one[0], spot), one, struct)
  )
    .reduce((sum, count) => sum + count, 0);
}

/** Below `[]` and `{}` that are not a mapping with known keys. */
function tryFeet(kind: DocumentKind, struct: Struct): number {
  const empty = complete(struct.fields).filter(([, { shape: { shape } }]) =>
    shape === "list" || shape === "map" || shape === "free"
  );
  const text = textWith(
    kind,
    struct,
    empty.map(([key, { shape: { shape } }]) =>
      makeEntry(
        key,
        shape === "list"
          ? { kind: "list", items: [] }
          : { kind: "map", entries: [] },
      )
    ),
  );
  return empty.map((one) =>
    compare(findExampleEnds(text, one[0], struct.column), one, struct)
  ).reduce((sum, count) => sum + count, 0);
}

/** Kinds whose examples are of what is always written, or of the whole document. */
const withoutExamples = [
  "Layer2VIPConfig",
  "HCloudVIPConfig",
  "DiscoveryServiceConfig",
  "DiscoveryIdentityConfig",
  "ExternalVolumeConfig",
  "ImageCacheConfig",
  "CRICustomizationConfig",
  "KubeClusterConfig",
  "KubeAPIServerCAConfig",
  "KubeAggregatorCAConfig",
  "KubeInlineManifestConfig",
  "EtcFileConfig",
  "SecurityProfileConfig",
  "NetworkDefaultActionConfig",
  "RegistryTLSConfig",
  "EventSinkConfig",
  "KmsgLogConfig",
  "TrustedRootsConfig",
  "PCIDriverRebindConfig",
  "SideroLinkConfig",
];

const tries = { tryAll, tryBeside, tryFeet };

for (const kind of documentKinds.values()) {
  Deno.test(`${kind.kind}: every example out of its comment is right`, () => {
    let count = 0;
    for (const struct of listStructs(kind)) {
      for (const one of Object.values(tries)) count += one(kind, struct);
    }
    assert.equal(count === 0, withoutExamples.includes(kind.kind));
  });
}

function faults(text: string, osVersion?: OsVersion): string[] {
  const spots = new Set(
    [...text.matchAll(/^( *)# ([A-Za-z]\w*):/gm)].map(([, margin, key]) =>
      `${margin?.length} ${key}`
    ),
  );
  return [...spots].flatMap((spot) => {
    const [margin, key = ""] = spot.split(" ");
    const texts = uncomment(text, key, { margin: Number(margin), inner: 0 });
    assert.notEqual(texts.length, 0);
    return texts.flatMap((one) =>
      validateDocuments(loadDocuments(one, "f"), {
        mode: "metal",
        ...(osVersion && { osVersion }),
      }).filter(({ level }) => level === "error")
        .map(({ path, message }) => `${key}: ${path}: ${message}`)
    );
  });
}

const taken =
  'hostname: hostname: Hostname "controlplane1" is given although "auto" is "stable"';
const controlPlanesOnly = [
  "kubernetesTalosAPIAccess: machine.features.kubernetesTalosAPIAccess.enabled: Pods can only use the node API through control planes, and this node is a worker",
  "etcd: cluster.etcd: etcd is configured on a worker",
];

Deno.test("examples of a control plane are valid there, but for a second hostname", () => {
  assert.deepEqual(faults(comment("controlplane")), [taken]);
});

Deno.test("examples of a worker are valid there, but for what control planes have", () => {
  assert.deepEqual(faults(comment("worker")), [...controlPlanesOnly, taken]);
});

for (const version of ["1.8", "1.9", "1.10", "1.11"] as const) {
  Deno.test(`version ${version} knows what examples for it show`, () => {
    const text = encodeDocuments(
      generate("controlplane", "v1.8").map((one) =>
        annotate(one, { ...both, version })
      ),
    );
    assert.deepEqual(faults(text, version), []);
    assert.equal(text.includes("imageCache:"), version !== "1.8");
    assert.ok(!text.includes("grubUseUKICmdline"));
  });
}
