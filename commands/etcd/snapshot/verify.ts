import {
  type SnapshotStatus,
  verifySnapshot,
} from "../../../workflows/etcd/snapshot/verify.ts";
import {
  type AnyCommand,
  bytesText,
  type Command,
  table,
  type Values,
  word,
} from "../../_kit/mod.ts";

/** A snapshot that is whole. */
export interface SnapshotRow extends SnapshotStatus {
  /** Path as it was given. */
  readonly file: string;
}

const inputs = { file: word("snapshot to check", { complete: "files" }) };

/** `osctl etcd snapshot verify`: whether a file can be recovered from. */
export const command: AnyCommand = {
  summary: "Check a snapshot of etcd without a node",
  description:
    `Compares the file with the SHA-256 at its end and reads every page of the database in it. Hash, revision, total keys
and total size are those of "etcdctl snapshot status"; live keys leave out what was deleted or overwritten.

A snapshot that is damaged is refused with the page and what is wrong with it, and the status is 1.`,
  inputs,
  examples: ["etcd snapshot verify db.snapshot"],
  view: table({
    HASH: ({ hash }) => hash,
    REVISION: ({ revision }) => String(revision),
    "TOTAL KEYS": ({ totalKeys }) => String(totalKeys),
    "LIVE KEYS": ({ liveKeys }) => String(liveKeys ?? "-"),
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
  "has no SHA-256 at its end, as copies of a data directory have none: values that were changed stay unseen, and nodes take it only with --recover-skip-hash-check";
