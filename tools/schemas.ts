/**
 * Compares the tables of machine configuration documents with the published JSON Schemas of OS releases, and reports
 * missing kinds, keys, types and words.
 *
 * `deno task schemas PATH…`, where PATH is a `config.schema.json` or a checkout of a release. Newer releases omit
 * deprecated keys; these are no difference if an older schema is given as well.
 */

import { join } from "node:path";
import { documentKinds } from "../config/documents/kinds.ts";
import { mainKind } from "../config/documents/load.ts";
import { isKnown } from "../config/documents/requirements.ts";
import { isOlderMinor } from "../lib/version.ts";
import type {
  DocumentKind,
  Field,
  Fields,
  OsVersion,
  ScalarShape,
  Shape,
} from "../config/documents/schema.ts";

/** Errors in published schemas, according to the sources of the releases. */
const errata: ReadonlyMap<string, string> = new Map([
  ["KubeSpanEndpoints", "is KubeSpanEndpointsConfig"],
  ["KubeSpanEndpointsConfig", "is KubeSpanEndpoints there"],
  ["UnattendedInstall", "is UnattendedInstallConfig"],
  ["UnattendedInstallConfig", "is UnattendedInstall there"],
  ["ImageVerificationConfig", "is left out"],
  ["v1alpha1.machine.type", "has no init, which nodes still accept"],
  ["v1alpha1.machine.acceptedCAs", "is a list"],
  ["v1alpha1.cluster.acceptedCAs", "is a list"],
  ["v1alpha1.machine.logging.destinations[].endpoint", "is a URL"],
  ["RegistryTLSConfig.clientIdentity.crt", "is cert, up to 1.13"],
  ["RegistryTLSConfig.clientIdentity.cert", "is crt there, up to 1.13"],
]);

