/** Verifies an etcd snapshot and reads its contents. */

import { createHash } from "node:crypto";
import { OsctlError } from "../../../errors.ts";
import {
  type BoltElement,
  type Bucket,
  buckets,
  claimFreePages,
  type Database,
  firstLostPage,
  openDatabase,
} from "../../../lib/bolt/bolt.ts";
import {
  clusterFacts,
  factBuckets,
  type KeyEntry,
  type SnapshotFacts,
} from "./cluster_facts.ts";
import { crc32c } from "../../../lib/crc32c.ts";
import { keyWithin, LiveKeys, revisionIn } from "./key_value.ts";
import {
  type BoltSource,
  damagedError,
} from "../../../lib/bolt/bolt_source.ts";
import {
  openRegular,
  type OpenSnapshot,
  openSnapshot,
  readPieces,
} from "./open_file.ts";

const keyBucket = "key";

/** Length of the SHA-256 trailer of a snapshot, in bytes. */
const trailerSize = 32;

/** Database sizes are multiples of this, in bytes; the remainder is the trailer. */
const sectorSize = 512;

/** Work between two yields to other tasks, in bytes. */
const stretch = 8 * 1024 * 1024;

/** Maximum size of the kept cluster facts, in bytes. */
const mostFacts = 1024 * 1024;

/** Status of a valid snapshot. */
export interface SnapshotStatus extends SnapshotFacts {
  readonly fileSize: number;
  /** State of the SHA-256 trailer; copies of a data directory have none. */
  readonly trailer: "valid" | "absent";
  /** CRC-32C of bucket names, keys and values, 8 hexadecimal digits; same as `etcdctl snapshot status`. */
  readonly hash: string;
  /** Last revision, 0 for an empty database. */
  readonly revision: number;
  /** Number of live keys; `totalKey` of `etcdutl` since 3.6. Null when there are too many to count. */
  readonly totalKeys: number | null;
  /** Entries of all buckets, one per revision; `totalKey` of `etcdctl` up to 3.5. */
  readonly totalEntries: number;
  /** Size of the database in bytes. */
  readonly totalSize: number;
  /** Harmless problems: `page 1: …` when the other meta page is used instead. */
  readonly warnings: readonly string[];
}

/**
 * Verifies a snapshot: its trailer, then every page of its database.
 *
 * @param path The file; any size.
 * @param subject Subject of messages; default by its path.
 * @throws {OsctlError} If it is damaged; names the page and the problem.
 * @throws {ConfigError} If the file cannot be read.
 */
export async function verifySnapshot(
  path: string,
  signal: AbortSignal,
  subject: string = `Snapshot "${path}"`,
): Promise<SnapshotStatus> {
  const { file, size } = await openRegular(path);
  try {
    const opened = { file, path, size, subject, hint: nextStep("absent") };
    const trailer = await readTrailer(openSnapshot(opened), signal);
    const snapshot = openSnapshot({
      ...opened,
      size: trailer.state === "absent" ? size : size - trailerSize,
      hint: nextStep(trailer.state),
    });
    const database = openDatabase(snapshot);
    checkEnd(database, trailer);
    const content = await readDatabase(database, signal);
    const { broken } = database;
    return {
      fileSize: size,
      trailer: trustedState(database, trailer),
      ...content,
      warnings: broken === undefined ? [] : [broken],
    };
  } finally {
    file.close();
  }
}

/** State of the SHA-256 trailer; hexadecimal. */
type Trailer =
  | { readonly state: "absent" | "valid" }
  | { readonly state: "wrong"; readonly said: string; readonly actual: string };

async function readTrailer(
  snapshot: OpenSnapshot,
  signal: AbortSignal,
): Promise<Trailer> {
  const { file, path, size } = snapshot;
  if (size % sectorSize !== trailerSize) return { state: "absent" };
  const hash = createHash("sha256");
  let left = size - trailerSize;
  for await (const bytes of readPieces(file, path, signal)) {
    hash.update(bytes.subarray(0, left));
    left = Math.max(0, left - bytes.length);
  }
  const end = snapshot.read(size - trailerSize, trailerSize);
  const said = new Uint8Array(end.buffer).toHex();
  const actual = hash.digest("hex");
  return said === actual
    ? { state: "valid" }
    : { state: "wrong", said, actual };
}

