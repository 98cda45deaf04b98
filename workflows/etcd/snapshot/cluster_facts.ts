/** What a snapshot says of its cluster: members, versions, how far it got. */

import type { BlockFile } from "./block_file.ts";
import { damagedElement } from "./elements.ts";
import type { Entries, Entry } from "./entries.ts";
import { revisionAt } from "./key_value.ts";

/** One member, as it was when the snapshot was taken. */
export interface SnapshotMember {
  /** 16 hexadecimal digits. */
  readonly id: string;
  /** Name it goes by; empty while it has not started. */
  readonly name: string;
  /** Where the other members reach it. */
  readonly peerUrls: readonly string[];
  /** Where clients reach it. */
  readonly clientUrls: readonly string[];
  /** True when it does not vote yet. */
  readonly learner: boolean;
}

/** What a snapshot says of its cluster. */
export interface ClusterFacts {
  /** Members in the order of their ids as the database has them. */
  readonly members: readonly SnapshotMember[];
  /** Ids of members that were removed, 16 hexadecimal digits each. */
  readonly removed: readonly string[];
  /** Version all members understand: `3.6.0`; null when it is not kept. */
  readonly clusterVersion: string | null;
  /** Version of the database's layout, from etcd 3.6 on; null before. */
  readonly storageVersion: string | null;
  /** Last entry of the raft log that is in the database; null when it is not kept. */
  readonly consistentIndex: number | null;
  /** Raft term of that entry, from etcd 3.5 on; null before. */
  readonly term: number | null;
  /** Revision before which history is gone; null when it was never compacted. */
  readonly compactRevision: number | null;
}

/** Buckets that {@linkcode clusterFacts} reads. */
export const factBuckets: readonly string[] = [
  "members",
  "members_removed",
  "cluster",
  "meta",
];

/**
 * Reads what a snapshot says of its cluster.
 *
 * @param file The database.
 * @param entries Entries of {@linkcode factBuckets}.
 * @throws {OsctlError} If an entry cannot be understood.
 */
export function clusterFacts(
  file: BlockFile,
  { kept }: Entries,
): ClusterFacts {
  function entry<T>(
    bucket: string,
    key: string,
    parse: (entry: Entry) => T | undefined,
  ): T | null {
    const found = kept.get(bucket)?.find((one) => one.key === key);
    if (found === undefined || found.value.length === 0) return null;
    return understood(file, found, parse(found));
  }

  return {
    members: (kept.get("members") ?? []).map((one) =>
      understood(file, one, memberOf(one))
    ),
    removed: (kept.get("members_removed") ?? []).map((one) =>
      understood(file, one, idOf(one.key))
    ),
    clusterVersion: entry("cluster", "clusterVersion", versionOf),
    storageVersion: entry("meta", "storageVersion", versionOf),
    consistentIndex: entry("meta", "consistent_index", numberOf),
    term: entry("meta", "term", numberOf),
    compactRevision: entry(
      "meta",
      "finishedCompactRev",
      ({ element }) => revisionAt(file, element.value)?.main,
    ),
  };
}

function understood<T>(
  file: BlockFile,
  { element, key }: Entry,
  value: T | undefined,
): T {
  if (value !== undefined) return value;
  throw damagedElement(
    file,
    element,
    `the value of "${key}" cannot be understood`,
  );
}

function idOf(key: string): string | undefined {
  return /^[0-9a-f]{1,16}$/.test(key) ? key.padStart(16, "0") : undefined;
}

/** The id comes from the key: as a number it is too large for JSON. */
function memberOf({ key, value }: Entry): SnapshotMember | undefined {
  const id = idOf(key);
  const told = jsonOf(value);
  if (id === undefined || typeof told !== "object" || told === null) {
    return undefined;
  }
  const { name = "", peerURLs, clientURLs, isLearner = false } = told as Record<
    string,
    unknown
  >;
  const [peerUrls, clientUrls] = [textsOf(peerURLs), textsOf(clientURLs)];
  if (
    typeof name !== "string" || peerUrls === undefined ||
    clientUrls === undefined
  ) return undefined;
  return { id, name, peerUrls, clientUrls, learner: isLearner === true };
}

function jsonOf(value: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(value));
  } catch {
    return undefined;
  }
}

/** A list that was empty is left out or null. */
function textsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  const texts = Array.isArray(value) ? value : [undefined];
  return texts.every((text) => typeof text === "string") ? texts : undefined;
}

function versionOf({ value }: Entry): string | undefined {
  const text = new TextDecoder().decode(value);
  return /^\d{1,9}\.\d{1,9}\.\d{1,9}[-+.\w]{0,40}$/.test(text)
    ? text
    : undefined;
}

function numberOf({ value }: Entry): number | undefined {
  return value.length === 8
    ? Number(new DataView(value.buffer).getBigUint64(0))
    : undefined;
}
