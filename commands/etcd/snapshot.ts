import { requireWritable } from "../../lib/files/atomic_file.ts";
import { namesNodes } from "../_kit/globals.ts";
import { RefusedError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { copySource } from "../../workflows/etcd/etcd_facts.ts";
import { saveSnapshot } from "../../workflows/etcd/snapshot/snapshot_file.ts";
import type { SnapshotStatus } from "../../workflows/etcd/snapshot/verify.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import {
  bytes,
  bytesText,
  type Command,
  type Context,
  table,
  type Values,
  type View,
  word,
} from "../_kit/mod.ts";
import { isStandardStream, throughFile } from "../_kit/output_file.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";

interface TakenRow extends SnapshotStatus {
  readonly node: string;
  readonly file: string;
}

const inputs = {
  file: word("file to write; - for standard output", {
    complete: "files",
    dash: true,
  }),
};

type SnapshotInputs = Values<typeof inputs>;

export const command = {
  summary: "Save an etcd snapshot",
  description:
    `Without --nodes, osctl uses a healthy member that is not the leader, and reports which. The file is created once its
checksum and every page of the database have been verified; with - as file, it is then written to standard output. Hash, revision, total keys and total size match "etcdutl
snapshot status" of etcd 3.6.`,
  inputs,
  writes: true,
  examples: [
    "etcd snapshot db.snapshot",
    "etcd snapshot db.snapshot --nodes 10.0.0.2",
    "etcd snapshot - | zstd > db.snapshot.zst",
  ],
  view: ({ file }): View<TakenRow | Uint8Array> =>
    isStandardStream(file) ? bytes() : takenView,
  discloses: ({ file }) => isStandardStream(file),
  async *run(context) {
    const { input: { file }, signal, note } = context;
    if (!isStandardStream(file)) await requireWritable(file);
    const client = await source(context);
    const save = async (path: string): Promise<SnapshotStatus> => {
      const status = await saveSnapshot(client, path, signal);
      for (const warning of status.warnings) note(`${file}: ${warning}`);
      return status;
    };
    if (isStandardStream(file)) yield* throughFile("db.snapshot", save);
    else yield { node: client.node, file, ...await save(file) };
  },
} satisfies Command<TakenRow | Uint8Array, SnapshotInputs>;

const takenView = table<TakenRow>({
  NODE: ({ node }) => node,
  FILE: ({ file }) => file,
  HASH: ({ hash }) => hash,
  REVISION: ({ revision }) => String(revision),
  "TOTAL KEYS": ({ totalKeys }) => String(totalKeys ?? "-"),
  "TOTAL SIZE": ({ totalSize }) => bytesText(totalSize),
});

async function source(
  { globals, nodes, environment, note }: Context<SnapshotInputs>,
): Promise<NodeClient> {
  if (namesNodes(globals)) return await nodes.only("etcd snapshot");
  const cluster = viewCluster(nodes, makeClock(environment));
  const found = copySource(await cluster.readEtcd());
  if (found === undefined) {
    throw new RefusedError("No etcd member is healthy", {
      hint:
        "To take a snapshot of an unhealthy member anyway, name its node with --nodes",
    });
  }
  note(`taking the snapshot from ${found}`);
  return await nodes.at(found);
}