/** Used part of JSON Schema. */
interface Published {
  readonly $id?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Published>>;
  readonly oneOf?: readonly Published[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Published;
  readonly properties?: Readonly<Record<string, Published>>;
  readonly patternProperties?: Readonly<Record<string, Published>>;
}

/** Schema of a release to compare. */
interface Release {
  readonly version: OsVersion;
  readonly schema: Published;
  /** Paths of keys in schemas of older releases. */
  readonly older: ReadonlySet<string>;
  /** Paths of keys in this one. */
  readonly paths: Set<string>;
}

/** A difference with its path. */
interface Difference {
  readonly path: string;
  readonly text: string;
}

/**
 * Finds differences between the tables and the schemas of releases.
 *
 * @param texts JSON Schemas whose `$id` has the version, `…/v1.14/…`.
 * @param kinds Kinds as the tables describe them.
 * @returns A line for each: version, path, and what differs.
 * @throws {Error} If a schema has no version or no documents.
 */
export function compareSchemas(
  texts: readonly string[],
  kinds: readonly DocumentKind[] = [...documentKinds.values()],
): readonly string[] {
  const schemas = texts.map((text): Published => JSON.parse(text))
    .map((schema) => ({ schema, version: readVersion(schema) }))
    .toSorted((a, b) => isOlderMinor(a.version, b.version) ? -1 : 1);
  const older = new Set<string>();
  return schemas.flatMap(({ schema, version }) => {
    const release = { version, schema, older, paths: new Set<string>() };
    const lines = [...compareKinds(release, kinds)].flatMap(({ path, text }) =>
      errata.has(path) ? [] : [`${version} ${path}: ${text}`]
    );
    for (const path of release.paths) older.add(path);
    return lines;
  });
}

function readVersion({ $id = "" }: Published): OsVersion {
  const [, major, minor] = /\/v(\d+)\.(\d+)\//.exec($id) ?? [];
  if (minor !== undefined) return `${Number(major)}.${Number(minor)}`;
  throw new Error(`Cannot find a version such as v1.14 in $id "${$id}"`);
}

function* compareKinds(
  release: Release,
  kinds: readonly DocumentKind[],
): Iterable<Difference> {
  const { schema, version } = release;
  const documents = new Map(
    (schema.oneOf ?? []).map((one) => resolve(one, release)).map((document) =>
      [readKind(document), document] as const
    ),
  );
  if (documents.size === 0) {
    throw new Error(`Cannot compare the schema of ${version}: it is empty`);
  }
  for (const [name, document] of documents) {
    const kind = kinds.find((one) => one.kind === name);
    if (kind === undefined || !isKnown(kind, version)) {
      yield missing(name, kind);
      continue;
    }
    const { apiVersion: _, kind: __, ...keys } = document.properties ?? {};
    yield* compareFields(keys, kind.fields, name, release);
  }
  for (const kind of kinds) {
    if (documents.has(kind.kind) || !isKnown(kind, version)) continue;
    yield superfluous(kind.kind);
  }
}

function readKind({ properties = {} }: Published): string {
  const [kind] = properties["kind"]?.enum ?? [];
  return typeof kind === "string" ? kind : mainKind;
}

function missing(
  path: string,
  known?: Partial<Pick<Field, "since" | "until">>,
): Difference {
  const { since, until } = known ?? {};
  const range = [since && `since ${since}`, until && `until ${until}`]
    .filter((part) => part).join(" ");
  const text = known === undefined
    ? "missing in the tables"
    : `in the tables ${range} only`;
  return { path, text };
}

function superfluous(path: string): Difference {
  return { path, text: "missing in the schema" };
}

function resolve(part: Published, { schema }: Release): Published {
  if (part.$ref === undefined) return part;
  const found = schema.$defs?.[part.$ref.replace("#/$defs/", "")];
  if (found !== undefined) return found;
  throw new Error(`Cannot compare the schema: it has no "${part.$ref}"`);
}

function* compareFields(
  keys: Readonly<Record<string, Published>>,
  fields: Fields,
  path: string,
  release: Release,
): Iterable<Difference> {
  const known = new Map(Object.entries(fields));
  for (const [key, part] of Object.entries(keys)) {
    const field = known.get(key);
    const place = `${path}.${key}`;
    release.paths.add(place);
    if (field === undefined || !isKnown(field, release.version)) {
      yield missing(place, field);
    } else yield* compareValue(part, field, field.shape, place, release);
  }
  for (const [key, field] of known) {
    const place = `${path}.${key}`;
    const isLeftOut = field.deprecated !== undefined ||
      release.older.has(place) || !isKnown(field, release.version);
    if (!Object.hasOwn(keys, key) && !isLeftOut) yield superfluous(place);
  }
}

function* compareValue(
  published: Published,
  field: Field,
  shape: Shape,
  path: string,
  release: Release,
): Iterable<Difference> {
  const part = resolve(published, release);
  if (shape.shape === "list") {
    const lone = shape.loneUntil;
    // Enums of lists are published like those of single values.
    const isSingle = part.enum !== undefined ||
      (lone !== undefined && isOlderMinor(release.version, lone));
    if (isSingle || part.type === "array") {
      const items = isSingle ? part : part.items ?? {};
      yield* compareValue(items, field, shape.of, `${path}[]`, release);
      return;
    }
  } else if (shape.shape === "scalar") {
    if (part.type !== "array" && part.type !== "object") {
      yield* compareWords(part, field, shape, path, release);
      return;
    }
  } else if (part.type === "object") {
    const { properties, patternProperties = {} } = part;
    if (shape.shape === "struct" && properties !== undefined) {
      yield* compareFields(properties, shape.fields, path, release);
    }
    const [value] = Object.values(patternProperties);
    if (shape.shape === "map" && value !== undefined) {
      yield* compareValue(value, field, shape.of, `${path}.*`, release);
    }
    return;
  }
  const type = part.type ?? "value";
  yield { path, text: `${type} in the schema, ${shape.shape} in the tables` };
}

function* compareWords(
  { enum: published }: Published,
  { newer = {} }: Field,
  { values = [], zero }: ScalarShape,
  path: string,
  { version }: Release,
): Iterable<Difference> {
  if (published === undefined) return;
  const words = published.map(String);
  const known = values.filter((word) => {
    const since = newer[word];
    return since === undefined || !isOlderMinor(version, since);
  });
  for (const word of words) {
    if (known.includes(word)) continue;
    yield { path, text: `"${word}" is missing in the tables` };
  }
  for (const word of known) {
    // Empty values are not published.
    if (words.includes(word) || word === zero.text) continue;
    yield { path, text: `"${word}" is missing in the schema` };
  }
}

async function readSchema(path: string): Promise<string> {
  const { isDirectory } = await Deno.stat(path);
  const file = "pkg/machinery/config/schemas/config.schema.json";
  return await Deno.readTextFile(isDirectory ? join(path, file) : path);
}

if (import.meta.main) {
  if (Deno.args.length === 0) {
    throw new Error("Give the config.schema.json or the checkout of a release");
  }
  const lines = compareSchemas(await Promise.all(Deno.args.map(readSchema)));
  if (lines.length > 0) throw new Error(`\n${lines.join("\n")}`);
}
