/** Reads the state of etcd from all control planes, for one decision. */

import type { NodeClient } from "../../transport/call/client.ts";
import { EtcdStoppedError } from "../../transport/call/etcd_cause.ts";
import { single } from "../../transport/call/reply.ts";
import { EtcdMemberAlarm_AlarmType as AlarmType } from "../../transport/gen/machine_etcd.ts";
import {
  leaving,
  readStageStatus,
} from "../../transport/node/machine_state.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import { etcdAddresses } from "../../transport/node/members.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import { type EtcdFacts, type MemberEntry, silences } from "./quorum.ts";

interface ListedMember extends MemberEntry {
  /** Addresses parsed from its URLs. */
  readonly addresses: () => readonly string[];
}

interface MemberAnswer {
  readonly node: string;
  readonly members: readonly ListedMember[];
  readonly id: string;
  readonly leader: string;
  readonly errors: readonly string[];
  readonly alarms: readonly string[];
  /** Ids of members whose data is damaged. */
  readonly corrupt: readonly string[];
  /** Stage of its node: `running`; empty if not reported. */
  readonly stage: string;
}

/** etcd facts, and the nodes of its members. */
export interface ClusterEtcd {
  /** Input of the quorum rules. */
  readonly facts: EtcdFacts;
  /**
   * Member id by node, for the nodes that answered: by name as queried, then by address and name in the member list.
   */
  readonly memberOf: ReadonlyMap<string, string>;
}

/** Timeout for each node, in milliseconds; a slower one is not healthy. */
const deadlineMs = 5_000;

/** Access to control planes that only etcd lists. */
interface EtcdReach {
  readonly at: (address: string) => Promise<NodeClient>;
  /** Host name of a queried node, so that it is not queried again at another address. */
  readonly hostnameOf: (node: string) => string | undefined;
}

/**
 * Queries every control plane: known ones, then those that only etcd lists.
 *
 * @param nodes Clients of known control planes.
 * @param now Current time, in milliseconds since 1970.
 * @param reach Access to others; omitted, they are not queried.
 */
export async function readEtcd(
  nodes: readonly NodeClient[],
  now: number,
  reach?: EtcdReach,
): Promise<ClusterEtcd> {
  const known = await askAll(nodes);
  const others = reach && await askAll(await listUnasked(nodes, known, reach));
  const answers = [...known.answers, ...others?.answers ?? []];
  const silent = [...known.silent, ...others?.silent ?? []];
  const stopped = [...known.stopped, ...others?.stopped ?? []];
  const over = stopped.filter(({ state }) => finalStates.has(state));
  const going = answers.filter(({ stage }) => leaving.has(stage));
  const [first] = answers;
  return {
    facts: {
      members: (first?.members ?? []).map(({ id, name, learner }) => ({
        id,
        name,
        learner,
      })),
      healthy: listHealthy(answers),
      alarms: [...new Set(answers.flatMap(({ alarms }) => alarms))],
      leader: first?.leader ?? "",
      silent,
      ...stopped.length > 0 && { stopped: stopped.map(({ node }) => node) },
      ...over.length > 0 && { over: over.map(({ node }) => node) },
      ...going.length > 0 && {
        leaving: going.map(({ id, node, stage }) => ({ id, node, stage })),
      },
      doubts: disagreements(answers),
      readAt: now,
    },
    memberOf: membersByNode(answers),
  };
}

interface AskedMembers {
  readonly answers: readonly MemberAnswer[];
  readonly silent: readonly string[];
  /** Nodes among them whose etcd is not running, with the state of the service. */
  readonly stopped: readonly {
    readonly node: string;
    readonly state: string;
  }[];
}

/** States that a service leaves only when it is started. */
const finalStates: ReadonlySet<string> = new Set([
  "Finished",
  "Failed",
  "Skipped",
]);

async function askAll(nodes: readonly NodeClient[]): Promise<AskedMembers> {
  const settled = await Promise.allSettled(nodes.map(ask));
  return {
    answers: settled.flatMap((one) =>
      one.status === "fulfilled" ? [one.value] : []
    ),
    silent: nodes.filter((_, index) => settled[index]?.status === "rejected")
      .map(({ node }) => node),
    stopped: nodes.flatMap(({ node }, index) => {
      const one = settled[index];
      return one?.status === "rejected" &&
          one.reason instanceof EtcdStoppedError
        ? [{ node, state: one.reason.state }]
        : [];
    }),
  };
}

/** Nodes of listed members that have not answered and were not queried. */
function listUnasked(
  nodes: readonly NodeClient[],
  { answers }: AskedMembers,
  { at, hostnameOf }: EtcdReach,
): Promise<readonly NodeClient[]> {
  const heard = new Set(answers.map(({ id }) => id));
  const asked = new Set(
    nodes.flatMap(({ node }) => [node, hostnameOf(node) ?? node]),
  );
  const listed = answers.flatMap(({ members }) => members);
  const missing = listed.filter(({ id, name, addresses }) =>
    !heard.has(id) && ![name, ...addresses()].some((one) => asked.has(one))
  );
  const addresses = missing.flatMap(({ addresses }) => addresses()[0] ?? []);
  return Promise.all([...new Set(addresses)].map((address) => at(address)));
}

