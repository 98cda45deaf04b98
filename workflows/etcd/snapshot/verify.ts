/** Whether a snapshot of etcd is whole, and what is in it. */

import { OsctlError } from "../../../errors.ts";
import { BlockFile, openRegular } from "./block_file.ts";
import {
  type ClusterFacts,
  clusterFacts,
  factBuckets,
} from "./cluster_facts.ts";
import { crc32c } from "./crc32c.ts";
import { damaged } from "./damage.ts";
import { type Database, firstLost, openDatabase } from "./database.ts";
import {
  damagedElement,
  eachLeafElement,
  type LeafElement,
} from "./elements.ts";
import { type Entries, keep, noEntries } from "./entries.ts";
import { claimFreePages } from "./freelist.ts";
import { startOrder } from "./key_order.ts";
import { keyWithin, revisionAt } from "./key_value.ts";
import { type LiveKeys, noKeys, tell } from "./live_keys.ts";
import { checkTrailer, type Trailer, trailerSize } from "./trailer.ts";
import { type Bucket, buckets, leafPages } from "./tree.ts";

/** Bucket with all revisions. */
const keyBucket = "key";

/** Work between two pauses for other tasks, in bytes. */
const stretch = 8 * 1024 * 1024;

/** A snapshot that is whole. */
export interface SnapshotStatus extends ClusterFacts {
  /** Size of the file in bytes. */
  readonly fileSize: number;
  /** Whether its SHA-256 stands at its end; absent from copies of a data directory. */
  readonly trailer: "valid" | "absent";
  /** CRC-32C of names of buckets, keys and values, 8 hexadecimal digits; as `etcdctl snapshot status` has it. */
  readonly hash: string;
  /** Last revision, 0 when nothing was ever written. */
  readonly revision: number;
  /** Entries of all buckets, each revision one; `totalKey` of `etcdctl` up to 3.5. */
  readonly totalKeys: number;
  /** Keys that exist; `totalKey` of `etcdutl` from 3.6 on. Null when there are too many to keep count. */
  readonly liveKeys: number | null;
  /** Size of the database in bytes. */
  readonly totalSize: number;
  /** Faults that take nothing away: `page 1: …` when the other meta page stands in for it. */
  readonly warnings: readonly string[];
}

/**
 * Reads a snapshot as a whole: its trailer, then every page of its database.
 *
 * @param path The file; it may be of any size.
 * @param signal Stops reading.
 * @param subject What it is called at the start of a message; default by its path.
 * @throws {OsctlError} If it is damaged; names the page and what is wrong with it.
 * @throws {ConfigError} If the file may not be read.
 */
export async function verifySnapshot(
  path: string,
  signal: AbortSignal,
  subject: string = `Snapshot "${path}"`,
): Promise<SnapshotStatus> {
  const { file, size } = await openRegular(path);
  try {
    const trailer = await checkTrailer({ file, path, size }, signal);
    const content = trailer.state === "absent" ? size : size - trailerSize;
    const source = { path, subject, hint: nextStep(trailer) };
    const bytes = new BlockFile(file, content, source);
    const database = openDatabase(bytes);
    checkEnd(database, trailer);
    const read = await readDatabase(database, signal);
    const { broken } = database;
    return {
      fileSize: size,
      trailer: vouched(database, trailer),
      ...read,
      warnings: broken === undefined ? [] : [broken],
    };
  } finally {
    file.close();
  }
}

function nextStep({ state }: Trailer): string {
  if (state === "valid") {
    return "It left its node like this: take a snapshot of another member";
  }
  return state === "wrong"
    ? "It was changed after it had left its node: copy it again, or take another"
    : "Take another snapshot";
}

/** A file without trailer ends with a page. */
function checkEnd({ file, meta }: Database, { state }: Trailer): void {
  if (state !== "absent" || file.size % meta.pageSize === 0) return;
  const over = file.size - meta.pages * meta.pageSize;
  throw damaged(
    file.source,
    over < trailerSize
      ? `it is cut short: ${over} of ${trailerSize} bytes of its trailer are there`
      : `${over} bytes after its last page are neither pages nor a trailer`,
  );
}

/** What the trailer says of pages that are well. */
function vouched(
  { file, broken }: Database,
  trailer: Trailer,
): "valid" | "absent" {
  if (trailer.state !== "wrong") return trailer.state;
  const where = broken === undefined ? "" : `; ${broken}`;
  throw damaged(
    file.source,
    `its SHA-256 is ${trailer.actual}, its trailer says ${trailer.said}${where}`,
  );
}

/** What was found so far. */
interface Found {
  hash: number;
  revision: number;
  totalKeys: number;
  readonly names: Set<string>;
  readonly keys: LiveKeys;
  readonly entries: Entries;
}

async function readDatabase(database: Database, signal: AbortSignal) {
  const { file, meta } = database;
  const found: Found = {
    hash: 0,
    revision: 0,
    totalKeys: 0,
    names: new Set(),
    keys: noKeys(),
    entries: noEntries(),
  };
  claimFreePages(database);
  let done = 0;
  for (const bucket of buckets(database)) {
    for (const size of readBucket(database, bucket, found)) {
      done += size;
      if (done < stretch) continue;
      done = 0;
      await turn(signal);
    }
  }
  checkWhole(database, found);
  return {
    hash: found.hash.toString(16).padStart(8, "0"),
    revision: found.revision,
    totalKeys: found.totalKeys,
    liveKeys: found.keys.count ?? null,
    totalSize: meta.pages * meta.pageSize,
    ...clusterFacts(file, found.entries),
  };
}

/** Reads a bucket page by page; yields how many bytes that were. */
function* readBucket(
  database: Database,
  bucket: Bucket,
  found: Found,
): Generator<number> {
  const { file } = database;
  const { name, element: { key } } = bucket;
  const order = startOrder();
  const add = (bytes: DataView, from: number, to: number) => {
    found.hash = crc32c(bytes, from, to, found.hash);
  };
  found.names.add(name);
  file.each(key.at, key.end - key.at, add);
  for (const page of leafPages(database, bucket, order)) {
    const { at, end } = eachLeafElement(file, page, order, (element) => {
      if (element.bucket) {
        throw damagedElement(file, element, "it is a bucket within a bucket");
      }
      if (name === keyBucket) readRevision(file, element, found);
      else if (factBuckets.includes(name)) {
        keep(found.entries, file, name, element);
      }
    });
    file.each(at, end - at, add);
    found.totalKeys += page.count;
    yield page.end - page.at;
  }
}

function readRevision(
  file: BlockFile,
  element: LeafElement,
  found: Found,
): void {
  const revision = revisionAt(file, element.key);
  if (revision === undefined) {
    throw damagedElement(file, element, "its key is no revision");
  }
  const written = keyWithin(file, element.value);
  if (written === undefined) {
    throw damagedElement(file, element, "its value is no key with its value");
  }
  tell(found.keys, file, written, !revision.deleted);
  found.revision = revision.main;
}

function checkWhole(database: Database, { names }: Found): void {
  const { file: { source }, meta } = database;
  if (!names.has(keyBucket)) {
    throw new OsctlError(
      `${source.subject} is a database, but not of etcd, which has a bucket "${keyBucket}"`,
    );
  }
  if (meta.freelist === undefined) return;
  const lost = firstLost(database);
  if (lost !== undefined) {
    throw damaged(source, `page ${lost}: it is neither used nor free`);
  }
}

/** Lets timers and signals have their turn. */
async function turn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  signal.throwIfAborted();
}
