/** Arbitrary configurations and patches, made from the descriptions of the documents. */

import fc from "fast-check";
import { documentKinds } from "../../config/documents/kinds.ts";
import { mainKind } from "../../config/documents/load.ts";
import type {
  DocumentKind,
  Fields,
  ScalarShape,
  Shape,
} from "../../config/documents/schema.ts";
import {
  type ConfigNode,
  isNull,
  type MapEntry,
  type MapNode,
  type ScalarNode,
  toTree,
} from "../../config/tree/node.ts";

export interface Extras {
  /** Null in the place of values; default false. */
  readonly nulls?: boolean;
  /** `$patch: delete` and `replace` below the root; default false. */
  readonly marks?: boolean;
}

type Rich = fc.Arbitrary<ConfigNode>;

// Everything some scalar takes; the shapes choose.
const candidates = [
  ...["", "0", "1", "5", "017", "0x1F", "443", "1e3", "0o644", "-3", "65536"],
  ...["true", "false", "yes", "Off", "a", "b c", "eth0", "a: b", "y", "~", "#"],
  ...["10.0.0.1", "10.1.0.0/16", "fd00::1", "FD00::/64", "10.0.0.1:51820"],
  ...[
    "https://a:6443/p?x=1",
    "http://b.c",
    "tcp://10.0.0.1:4003",
    "[fd00::1]:1",
  ],
  ...["10GiB", "500 MB", "1.5gb", "50%", "0%", ">= 100GB", "== 5", "80-443"],
  ...["1h30m", "0s", "250ms", "90s", "02:00:5e:10:00:01", "02:00:5E:10:00:02"],
  ...["YQ==", "YmM=", "line\nline\n", "a\n\ttext", " x ", "é", "1.50", ".INF"],
  ...["null", "2001-1-1", "1_000", "18446744073709551616", "Nope", "1:30"],
].flatMap((text): readonly ScalarNode[] => [
  { kind: "scalar", text, plain: false },
  // Unquoted, some of them are comments, collections or of several lines.
  ...(/^[^#[\n ]+$/.test(text)
    ? [{ kind: "scalar", text, plain: true } as const]
    : []),
]);

const keys = fc.constantFrom(
  ...["a", "b", "a2", "a10", "A", "x.y/z", "on", "1", "true", "a: b", "-", "é"],
);
const names = fc.constantFrom("a", "b", "eth0");
const expressions = {
  "disk": ["disk.size > 1u * GiB", "!system_disk"],
  "volume": ["volume.name == 'a'", "true"],
  "link": ["link.driver == 'x'", "true"],
  "oom-trigger": ["memory_full_avg10 > 12.0", "true"],
  "oom-ranking": ["1.0", "memory_max.hasValue() ? 0.5 : 0.0"],
} as const;

const chosen = new Map<ScalarShape, readonly ScalarNode[]>();

/** Texts a node takes here, in several spellings. */
function listSpellings(shape: ScalarShape): readonly ScalarNode[] {
  const known = chosen.get(shape);
  if (known !== undefined) return known;
  const words = shape.expression === undefined
    ? (shape.values ?? [])
    : expressions[shape.expression];
  const own = words.map((text): ScalarNode => ({
    kind: "scalar",
    text,
    plain: false,
  }));
  const others = shape.expression === undefined ? candidates : [];
  const fit = [...own, ...others].filter((node) =>
    !("fault" in shape.read(node)) && !(node.plain && isNull(node))
  );
  chosen.set(shape, fit);
  return fit;
}

/** Any value of a shape. */
export function anyValue(shape: Shape, extras: Extras = {}): Rich {
  switch (shape.shape) {
    case "scalar":
      return fc.constantFrom(...listSpellings(shape));
    case "list":
      return fc.array(anyElement(shape.of, extras), { maxLength: 3 })
        .map((items): ConfigNode => ({
          kind: "list",
          items: items.map((value) => ({ value })),
        }));
    case "map":
      return anyMap(anyValue(shape.of, extras), extras);
    case "struct":
      return anyStruct(shape.fields, extras);
    case "free":
      return anyMap(freeValue(extras), extras);
  }
}

function anyElement(shape: Shape, extras: Extras): Rich {
  const value = anyValue(shape, extras);
  return extras.marks ? fc.oneof(value, value.map(markNode)) : value;
}

/** Deletes the element that has the first of the keys. */
function markNode(node: ConfigNode): ConfigNode {
  const [first] = node.kind === "map" ? node.entries : [];
  if (first?.value.kind !== "scalar") return node;
  const mark = { key: "$patch", value: toTree("delete") };
  return { kind: "map", entries: [first, mark] };
}

function freeValue(extras: Extras): Rich {
  const { value } = fc.letrec<{ value: ConfigNode }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: "free" },
      fc.constantFrom<ConfigNode>(...candidates),
      fc.array(tie("value"), { maxLength: 2 }).map((items): ConfigNode => ({
        kind: "list",
        items: items.map((value) => ({ value })),
      })),
      anyMap(tie("value"), extras),
    ),
  }));
  return value;
}

