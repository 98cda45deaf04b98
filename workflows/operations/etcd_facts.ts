/** Reading the state of etcd from all control planes, for one decision. */

import { enumName } from "../../transport/enum_name.ts";
import type { NodeClient } from "../../transport/client.ts";
import {
  EtcdMemberAlarm_AlarmType as AlarmType,
} from "../../transport/gen/machine.ts";
import { single } from "../../transport/reply.ts";
import type { EtcdFacts, EtcdMember } from "./quorum.ts";

/** What one control plane says. */
interface Answer {
  /** Its node. */
  readonly node: string;
  /** Members it lists. */
  readonly members: readonly EtcdMember[];
  /** Its own id. */
  readonly id: string;
  /** Leader it follows. */
  readonly leader: string;
  /** What it finds wrong with itself. */
  readonly errors: readonly string[];
  /** Alarms it knows of. */
  readonly alarms: readonly string[];
}

/** Facts, and whose member is whose. */
export interface ClusterEtcd {
  /** What the rules of the quorum ask for. */
  readonly facts: EtcdFacts;
  /** Member id by node, for the nodes that answered. */
  readonly memberOf: ReadonlyMap<string, string>;
}

/** Longest time for one node, in milliseconds; who takes longer is not healthy. */
const deadlineMs = 5_000;

/**
 * Asks every control plane.
 *
 * @param nodes Clients of all control planes.
 * @param now Present moment, in milliseconds since 1970.
 */
export async function readEtcd(
  nodes: readonly NodeClient[],
  now: number,
): Promise<ClusterEtcd> {
  const settled = await Promise.allSettled(nodes.map(ask));
  const answers = settled.flatMap((one) =>
    one.status === "fulfilled" ? [one.value] : []
  );
  const silent = nodes.filter((_, index) =>
    settled[index]?.status === "rejected"
  ).map(({ node }) => node);
  const [first] = answers;
  return {
    facts: {
      members: first?.members ?? [],
      healthy: healthyOf(answers),
      alarms: [...new Set(answers.flatMap(({ alarms }) => alarms))],
      leader: first?.leader ?? "",
      silent,
      doubts: disagreements(answers),
      readAt: now,
    },
    memberOf: new Map(answers.map(({ node, id }) => [node, id])),
  };
}

async function ask({ node, machine }: NodeClient): Promise<Answer> {
  const options = { deadlineMs };
  const [list, status, alarms] = await Promise.all([
    machine.etcdMemberList({ queryLocal: true }, options),
    machine.etcdStatus({}, options),
    machine.etcdAlarmList({}, options),
  ]);
  const { members } = single(list.messages);
  const { memberStatus } = single(status.messages);
  const { memberAlarms } = single(alarms.messages);
  return {
    node,
    members: members.map(({ id, hostname, isLearner }) => ({
      id: hexadecimal(id),
      name: hostname,
      learner: isLearner,
    })),
    id: hexadecimal(memberStatus?.memberId ?? 0n),
    leader: hexadecimal(memberStatus?.leader ?? 0n),
    errors: memberStatus?.errors ?? [],
    alarms: memberAlarms.filter(({ alarm }) => alarm !== AlarmType.NONE)
      .map(({ alarm }) => enumName(AlarmType, alarm)),
  };
}

/** A member id as etcd's own tools write it: 16 hexadecimal digits. */
export function hexadecimal(id: bigint): string {
  return id.toString(16).padStart(16, "0");
}

const noLeader = hexadecimal(0n);

function healthyOf(answers: readonly Answer[]): readonly string[] {
  const learners = new Set(
    answers.flatMap(({ members }) =>
      members.filter(({ learner }) => learner).map(({ id }) => id)
    ),
  );
  return answers.filter(({ id, errors, leader }) =>
    errors.length === 0 && leader !== noLeader && !learners.has(id)
  ).map(({ id }) => id);
}

function disagreements(answers: readonly Answer[]): readonly string[] {
  const lists = new Set(
    answers.map(({ members }) =>
      members.map(({ id }) => id).toSorted().join(" ")
    ),
  );
  return lists.size > 1
    ? ["the control planes do not agree on the members of etcd"]
    : [];
}
