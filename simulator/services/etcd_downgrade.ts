/** Downgrades of etcd over the wire. */

import { RpcError } from "../../errors.ts";
import type { EtcdDowngrade } from "../etcd/etcd.ts";
import { told } from "../etcd/refusal_status.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import type { SimulatedNode } from "../node/node.ts";
import { requireControlPlane } from "./control_plane.ts";

/** `EtcdDowngradeValidate`, `EtcdDowngradeEnable` and `EtcdDowngradeCancel`. */
export const etcdDowngrade: MachineHandlers = {
  etcdDowngradeValidate: ({ version }, { node }) =>
    downgrade(node, "VALIDATE", version),
  etcdDowngradeEnable: ({ version }, { node }) =>
    downgrade(node, "ENABLE", version),
  etcdDowngradeCancel: (_, { node }) => downgrade(node, "CANCEL"),
};

async function downgrade(
  node: SimulatedNode,
  action: EtcdDowngrade,
  version?: string,
) {
  // The node names all three after the last one.
  requireControlPlane(node, "etcd downgrade cancel");
  if (version !== undefined) checkVersion(version);
  const answer = node.etcd.server.client.downgrade(action, version ?? "");
  const clusterVersion = await told(answer, "failed to query etcd status");
  return { messages: [{ clusterDowngrade: { clusterVersion } }] };
}

function checkVersion(version: string): void {
  if (version === "") throw invalid("version is required for etcd downgrade");
  const parts = version.split(".");
  if (parts.length !== 2) {
    throw invalid("version should be in MAJOR.MINOR format");
  }
  const [major = NaN, minor = NaN] = parts.map(toNumber);
  if (Number.isNaN(major)) throw invalid("major version should be a number");
  if (Number.isNaN(minor)) throw invalid("minor version should be a number");
  if (major < 3 || major === 3 && minor < 5) {
    throw invalid("etcd downgrade is only supported to 3.5 and later versions");
  }
}

function toNumber(text: string): number {
  return /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
}

function invalid(text: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", text);
}
