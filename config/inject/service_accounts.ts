/** Service accounts of the node API for the pods in Kubernetes manifests. */

import { serviceAccount } from "../../dialect.ts";
import { ConfigError } from "../../errors.ts";
import type { Role } from "../../pki/roles.ts";
import type { Change } from "./change.ts";
import { countMarks, type Manifest, readManifest } from "./manifest.ts";
import { placeOf, unreadable } from "./place.ts";
import { accountNameOf, podChanges } from "./pod_changes.ts";
import { splice } from "./splice.ts";
import {
  joinStream,
  type Outcome,
  type Section,
  splitStream,
  trimEnd,
} from "./stream.ts";
import { isList, mapOf, valueAt, type ValueMap } from "./value.ts";
import {
  type ManifestObject,
  objectsOf,
  type Path,
  podPaths,
} from "./workload.ts";
import { blockLines, styleOf } from "./written_value.ts";

/** What to inject, and where the manifests are from. */
export interface InjectOptions {
  /** Name of the file for messages. */
  readonly file: string;
  /** Roles of the service accounts; not empty. */
  readonly roles: readonly Role[];
}

/** Manifests with service accounts. */
export interface Injected {
  /** The stream, with one line end at its end; empty when nothing was in it. */
  readonly text: string;
  /** What was not done and why, one line each. */
  readonly warnings: readonly string[];
}

/** A document with what was found in it. */
interface Part {
  readonly section: Section;
  /** True when it says nothing. */
  readonly empty: boolean;
  /** The document; kept only when it has pods. */
  readonly manifest: Manifest | undefined;
  /** Objects with a pod and a name. */
  readonly pods: readonly Pod[];
  /** Service accounts, by namespace and name. */
  readonly accounts: ReadonlyMap<string, Account>;
}

interface Pod {
  readonly object: ManifestObject;
  /** Name of the service account. */
  readonly account: string;
  readonly changes: readonly Change[];
}

interface Account {
  /** In alphabetical order, each once. */
  readonly roles: string;
  /** Name and place for messages. */
  readonly told: string;
}

interface Work {
  readonly options: InjectOptions;
  readonly eol: string;
  /** Service accounts that need not be made, by namespace and name. */
  readonly accounts: Map<string, Account>;
  readonly warnings: string[];
}

// Documents are read one after the other: one limits memory, the other time.
const markLimit = 300_000;
const totalMarkLimit = 1_000_000;

/**
 * Gives every pod in a stream of manifests a service account of the node API.
 *
 * Everything else stays as it is, character by character; doing it twice changes nothing more.
 *
 * @param stream YAML documents, JSON among them.
 * @param options Roles and the name of the file.
 * @throws {ConfigError} If a document cannot be read or changed; names its place.
 */
export function injectServiceAccounts(
  stream: string,
  options: InjectOptions,
): Injected {
  if (countMarks(stream) > totalMarkLimit) {
    throw new ConfigError(
      `Cannot read "${options.file}": it has too many keys and items`,
      { hint: "Give it in parts" },
    );
  }
  const eol = /\r?\n/.exec(stream)?.[0] ?? "\n";
  const work: Work = { options, eol, accounts: new Map(), warnings: [] };
  const parts = splitStream(trimEnd(stream, eol)).map((section) =>
    readPart(section, work)
  );
  for (const { accounts } of parts) {
    for (const [id, account] of accounts) work.accounts.set(id, account);
  }
  const outcomes = parts.map((part) => outcomeOf(part, work));
  if (
    work.warnings.length === 0 && parts.every(({ pods }) => pods.length === 0)
  ) {
    const types = [...podPaths.keys()].join(", ");
    work.warnings.push(`"${options.file}" holds none of ${types}`);
  }
  return { text: joinStream(outcomes, eol), warnings: work.warnings };
}