function membersByNode(
  answers: readonly MemberAnswer[],
): ReadonlyMap<string, string> {
  const heard = new Set(answers.map(({ id }) => id));
  const byNode = new Map(answers.map(({ node, id }) => [node, id]));
  for (const { id, name, addresses } of answers[0]?.members ?? []) {
    if (!heard.has(id)) continue;
    for (const node of [...addresses(), name]) {
      if (node !== "" && !byNode.has(node)) byNode.set(node, id);
    }
  }
  return byNode;
}

async function ask(client: NodeClient): Promise<MemberAnswer> {
  const { node, machine } = client;
  const options = { deadlineMs };
  const [list, status, alarms, stage] = await Promise.all([
    machine.etcdMemberList({ queryLocal: true }, options),
    machine.etcdStatus({}, options),
    machine.etcdAlarmList({}, options),
    readStage(client),
  ]);
  const { members } = single(list.messages);
  const { memberStatus } = single(status.messages);
  const { memberAlarms } = single(alarms.messages);
  return {
    node,
    members: members.map((member) => ({
      id: hexadecimal(member.id),
      name: member.hostname,
      learner: member.isLearner,
      addresses: () => etcdAddresses(member),
    })),
    id: hexadecimal(memberStatus?.memberId ?? 0n),
    leader: hexadecimal(memberStatus?.leader ?? 0n),
    errors: memberStatus?.errors ?? [],
    alarms: memberAlarms.filter(({ alarm }) => alarm !== AlarmType.NONE)
      .map(({ alarm }) => enumName(AlarmType, alarm)),
    corrupt: memberAlarms.filter(({ alarm }) => alarm === AlarmType.CORRUPT)
      .map(({ memberId }) => hexadecimal(memberId)),
    stage,
  };
}

/** Stage of a node; empty if it does not report it, which is no reason to refuse. */
async function readStage(client: NodeClient): Promise<string> {
  try {
    return (await readStageStatus(client)).stage;
  } catch (error) {
    if (error instanceof RpcError) return "";
    throw error;
  }
}

/** A healthy node for a snapshot, preferably not the leader; `undefined` when none is healthy. */
export function copySource(
  { facts, memberOf }: ClusterEtcd,
): string | undefined {
  const healthy = [...memberOf].filter(([, id]) => facts.healthy.includes(id));
  const other = healthy.find(([, id]) => id !== facts.leader) ?? healthy[0];
  return other?.[0];
}

/** A member id in the format of etcdctl: 16 hexadecimal digits. */
export function hexadecimal(id: bigint): string {
  return id.toString(16).padStart(16, "0");
}

const noLeader = hexadecimal(0n);

function listHealthy(answers: readonly MemberAnswer[]): readonly string[] {
  const learners = new Set(
    answers.flatMap(({ members }) =>
      members.filter(({ learner }) => learner).map(({ id }) => id)
    ),
  );
  const corrupt = new Set(answers.flatMap(({ corrupt }) => corrupt));
  return answers.filter(({ id, errors, leader }) =>
    withoutAlarms(errors).length === 0 && leader !== noLeader &&
    !learners.has(id) && !corrupt.has(id)
  ).map(({ id }) => id);
}

/** Errors of a member without the alarms of the cluster, which every member repeats; one with an alarm still votes. */
export function withoutAlarms(errors: readonly string[]): readonly string[] {
  return errors.filter((error) => !/\balarm:/.test(error));
}

function disagreements(answers: readonly MemberAnswer[]): readonly string[] {
  const lists = new Set(
    answers.map(({ members }) =>
      members.map(({ id }) => id).toSorted().join(" ")
    ),
  );
  return lists.size > 1
    ? ["the control planes report different etcd members"]
    : [];
}

/**
 * Finds members by id or host name.
 *
 * @param text Id, hexadecimal, or the host name of a member.
 * @returns Empty if there is none, several if they share the name.
 * @throws {OsctlError} If no control plane has reported the members.
 */
export function membersNamed(
  text: string,
  facts: EtcdFacts,
): readonly MemberEntry[] {
  const { members } = facts;
  if (members.length === 0) {
    throw new OsctlError("Cannot read the etcd members", {
      hint: silences(facts)[0] ?? "See: osctl etcd members",
    });
  }
  const wanted = text.toLowerCase().replace(/^0x/, "").padStart(16, "0");
  const byId = members.filter(({ id }) => id === wanted);
  return byId.length > 0 ? byId : members.filter(({ name }) => name === text);
}
