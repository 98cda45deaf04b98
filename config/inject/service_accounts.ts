/** Node API service accounts for the pods in Kubernetes manifests. */

import { isRecord } from "../../lib/json.ts";
import { isDeepStrictEqual } from "node:util";
import { serviceAccount } from "../../talos.ts";
import type { Role } from "../../pki/roles.ts";
import {
  changeLists,
  documentText,
  findLineEnd,
  formatPlace,
  joinManifests,
  type ListChange,
  type Manifest,
  type ManifestPath,
  type ManifestValue,
  readManifests,
} from "./manifests.ts";

/** Roles, and the source of the manifests. */
interface InjectOptions {
  /** File name for messages. */
  readonly file: string;
  /** Roles of the service accounts; not empty. */
  readonly roles: readonly Role[];
}

interface ManifestText {
  /** The stream, with one line end at its end; empty for an empty stream. */
  readonly text: string;
  /** Skipped changes with reasons, one line each. */
  readonly warnings: readonly string[];
}

type ManifestFields = Readonly<Record<string, unknown>>;

/** An object, from a document or from a list. */
interface AccountObject {
  /** Path in its document; empty for the document itself. */
  readonly path: ManifestPath;
  readonly value: ManifestFields;
  /** API version and kind, `apps/v1/Deployment`. */
  readonly type: string;
  readonly kind: string;
  /** `undefined` if missing or not text. */
  readonly name: string | undefined;
  /** Empty if missing. */
  readonly namespace: string;
  /** Path of the `v1/List` around it that accepts objects of any kind. */
  readonly list: ManifestPath | undefined;
}

interface Account {
  /** In alphabetical order, without duplicates. */
  readonly roles: string;
  /** Name and position for messages. */
  readonly label: string;
}

interface Injection {
  readonly options: InjectOptions;
  /** Existing service accounts by namespace and name. */
  readonly accounts: Map<string, Account>;
  readonly warnings: string[];
  pods: number;
}

const podPaths: ReadonlyMap<string, readonly string[]> = new Map([
  ["v1/Pod", ["spec"]],
  ["apps/v1/Deployment", ["spec", "template", "spec"]],
  ["apps/v1/StatefulSet", ["spec", "template", "spec"]],
  ["apps/v1/DaemonSet", ["spec", "template", "spec"]],
  ["batch/v1/Job", ["spec", "template", "spec"]],
  ["batch/v1/CronJob", ["spec", "jobTemplate", "spec", "template", "spec"]],
]);

const mount = {
  name: serviceAccount.volume,
  mountPath: serviceAccount.mountPath,
};

/**
 * Gives every pod in a stream of manifests a node API service account.
 *
 * Documents without pods stay unchanged, byte for byte; others keep comments, key order and
 * all other values. Idempotent.
 *
 * @param stream YAML documents, including JSON.
 * @throws {ConfigError} If a document cannot be read or changed; with its position.
 */
export function injectServiceAccounts(
  stream: string,
  options: InjectOptions,
): ManifestText {
  const manifests = readManifests(stream, options.file);
  const injection: Injection = {
    options,
    accounts: new Map(),
    warnings: [],
    pods: 0,
  };
  for (const manifest of manifests) {
    for (const object of objectsIn(manifest.value)) {
      addAccount(object, manifest, injection);
    }
  }
  const texts = manifests.map((manifest) => inject(manifest, injection));
  const { warnings, pods } = injection;
  if (warnings.length === 0 && pods === 0) {
    const types = [...podPaths.keys()].join(", ");
    warnings.push(`"${options.file}" contains none of ${types}`);
  }
  const text = joinManifests(manifests, texts, findLineEnd(stream));
  return { text, warnings };
}

function objectsIn(
  value: unknown,
  around: Partial<Pick<AccountObject, "path" | "list" | "kind">> & {
    readonly apiVersion?: string;
  } = {},
): AccountObject[] {
  if (!isRecord(value)) return [];
  const { path = [], list } = around;
  // Items of a typed list may omit their type.
  const apiVersion = readText(value, "apiVersion") ?? around.apiVersion;
  const kind = readText(value, "kind") ?? around.kind;
  if (apiVersion === undefined || kind === undefined) return [];
  const type = `${apiVersion}/${kind}`;
  if (kind.endsWith("List") && Array.isArray(value.items)) {
    const inner = type === "v1/List"
      ? { list: path }
      : { list, apiVersion, kind: kind.slice(0, -"List".length) };
    return value.items.flatMap((item, i) =>
      objectsIn(item, { ...inner, path: [...path, "items", i] })
    );
  }
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  const name = readText(metadata, "name");
  const namespace = readText(metadata, "namespace") ?? "";
  return [{ path, value, type, kind, name, namespace, list }];
}

function addAccount(
  object: AccountObject,
  manifest: Manifest,
  { options, accounts }: Injection,
): void {
  const { type, kind, name, path, value } = object;
  if (type !== `${serviceAccount.apiVersion}/${serviceAccount.kind}`) return;
  if (name === undefined) return;
  const roles = listIn(isRecord(value.spec) ? value.spec : {}, "roles");
  const place = formatPlace(manifest, path);
  accounts.set(formatId(object, name), {
    roles: [...new Set(roles.map(String))].sort().join(", "),
    label: `${kind} "${name}" in "${options.file}", ${place},`,
  });
}