function anyMap(of: Rich, extras: Extras): Rich {
  const entry = fc.tuple(keys, withExtras(of, extras));
  return fc.uniqueArray(entry, { maxLength: 3, selector: ([key]) => key })
    .map((entries): ConfigNode => ({
      kind: "map",
      entries: entries.map(([key, value]) => ({ key, value })),
    }));
}

/** Values of some of the fields. */
export function anyStruct(fields: Fields, extras: Extras = {}): Rich {
  const all = Object.entries(fields);
  return fc.shuffledSubarray(all, { maxLength: Math.min(4, all.length) })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map(([key, { shape }]) =>
          withExtras(anyValue(shape, extras), extras)
            .map((value): MapEntry => ({ key, value }))
        ),
      )
    ).map((entries): ConfigNode => ({ kind: "map", entries }));
}

function withExtras(value: Rich, { nulls, marks }: Extras): Rich {
  return fc.oneof(
    { weight: 20, arbitrary: value },
    { weight: nulls ? 1 : 0, arbitrary: fc.constant(toTree(null)) },
    {
      weight: marks ? 2 : 0,
      arbitrary: fc.constant(toTree({ $patch: "delete" })),
    },
  );
}

/** A document of a kind. */
export function anyDocument(
  kind: DocumentKind,
  extras: Extras = {},
): fc.Arbitrary<MapNode> {
  const { name: _, ...fields } = kind.fields;
  const own = kind.named ? fields : kind.fields;
  return fc.tuple(names, anyStruct(own, extras)).map(([name, value]) => {
    const identity = kind.kind === mainKind ? { debug: false } : {
      apiVersion: "v1alpha1",
      kind: kind.kind,
      name: kind.named ? name : undefined,
    };
    const identified = toTree(identity);
    const first = identified.kind === "map" ? identified.entries : [];
    const rest = value.kind === "map" ? value.entries : [];
    const taken = new Set(rest.map(({ key }) => key));
    const missing = first.filter(({ key }) => !taken.has(key));
    return { kind: "map", entries: [...missing, ...rest] };
  });
}

const all = [...documentKinds.values()];
const main = all.filter(({ kind }) => kind === mainKind);
const others = all.filter(({ kind }) => kind !== mainKind);

/** Some kinds, the main one often among them. */
const someKinds = fc.uniqueArray(
  fc.oneof(fc.constantFrom(...main), fc.constantFrom(...others)),
  { minLength: 1, maxLength: 3 },
);

/** Documents of one file, no two of the same kind. */
export function anyDocuments(
  extras: Extras = {},
): fc.Arbitrary<readonly MapNode[]> {
  return someKinds.chain((kinds) =>
    fc.tuple(...kinds.map((kind) => anyDocument(kind, extras)))
  );
}

/**
 * Two files about the same things: few kinds, fields and words, so that they
 * have much in common.
 *
 * @param first What may occur in the first.
 * @param second What may occur in the second.
 */
export function arbitraryRelated(
  first: Extras = {},
  second: Extras = {},
): fc.Arbitrary<readonly [readonly MapNode[], readonly MapNode[]]> {
  return someKinds.chain((kinds) => fc.tuple(...kinds.map(thinKind)))
    .chain((kinds) =>
      fc.tuple(
        fc.tuple(...kinds.map((kind) => anyDocument(kind, first))),
        fc.tuple(...kinds.map((kind) => anyDocument(kind, second))),
      )
    );
}

function thinKind(kind: DocumentKind): fc.Arbitrary<DocumentKind> {
  return thinFields(kind.fields).map((fields) => ({ ...kind, fields }));
}

function thinFields(fields: Fields): fc.Arbitrary<Fields> {
  const all = Object.entries(fields);
  return fc.shuffledSubarray(all, { maxLength: Math.min(3, all.length) })
    .chain((some) =>
      fc.tuple(
        ...some.map(([key, field]) =>
          thin(field.shape).map((shape) => [key, { ...field, shape }] as const)
        ),
      )
    ).map(Object.fromEntries);
}

function thin(shape: Shape): fc.Arbitrary<Shape> {
  switch (shape.shape) {
    case "scalar":
      return fc.shuffledSubarray([...listSpellings(shape)], {
        minLength: 1,
        maxLength: Math.min(3, listSpellings(shape).length),
      }).map((some) => {
        const thinner = { ...shape };
        chosen.set(thinner, some);
        return thinner;
      });
    case "list":
    case "map":
      return thin(shape.of).map((of) => ({ ...shape, of }));
    case "struct":
      return thinFields(shape.fields).map((fields) => ({ ...shape, fields }));
    case "free":
      return fc.constant(shape);
  }
}