function readPart(section: Section, work: Work): Part {
  const { file } = work.options;
  const manifest = countMarks(section.text) > markLimit
    ? { fault: "it has too many keys and items", offset: undefined }
    : readManifest(section.text);
  if ("fault" in manifest) throw unreadable(file, section, manifest);
  const pods: Pod[] = [];
  const accounts = new Map<string, Account>();
  for (const object of objectsOf(manifest.value)) {
    const place = () => placeOf(object, manifest, section);
    const found = podChanges(object);
    if (found?.state === "known") {
      const account = accountNameOf(object.name ?? "");
      pods.push({ object, account, changes: found.changes });
    } else if (found !== undefined) {
      const { kind, name } = object;
      const told = name === undefined ? kind : `${kind} "${name}"`;
      work.warnings.push(
        `${told} in "${file}", ${place()}, stays as it is: ${found.fault}`,
      );
    } else if (isAccount(object) && object.name !== undefined) {
      accounts.set(idOf(object, object.name), {
        roles: rolesOf(object.value),
        told: `${object.kind} "${object.name}" in "${file}", ${place()},`,
      });
    }
  }
  return {
    section,
    empty: manifest.value === null,
    manifest: pods.length > 0 ? manifest : undefined,
    pods,
    accounts,
  };
}

function outcomeOf(part: Part, work: Work): Outcome {
  const { section, empty, manifest, pods } = part;
  if (manifest === undefined) return { text: section.text, empty, added: [] };
  const { eol, options } = work;
  const style = styleOf(manifest.document, eol);
  const missing = missingAccounts(pods, work);
  const added = missing.filter(({ list }) => list === undefined)
    .map(({ value }) => `${blockLines(value, 0, style).join(eol)}${eol}`);
  const changes = [
    ...pods.flatMap(({ changes }) => changes),
    ...listChanges(missing),
  ];
  if (changes.length === 0) return { text: section.text, empty, added };
  const spliced = splice(manifest, changes, eol);
  if (spliced === undefined) {
    throw unreadable(options.file, section, {
      fault: "no place was found for what has to be added",
      offset: manifest.document.contents?.range?.[0],
      hint: "Write it without anchors, tags and question marks for keys",
    });
  }
  if (spliced.rewritten) {
    const place = placeOf({ path: [] }, manifest, section);
    work.warnings.push(
      `"${options.file}", ${place}, is laid out anew without its aliases`,
    );
  }
  return { text: spliced.text, empty, added };
}

interface Missing {
  readonly value: ValueMap;
  /** List it joins; `undefined` for a document of its own. */
  readonly list: Path | undefined;
}

function missingAccounts(pods: readonly Pod[], work: Work): Missing[] {
  const { options, accounts, warnings } = work;
  const roles = [...options.roles].sort().join(", ");
  return pods.flatMap(({ object, account }) => {
    const id = idOf(object, account);
    const known = accounts.get(id);
    accounts.set(id, { roles, told: "" });
    if (known === undefined) {
      return [{
        value: accountOf(object, account, options),
        list: object.list,
      }];
    }
    if (known.roles !== roles) {
      warnings.push(`${known.told} keeps its roles: ${known.roles || "none"}`);
    }
    return [];
  });
}

function listChanges(missing: readonly Missing[]): Change[] {
  const byList = Map.groupBy(
    missing.filter(({ list }) => list !== undefined),
    ({ list }) => JSON.stringify(list),
  );
  return [...byList.values()].map((some) => ({
    path: some[0]?.list ?? [],
    key: "items",
    drop: [],
    add: some.map(({ value }) => value),
  }));
}

function accountOf(
  { namespace }: ManifestObject,
  name: string,
  { roles }: InjectOptions,
): ValueMap {
  return mapOf({
    apiVersion: serviceAccount.apiVersion,
    kind: serviceAccount.kind,
    metadata: mapOf({ name, namespace: namespace || undefined }),
    spec: mapOf({ roles }),
  });
}

function isAccount({ type }: ManifestObject): boolean {
  return type === `${serviceAccount.apiVersion}/${serviceAccount.kind}`;
}

function rolesOf(account: ValueMap): string {
  const roles = valueAt(account, ["spec", "roles"]);
  return isList(roles) ? [...new Set(roles.map(String))].sort().join(", ") : "";
}

function idOf({ namespace }: ManifestObject, name: string): string {
  return `${namespace}/${name}`;
}
