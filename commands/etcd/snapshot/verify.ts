import {
  type SnapshotStatus,
  verifySnapshot,
} from "../../../workflows/etcd/snapshot/verify.ts";
import {
  bytesText,
  type Command,
  table,
  type Values,
  word,
} from "../../_kit/mod.ts";

interface SnapshotRow extends SnapshotStatus {
  readonly file: string;
}

const inputs = { file: word("snapshot to check", { complete: "files" }) };

export const command = {
  summary: "Verify an etcd snapshot file",
  description:
    `Compares the file with the SHA-256 at its end and reads every page of the database. Hash, revision, total keys and
total size match "etcdutl snapshot status" of etcd 3.6; entries are those of all buckets, old revisions included, which
etcd 3.5 and older count as keys.

A damaged snapshot is reported with the page and the problem, and the status is 1.`,
  inputs,
  examples: ["etcd snapshot verify db.snapshot"],
  view: table({
    HASH: ({ hash }) => hash,
    REVISION: ({ revision }) => String(revision),
    "TOTAL KEYS": ({ totalKeys }) => String(totalKeys ?? "-"),
    ENTRIES: ({ totalEntries }) => String(totalEntries),
    "TOTAL SIZE": ({ totalSize }) => bytesText(totalSize),
    TRAILER: ({ trailer }) => trailer,
    MEMBERS: ({ members }) =>
      members.map(({ id, name }) => name || id).join(", "),
  }),
  async *run({ input: { file }, signal, note }) {
    const status = await verifySnapshot(file, signal);
    for (const warning of status.warnings) note(`${file}: ${warning}`);
    if (status.trailer === "absent") note(`${file} ${withoutTrailer}`);
    yield { file, ...status };
  },
} satisfies Command<SnapshotRow, Values<typeof inputs>>;

const withoutTrailer =
  "has no SHA-256 at its end, like every copy of a data directory: changed values cannot be detected, and nodes accept it only with --recover-skip-hash-check";