function nextStep(state: Trailer["state"]): string {
  if (state === "valid") {
    return "It was already damaged on the node: take a snapshot of another member";
  }
  return state === "wrong"
    ? "It was damaged after it left the node: copy it again, or take another snapshot"
    : "Take another snapshot";
}

function checkEnd({ source, meta }: Database, { state }: Trailer): void {
  if (state !== "absent" || source.size % meta.pageSize === 0) return;
  const over = source.size - meta.pages * meta.pageSize;
  throw damagedError(
    source,
    over < trailerSize
      ? `it is truncated: only ${over} of ${trailerSize} bytes of its trailer are left`
      : `${over} bytes after its last page are neither pages nor a trailer`,
  );
}

function trustedState(
  { source, broken }: Database,
  trailer: Trailer,
): "valid" | "absent" {
  if (trailer.state !== "wrong") return trailer.state;
  const where = broken === undefined ? "" : `; ${broken}`;
  throw damagedError(
    source,
    `its SHA-256 is ${trailer.actual}, its trailer has ${trailer.said}${where}`,
  );
}

interface SnapshotContent {
  hash: number;
  revision: number;
  totalEntries: number;
  readonly liveKeys: LiveKeys;
  /** Entries of small buckets; has a key for every bucket. */
  readonly entries: Map<string, KeyEntry[]>;
  /** Total size of those entries, in bytes. */
  entriesSize: number;
}

async function readDatabase(database: Database, signal: AbortSignal) {
  const { source, meta } = database;
  const content: SnapshotContent = {
    hash: 0,
    revision: 0,
    totalEntries: 0,
    liveKeys: new LiveKeys(),
    entries: new Map(),
    entriesSize: 0,
  };
  claimFreePages(database);
  let done = 0;
  for (const bucket of buckets(database)) {
    for (const size of readBucket(source, bucket, content)) {
      done += size;
      if (done < stretch) continue;
      done = 0;
      await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
    }
  }
  if (!content.entries.has(keyBucket)) {
    throw new OsctlError(
      `${source.subject} is a bolt database but not an etcd one: it has no bucket "${keyBucket}"`,
    );
  }
  const lost = firstLostPage(database);
  if (lost !== undefined) {
    throw damagedError(source, `page ${lost}: it is neither used nor free`);
  }
  return {
    hash: content.hash.toString(16).padStart(8, "0"),
    revision: content.revision,
    totalEntries: content.totalEntries,
    totalKeys: content.liveKeys.count,
    totalSize: meta.pages * meta.pageSize,
    ...clusterFacts(source, content.entries),
  };
}

/** Reads a bucket page by page; yields the bytes read. */
function* readBucket(
  source: BoltSource,
  { name, pages }: Bucket,
  content: SnapshotContent,
): Generator<number> {
  const bucket = decodeText(name);
  const entries: KeyEntry[] = [];
  content.entries.set(bucket, entries);
  content.hash = crc32c(name, content.hash);
  for (const page of pages) {
    for (const element of page.elements) {
      const { where, key, value } = element;
      if (element.bucket) {
        throw damagedError(source, `${where}: it is a bucket within a bucket`);
      }
      if (bucket === keyBucket) readRevision(source, element, content);
      if (!factBuckets.includes(bucket)) continue;
      content.entriesSize += key.length + value.length;
      if (content.entriesSize > mostFacts) {
        throw damagedError(source, `${where}: bucket "${bucket}" is too large`);
      }
      entries.push({ where, key: decodeText(key), value });
    }
    content.hash = crc32c(page.content, content.hash);
    content.totalEntries += page.elements.length;
    yield page.size;
  }
}

function readRevision(
  source: BoltSource,
  { where, key, value }: BoltElement,
  content: SnapshotContent,
): void {
  const revision = revisionIn(key);
  if (revision === undefined) {
    throw damagedError(source, `${where}: its key is not a revision`);
  }
  const written = keyWithin(value);
  if (written === undefined) {
    throw damagedError(
      source,
      `${where}: its value is not an etcd key-value pair`,
    );
  }
  content.revision = revision.main;
  content.liveKeys.change(written, revision.deleted);
}

function decodeText(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 100));
}