/** Texts of a document and of additional ones. */
function inject(manifest: Manifest, injection: Injection): readonly string[] {
  const { options, warnings } = injection;
  const changes: ListChange[] = [];
  const documents: ManifestValue[] = [];
  const listed = new Map<
    string,
    { path: ManifestPath; append: ManifestValue[] }
  >();
  for (const object of objectsIn(manifest.value)) {
    const podPath = podPaths.get(object.type);
    if (podPath === undefined) continue;
    const pod = podPath.reduce<unknown>(
      (value, key) => isRecord(value) ? value[key] : undefined,
      object.value,
    );
    const fault = findFault(object, podPath.join("."), pod);
    if (fault !== undefined) {
      const { kind, name, path } = object;
      const label = name === undefined ? kind : `${kind} "${name}"`;
      const place = formatPlace(manifest, path);
      warnings.push(
        `${label} in "${options.file}", ${place}, is left unchanged: ${fault}`,
      );
      continue;
    }
    injection.pods++;
    changes.push(...podChanges(object, [...object.path, ...podPath], pod));
    const account = missingAccount(object, injection);
    if (account === undefined) continue;
    if (object.list === undefined) documents.push(account);
    else {
      const id = JSON.stringify(object.list);
      const list = listed.get(id) ?? { path: object.list, append: [] };
      list.append.push(account);
      listed.set(id, list);
    }
  }
  for (const list of listed.values()) {
    changes.push({ ...list, key: "items", remove: new Set() });
  }
  const added = documents.map((document) => documentText(manifest, document));
  if (changes.length === 0) return [manifest.text, ...added];
  const [text, expanded] = changeLists(manifest, changes);
  if (expanded) {
    const place = formatPlace(manifest, []);
    warnings.push(
      `"${options.file}", ${place}, is reformatted, and its aliases are expanded`,
    );
  }
  return [text, ...added];
}

/** Reason why a pod cannot be changed; no period. */
function findFault(
  { name, value }: AccountObject,
  podPath: string,
  pod: unknown,
): string | undefined {
  if (name === undefined) {
    const named = isRecord(value.metadata) ? value.metadata.name : undefined;
    return (named ?? "") === "" ? "it has no name" : "its name is not a string";
  }
  if (!isRecord(pod)) return `"${podPath}" is not a mapping`;
  for (const key of ["initContainers", "containers", "volumes"]) {
    if (!isListOrNothing(pod[key])) return `"${podPath}.${key}" is not a list`;
    for (const [i, item] of listIn(pod, key).entries()) {
      const place = `"${podPath}.${key}[${i}]`;
      if (!isRecord(item)) return `${place}" is not a mapping`;
      if (!isListOrNothing(item.volumeMounts)) {
        return `${place}.volumeMounts" is not a list`;
      }
    }
  }
  return undefined;
}

/** Volumes and mounts with our name are replaced and come last. Containers come first. */
function podChanges(
  { name = "" }: AccountObject,
  path: ManifestPath,
  pod: unknown,
): ListChange[] {
  if (!isRecord(pod)) return [];
  const mounts = ["initContainers", "containers"].flatMap((key) =>
    listIn(pod, key).flatMap((container, i) =>
      listChanges(container, [...path, key, i], "volumeMounts", mount)
    )
  );
  const volume = {
    name: serviceAccount.volume,
    secret: { secretName: accountName(name) },
  };
  return [...mounts, ...listChanges(pod, path, "volumes", volume)];
}

function listChanges(
  map: unknown,
  path: ManifestPath,
  key: string,
  item: { readonly [key: string]: ManifestValue },
): ListChange[] {
  const items = isRecord(map) ? listIn(map, key) : [];
  const ours = items.flatMap((one, i) =>
    isRecord(one) && one.name === item.name ? [i] : []
  );
  const done = ours.length === 1 && isDeepStrictEqual(items.at(-1), item);
  return done ? [] : [{ path, key, remove: new Set(ours), append: [item] }];
}

function missingAccount(
  object: AccountObject,
  { options, accounts, warnings }: Injection,
): ManifestValue | undefined {
  const name = accountName(object.name ?? "");
  const roles = options.roles.toSorted().join(", ");
  const known = accounts.get(formatId(object, name));
  accounts.set(formatId(object, name), { roles, label: "" });
  if (known !== undefined) {
    if (known.roles !== roles) {
      const own = known.roles || "none";
      warnings.push(`${known.label} keeps its roles: ${own}`);
    }
    return undefined;
  }
  const { namespace } = object;
  return {
    apiVersion: serviceAccount.apiVersion,
    kind: serviceAccount.kind,
    metadata: namespace === "" ? { name } : { name, namespace },
    spec: { roles: options.roles },
  };
}

/** Name of an object's service account and of its secret. */
function accountName(name: string): string {
  return `${name}-${serviceAccount.volume}`;
}

function formatId({ namespace }: AccountObject, name: string): string {
  return `${namespace}/${name}`;
}

function listIn(map: ManifestFields, key: string): readonly unknown[] {
  const value = map[key];
  return Array.isArray(value) ? value : [];
}

function isListOrNothing(value: unknown): boolean {
  return (value ?? null) === null || Array.isArray(value);
}

function readText(map: ManifestFields, key: string): string | undefined {
  const text = map[key];
  return typeof text === "string" && text !== "" ? text : undefined;
}
