/** Contents of a modelled etcd: Kubernetes keys, their history and snapshots. */

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { sameBytes } from "../../pki/der.ts";
import { OsctlError } from "../../errors.ts";
import { buckets, openDatabase } from "../../lib/bolt/bolt.ts";
import { type BoltBuckets, type BoltPair, writeBolt } from "./write_bolt.ts";
import type { SimulatedMember } from "../state/etcd.ts";
import { EtcdError } from "./etcd_error.ts";

/** etcd database: every key at every revision. */
export interface EtcdDatabase {
  readonly revision: bigint;
  /** Pairs of the bucket `key`, oldest first. */
  readonly history: readonly BoltPair[];
}

/** Cluster metadata in the database of a member. */
export interface DatabaseMeta {
  readonly members: readonly SimulatedMember[];
  /** Version of the cluster: `3.6.0`. */
  readonly version: string;
  /** Index of the last applied change. */
  readonly index: bigint;
  readonly term: bigint;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Creates the database of a new Kubernetes cluster. */
export function newDatabase(name: string): EtcdDatabase {
  const namespaces = [
    "default",
    "kube-node-lease",
    "kube-public",
    "kube-system",
  ];
  const keys = [
    ...namespaces.map((one) => `namespaces/${one}`),
    ...namespaces.map((one) => `serviceaccounts/${one}/default`),
    ...namespaces.map((one) => `configmaps/${one}/kube-root-ca.crt`),
    "services/specs/default/kubernetes",
    "services/endpoints/default/kubernetes",
    "daemonsets/kube-system/kube-flannel",
    "daemonsets/kube-system/kube-proxy",
    "deployments/kube-system/coredns",
  ];
  return keys.reduce(
    (database, key) =>
      putKey(
        database,
        `/registry/${key}`,
        JSON.stringify({ key, cluster: name }),
      ),
    { revision: 1n, history: [] } as EtcdDatabase,
  );
}

/** Sets the value of a key. */
export function putKey(
  { revision, history }: EtcdDatabase,
  key: string,
  value: string,
): EtcdDatabase {
  const next = revision + 1n;
  const record = new BinaryWriter()
    .uint32(10).bytes(encoder.encode(key))
    .uint32(16).int64(next) // created
    .uint32(24).int64(next) // changed
    .uint32(32).int64(1) // version
    .uint32(42).bytes(encoder.encode(value))
    .finish();
  return { revision: next, history: [...history, [revisionKey(next), record]] };
}

/** Writes a snapshot of a member: the database followed by its SHA-256 checksum. */
export async function writeSnapshot(
  database: EtcdDatabase,
  place: DatabaseMeta,
): Promise<Uint8Array> {
  const file = databaseFile(database, place);
  const sum = await crypto.subtle.digest("SHA-256", file);
  const snapshot = new Uint8Array(file.length + sum.byteLength);
  snapshot.set(file);
  snapshot.set(new Uint8Array(sum), file.length);
  return snapshot;
}

/** Writes the database file of a member. */
export function databaseFile(
  { history }: EtcdDatabase,
  { members, version, index, term }: DatabaseMeta,
): Uint8Array<ArrayBuffer> {
  const buckets: BoltBuckets = new Map([
    ["alarm", []],
    ["auth", [pair("authRevision", bigEndian(1n))]],
    ["authRoles", []],
    ["authUsers", []],
    ["cluster", [pair("clusterVersion", encoder.encode(version))]],
    ["key", history],
    ["lease", []],
    ["members", members.map(memberPair)],
    ["members_removed", []],
    ["meta", [
      pair("consistent_index", bigEndian(index)),
      pair("storageVersion", encoder.encode(version)),
      pair("term", bigEndian(term)),
    ]],
  ]);
  return writeBolt(buckets);
}

/**
 * Reads a snapshot.
 *
 * @param skipHashCheck Accepts a wrong or missing checksum.
 * @throws {EtcdError} In the words of the nodes' snapshot tool.
 */
export async function readSnapshot(
  snapshot: Uint8Array<ArrayBuffer>,
  skipHashCheck: boolean,
): Promise<EtcdDatabase> {
  const hasSum = snapshot.length % 512 === sumLength;
  const file = hasSum ? snapshot.subarray(0, -sumLength) : snapshot;
  const history = historyIn(file);
  if (!skipHashCheck) await checkSum(file, snapshot, hasSum);
  const last = history.at(-1)?.[0];
  const revision = last === undefined
    ? 1n
    : new DataView(last.buffer, last.byteOffset).getBigUint64(0);
  return { revision, history };
}

function historyIn(file: Uint8Array<ArrayBuffer>): readonly BoltPair[] {
  const { buffer, byteOffset, length: size } = file;
  const source = {
    size,
    subject: "Snapshot",
    hint: "",
    read: (at: number, length: number) =>
      new DataView(buffer, byteOffset + at, length),
  };
  try {
    for (const { name, pages } of buckets(openDatabase(source))) {
      if (decoder.decode(name) !== "key") continue;
      return [...pages].flatMap(({ elements }) =>
        elements.map(({ key, value }): BoltPair => [key.slice(), value.slice()])
      );
    }
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    throw verifyError("invalid database");
  }
  throw verifyError("snapshot has no keys");
}

function verifyError(why: string): EtcdError {
  return new EtcdError(`error verifying snapshot: ${why}`);
}

const sumLength = 32;

async function checkSum(
  file: Uint8Array<ArrayBuffer>,
  snapshot: Uint8Array,
  hasSum: boolean,
): Promise<void> {
  if (!hasSum) {
    throw restoreError("snapshot missing hash but --skip-hash-check=false");
  }
  const said = snapshot.subarray(-sumLength);
  const actual = new Uint8Array(await crypto.subtle.digest("SHA-256", file));
  if (sameBytes(said, actual)) return;
  throw restoreError(
    `expected sha256 [${said.join(" ")}], got [${actual.join(" ")}]`,
  );
}

function restoreError(why: string): EtcdError {
  return new EtcdError(`error recovering from the snapshot: ${why}`);
}

const revisionLength = 17;

/** Main and sub revision with `_` between. */
function revisionKey(revision: bigint): Uint8Array {
  const key = new Uint8Array(revisionLength);
  new DataView(key.buffer).setBigUint64(0, revision);
  key[8] = 0x5f;
  return key;
}

function memberPair(
  { id, name, peerUrls, clientUrls, isLearner }: SimulatedMember,
): BoltPair {
  const text = JSON.stringify({
    peerURLs: peerUrls,
    ...(isLearner ? { isLearner } : {}),
    name,
    clientURLs: clientUrls,
  });
  // The ID exceeds the range of JavaScript numbers.
  const value = encoder.encode(`{"id":${id},${text.slice(1)}`);
  return pair(memberIdText(id), value);
}

/** Formats a member ID like Talos and etcd: 16 hexadecimal digits. */
export function memberIdText(id: bigint): string {
  return id.toString(16).padStart(16, "0");
}

function pair(key: string, value: Uint8Array): BoltPair {
  return [encoder.encode(key), value];
}

function bigEndian(number: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, number);
  return bytes;
}
