/** The folder in which control planes keep the data of etcd. */

import type { SimulatedNode } from "../node/node.ts";
import { directory, type Entry, type RegularFile } from "./entry.ts";

/** The folder by its name, in a control plane; it is empty when etcd has no data. */
export function etcdFolder(
  { identity, etcd, disk: { configured } }: SimulatedNode,
): Readonly<Record<string, Entry<SimulatedNode>>> {
  if (!configured || identity.machineType === "worker") return {};
  const hasData = etcd.server.databaseFile() !== undefined;
  const content = hasData ? { member: memberFolder } : {};
  const common = { permissions: 0o700, label: "etcd_data_t" };
  return { etcd: directory(content, common) };
}

const databaseFile: RegularFile<SimulatedNode> = {
  kind: "file",
  permissions: 0o600,
  size: (node) => bytesOf(node).length,
  read: (node) => [bytesOf(node)],
};

const closed = { permissions: 0o700 };

const memberFolder = directory({
  snap: directory({ db: databaseFile }, closed),
  wal: directory({}, closed),
}, closed);

function bytesOf({ etcd }: SimulatedNode): Uint8Array {
  return etcd.server.databaseFile() ?? new Uint8Array();
}
