/** Facts about the cluster in a snapshot: members, versions, progress. */

import { parseJson } from "../../../lib/json.ts";
import { revisionIn } from "./key_value.ts";
import {
  type BoltSource,
  damagedError,
} from "../../../lib/bolt/bolt_source.ts";

/** A key and value of a small bucket that is kept in memory. */
export interface KeyEntry {
  /** Location in messages: `page 17: element 3`. */
  readonly where: string;
  /** The key, one character for each byte. */
  readonly key: string;
  readonly value: Uint8Array<ArrayBuffer>;
}

interface SnapshotMember {
  readonly id: string;
  /** Name; empty until it has started. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  /** True while it does not vote. */
  readonly learner: boolean;
}

/** Facts about the cluster in a snapshot. */
export interface SnapshotFacts {
  /** Members in the order of their ids in the database. */
  readonly members: readonly SnapshotMember[];
  /** Ids of removed members, 16 hexadecimal digits each. */
  readonly removed: readonly string[];
  /** Version all members understand: `3.6.0`; null if not stored. */
  readonly clusterVersion: string | null;
  /** Version of the storage schema, from etcd 3.6 on; null before. */
  readonly storageVersion: string | null;
  /** Last raft log entry in the database; null if not stored. */
  readonly consistentIndex: number | null;
  /** Raft term of that entry, from etcd 3.5 on; null before. */
  readonly term: number | null;
  /** Compacted revision; null if never compacted. */
  readonly compactRevision: number | null;
}

/** Buckets read by {@linkcode clusterFacts}. */
export const factBuckets: readonly string[] = [
  "members",
  "members_removed",
  "cluster",
  "meta",
];

/**
 * Reads the facts about the cluster.
 *
 * @param entries Entries of {@linkcode factBuckets}, by bucket.
 * @throws {OsctlError} If an entry cannot be decoded.
 */
export function clusterFacts(
  snapshot: BoltSource,
  entries: ReadonlyMap<string, readonly KeyEntry[]>,
): SnapshotFacts {
  function parseEntry<T>(
    entry: KeyEntry,
    parse: (entry: KeyEntry) => T | undefined,
  ): T {
    const value = parse(entry);
    if (value !== undefined) return value;
    const { where, key } = entry;
    throw damagedError(
      snapshot,
      `${where}: the value of "${key}" cannot be decoded`,
    );
  }

  function each<T>(bucket: string, parse: (entry: KeyEntry) => T | undefined) {
    return (entries.get(bucket) ?? []).map((entry) => parseEntry(entry, parse));
  }

  function one<T>(
    bucket: string,
    key: string,
    parse: (entry: KeyEntry) => T | undefined,
  ): T | null {
    const found = entries.get(bucket)?.find((entry) => entry.key === key);
    if (found === undefined || found.value.length === 0) return null;
    return parseEntry(found, parse);
  }

  return {
    members: each("members", readMember),
    removed: each("members_removed", ({ key }) => parseId(key)),
    clusterVersion: one("cluster", "clusterVersion", readVersion),
    storageVersion: one("meta", "storageVersion", readVersion),
    consistentIndex: one("meta", "consistent_index", readNumber),
    term: one("meta", "term", readNumber),
    compactRevision: one(
      "meta",
      "finishedCompactRev",
      ({ value }) => revisionIn(value)?.main,
    ),
  };
}

function parseId(key: string): string | undefined {
  return /^[0-9a-f]{1,16}$/.test(key) ? key.padStart(16, "0") : undefined;
}

/** The id comes from the key: as a number it exceeds JSON's precision. */
function readMember({ key, value }: KeyEntry): SnapshotMember | undefined {
  const id = parseId(key);
  const json = decodeJson(value);
  if (id === undefined || typeof json !== "object" || json === null) {
    return undefined;
  }
  const { name = "", peerURLs, clientURLs, isLearner = false } = json as Record<
    string,
    unknown
  >;
  const [peerUrls, clientUrls] = [readTexts(peerURLs), readTexts(clientURLs)];
  if (
    typeof name !== "string" || peerUrls === undefined ||
    clientUrls === undefined
  ) return undefined;
  return { id, name, peerUrls, clientUrls, learner: isLearner === true };
}

function decodeJson(value: Uint8Array): unknown {
  return parseJson(new TextDecoder().decode(value));
}

/** An empty list is omitted or null. */
function readTexts(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  const texts = Array.isArray(value) ? value : [undefined];
  return texts.every((text) => typeof text === "string") ? texts : undefined;
}

function readVersion({ value }: KeyEntry): string | undefined {
  const text = new TextDecoder().decode(value);
  return /^\d{1,9}\.\d{1,9}\.\d{1,9}[-+.\w]{0,40}$/.test(text)
    ? text
    : undefined;
}

function readNumber({ value }: KeyEntry): number | undefined {
  return value.length === 8
    ? Number(new DataView(value.buffer, value.byteOffset).getBigUint64(0))
    : undefined;
}
