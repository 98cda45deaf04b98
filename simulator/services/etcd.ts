/** etcd methods: members, status, alarms, and their changes. */

import { RpcError } from "../../errors.ts";
import { EtcdMemberAlarm_AlarmType as AlarmType } from "../../transport/gen/machine.ts";
import type { EtcdAlarm, EtcdDowngrade, EtcdStatus } from "../state/etcd.ts";
import {
  EtcdError,
  rpcAnswer,
  rpcAnswers,
  toRpcError,
} from "../etcd/etcd_error.ts";
import { startEtcd } from "../etcd/etcd_service.ts";
import {
  forfeitLeadership,
  leaveCluster,
  removeMember,
} from "../etcd/leave.ts";
import {
  askMember,
  untilAnyServes,
  untilServing,
} from "../etcd/member_access.ts";
import type { SimulatedNode } from "../state/node.ts";
import { behaves } from "../release/release.ts";
import type { MachineHandlers, NodeCall } from "./handlers.ts";
import { chunks } from "./byte_stream.ts";
import { requireControlPlane } from "./control_plane.ts";

/** `EtcdMemberList`, `EtcdStatus`, `EtcdAlarm*`, `EtcdDefragment`, `EtcdForfeitLeadership`, `EtcdLeaveCluster`, `EtcdRemoveMemberByID`, `EtcdSnapshot`. */
export const etcd: MachineHandlers = {
  async etcdMemberList({ queryLocal }, { node, signal }) {
    requireControlPlane(node, "member list");
    await (queryLocal ? untilServing : untilAnyServes)(node, signal);
    const list = queryLocal
      ? node.etcd.server.client.members()
      : askMember(node, (client) => client.members());
    const members = await rpcAnswer(list);
    return {
      messages: [{
        legacyMembers: members.map(({ name }) => name),
        members: members.map((
          { id, name, peerUrls, clientUrls, isLearner },
        ) => ({
          id,
          hostname: name,
          peerUrls: shownUrls(node, peerUrls),
          clientUrls: shownUrls(node, clientUrls),
          isLearner,
        })),
      }],
    };
  },
  async etcdStatus(_, { node, signal }) {
    requireControlPlane(node, "etcd status");
    await untilServing(node, signal);
    const { status } = node.etcd.server.client;
    const found = await rpcAnswer(status(), "failed to query etcd status");
    return { messages: [{ memberStatus: toStatus(found) }] };
  },
  async etcdAlarmList(_, { node, signal }) {
    requireControlPlane(node, "etcd alarm list");
    await untilServing(node, signal);
    const { alarms } = node.etcd.server.client;
    const found = await rpcAnswer(alarms(), "failed to list etcd alarms");
    return { messages: [{ memberAlarms: found.map(toAlarm) }] };
  },
  async etcdAlarmDisarm(_, { node, signal }) {
    // Name used by nodes.
    requireControlPlane(node, "etcd alarm list");
    await untilServing(node, signal);
    const { disarm } = node.etcd.server.client;
    const cleared = await rpcAnswer(disarm(), "failed to disarm etcd alarm");
    return { messages: [{ memberAlarms: cleared.map(toAlarm) }] };
  },
  async etcdDefragment(_, { node, signal }) {
    requireControlPlane(node, "etcd defragment");
    await untilServing(node, signal);
    const { defragment } = node.etcd.server.client;
    await rpcAnswer(defragment(), "failed to defragment etcd");
    return { messages: [{}] };
  },
  async etcdForfeitLeadership(_, { node, signal }) {
    requireControlPlane(node, "etcd forfeit leadership");
    await untilAnyServes(node, signal);
    const member = await forfeitLeadership(node, signal);
    return { messages: [{ member }] };
  },
  async etcdLeaveCluster(_, { node, signal }) {
    requireControlPlane(node, "etcd leave");
    await untilAnyServes(node, signal);
    await rpcAnswer(leaveCluster(node, signal), "failed to leave cluster");
    return { messages: [{}] };
  },
  async etcdRemoveMemberByID({ memberId }, { node, signal }) {
    requireControlPlane(node, "etcd remove member");
    await untilAnyServes(node, signal);
    const failed = `failed to remove member ${memberId}`;
    try {
      await removeMember(node, memberId);
    } catch (error) {
      if (isUnknown(error)) {
        throw new RpcError("NOT_FOUND", `${failed}: ${error.message}`);
      }
      throw toRpcError(error, `failed to remove member: ${failed}`);
    }
    return { messages: [{}] };
  },
  async *etcdSnapshot(_, { node, signal }) {
    requireControlPlane(node, "etcd snapshot");
    await untilServing(node, signal);
    const { snapshot } = node.etcd.server.client;
    yield* chunks(node, rpcAnswers(snapshot(), "failed reading etcd snapshot"));
  },
};

