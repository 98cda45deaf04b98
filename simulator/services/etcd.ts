/** etcd over the wire: members, status, alarms, and what changes them. */

import { RpcError } from "../../errors.ts";
import {
  EtcdMemberAlarm_AlarmType as AlarmType,
} from "../../transport/gen/machine.ts";
import type { EtcdAlarm, EtcdStatus } from "../etcd/etcd.ts";
import { EtcdError } from "../etcd/etcd_error.ts";
import {
  forfeitLeadership,
  leaveCluster,
  removeMember,
} from "../etcd/leave.ts";
import { askMember } from "../etcd/member_access.ts";
import { passedOn, told, toldEach } from "../etcd/refusal_status.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import type { SimulatedNode } from "../node/node.ts";
import { chunks } from "./byte_stream.ts";
import { requireControlPlane } from "./control_plane.ts";

/** `EtcdMemberList`, `EtcdStatus`, `EtcdAlarm*`, `EtcdDefragment`, `EtcdForfeitLeadership`, `EtcdLeaveCluster`, `EtcdRemoveMemberByID`, `EtcdSnapshot`. */
export const etcd: MachineHandlers = {
  async etcdMemberList({ queryLocal }, { node }) {
    requireControlPlane(node, "member list");
    const list = queryLocal
      ? node.etcd.server.client.members()
      : askMember(node, (client) => client.members());
    const members = await told(list);
    return {
      messages: [{
        legacyMembers: members.map(({ name }) => name),
        members: members.map((
          { id, name, peerUrls, clientUrls, isLearner },
        ) => ({
          id,
          hostname: name,
          peerUrls: shown(node, peerUrls),
          clientUrls: shown(node, clientUrls),
          isLearner,
        })),
      }],
    };
  },
  async etcdStatus(_, { node }) {
    requireControlPlane(node, "etcd status");
    const { status } = node.etcd.server.client;
    const found = await told(status(), "failed to query etcd status");
    return { messages: [{ memberStatus: statusOf(found) }] };
  },
  async etcdAlarmList(_, { node }) {
    requireControlPlane(node, "etcd alarm list");
    const { alarms } = node.etcd.server.client;
    const found = await told(alarms(), "failed to list etcd alarms");
    return { messages: [{ memberAlarms: found.map(alarmOf) }] };
  },
  async etcdAlarmDisarm(_, { node }) {
    // So the node names it.
    requireControlPlane(node, "etcd alarm list");
    const { disarm } = node.etcd.server.client;
    const cleared = await told(disarm(), "failed to disarm etcd alarm");
    return { messages: [{ memberAlarms: cleared.map(alarmOf) }] };
  },
  async etcdDefragment(_, { node }) {
    requireControlPlane(node, "etcd defragment");
    const { defragment } = node.etcd.server.client;
    await told(defragment(), "failed to defragment etcd");
    return { messages: [{}] };
  },
  async etcdForfeitLeadership(_, { node, signal }) {
    requireControlPlane(node, "etcd forfeit leadership");
    const member = await forfeitLeadership(node, signal);
    return { messages: [{ member }] };
  },
  async etcdLeaveCluster(_, { node, signal }) {
    requireControlPlane(node, "etcd leave");
    await told(leaveCluster(node, signal), "failed to leave cluster");
    return { messages: [{}] };
  },
  async etcdRemoveMemberByID({ memberId }, { node }) {
    requireControlPlane(node, "etcd remove member");
    const failed = `failed to remove member ${memberId}`;
    try {
      await removeMember(node, memberId);
    } catch (error) {
      if (isUnknown(error)) {
        throw new RpcError("NOT_FOUND", `${failed}: ${error.message}`);
      }
      throw passedOn(error, `failed to remove member: ${failed}`);
    }
    return { messages: [{}] };
  },
  async *etcdSnapshot(_, { node }) {
    requireControlPlane(node, "etcd snapshot");
    const { snapshot } = node.etcd.server.client;
    yield* chunks(node, toldEach(snapshot(), "failed reading etcd snapshot"));
  },
};

/** URLs as nodes would show them. */
function shown(
  { cluster }: SimulatedNode,
  urls: readonly string[],
): readonly string[] {
  return urls.map(cluster.etcd.backend.shownUrl);
}

function statusOf(status: EtcdStatus) {
  const { version, storageVersion, ...rest } = status;
  // Before etcd 3.6 the data has no version of its own.
  const [, line] = /^(\d+\.\d+)\./.exec(version) ?? [];
  return {
    ...rest,
    protocolVersion: version,
    storageVersion: storageVersion ||
      (line === undefined ? "unknown" : `${line}.0`),
  };
}

function alarmOf({ memberId, alarm }: EtcdAlarm) {
  return { memberId, alarm: AlarmType[alarm] };
}

function isUnknown(error: unknown): error is EtcdError {
  return error instanceof EtcdError && error.refusal === "memberNotFound";
}