function shownUrls(
  { cluster }: SimulatedNode,
  urls: readonly string[],
): readonly string[] {
  return urls.map(cluster.etcd.backend.shownUrl);
}

/** Before etcd 3.6 there is no storage version. */
function toStatus(status: EtcdStatus): EtcdStatus {
  const { protocolVersion, storageVersion } = status;
  const [, line] = /^(\d+\.\d+)\./.exec(protocolVersion) ?? [];
  const implied = line === undefined ? "unknown" : `${line}.0`;
  return { ...status, storageVersion: storageVersion || implied };
}

function toAlarm({ memberId, alarm }: EtcdAlarm) {
  return { memberId, alarm: AlarmType[alarm] };
}

function isUnknown(error: unknown): error is EtcdError {
  return error instanceof EtcdError && error.refusal === "memberNotFound";
}

/** `EtcdDowngradeValidate`, `EtcdDowngradeEnable` and `EtcdDowngradeCancel`. */
export const etcdDowngrade: MachineHandlers = {
  etcdDowngradeValidate: ({ version }, call) =>
    downgrade(call, "VALIDATE", version),
  etcdDowngradeEnable: ({ version }, call) =>
    downgrade(call, "ENABLE", version),
  etcdDowngradeCancel: (_, call) => downgrade(call, "CANCEL"),
};

async function downgrade(
  { node, signal }: NodeCall,
  action: EtcdDowngrade,
  version?: string,
) {
  // Nodes use the name of the last one for all three.
  requireControlPlane(node, "etcd downgrade cancel");
  if (version !== undefined) checkVersion(version);
  await untilServing(node, signal);
  const answer = node.etcd.server.client.downgrade(action, version ?? "");
  const clusterVersion = await rpcAnswer(answer, "failed to query etcd status");
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

/** `Bootstrap` and `EtcdRecover`. */
export const bootstrap: MachineHandlers = {
  async bootstrap({ recoverEtcd: recover, recoverSkipHashCheck }, { node }) {
    if (node.boot.services.get("cri")?.state !== "Running") {
      throw preconditionError("bootstrap is not available yet");
    }
    if (behaves(node, "bootstrapIsControlPlaneApi")) {
      requireControlPlane(node, "bootstrap");
    }
    if (node.identity.machineType === "worker") {
      throw preconditionError(
        "bootstrap can only be performed on a control plane node",
      );
    }
    if (await node.etcd.server.hasData()) {
      const text = "etcd data directory is not empty";
      throw new RpcError("ALREADY_EXISTS", text);
    }
    startEtcd(node, { recover, skipHashCheck: recoverSkipHashCheck });
    return { messages: [{}] };
  },
  async etcdRecover(parts, { node }) {
    if (node.boot.services.get("cri")?.state !== "Running") {
      throw preconditionError("etcd service is not ready for recovery yet");
    }
    requireControlPlane(node, "etcd recover");
    await node.etcd.server.upload(readBytes(parts));
    return { messages: [{}] };
  },
};

async function* readBytes(
  parts: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of parts) yield bytes;
}

function preconditionError(text: string): RpcError {
  return new RpcError("FAILED_PRECONDITION", text);
}
