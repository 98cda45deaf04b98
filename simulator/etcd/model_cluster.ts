/** Members of a modelled etcd cluster and their shared state. */

import { databaseFile, type EtcdDatabase } from "./database.ts";
import type { EtcdAlarm, SimulatedMember } from "../state/etcd.ts";
import { EtcdError, etcdRefusal } from "./etcd_error.ts";

/** A member of a modelled etcd cluster. */
export interface EtcdModelMember {
  readonly id: bigint;
  /** Empty before its first start. */
  name: string;
  readonly peerUrl: string;
  /** Client URL; empty before its first start. */
  clientUrl: string;
  isLearner: boolean;
  isStarted: boolean;
  /** Free space in its database file, in bytes. */
  slack: number;
}

/** A modelled etcd cluster. */
export interface EtcdModelCluster {
  /** Members in the order they were added. */
  members: EtcdModelMember[];
  readonly running: Set<bigint>;
  /** ID of the leader; 0 if there is none. */
  leader: bigint;
  term: bigint;
  index: bigint;
  alarms: readonly EtcdAlarm[];
  /** Target version of a downgrade; empty if none is in progress. */
  downgrade: string;
  database: EtcdDatabase;
  /** Version: `3.6.11`. */
  readonly version: string;
}

/** Free space in a new database file, in bytes. */
const newSlack = 16 * 4096;

/** Makes a cluster of members that are not started yet. */
export function newCluster(
  members: readonly Pick<EtcdModelMember, "id" | "name" | "peerUrl">[],
  { database, version }: Pick<EtcdModelCluster, "database" | "version">,
): EtcdModelCluster {
  return {
    members: members.map((one) => ({
      ...one,
      clientUrl: "",
      isLearner: false,
      isStarted: false,
      slack: newSlack,
    })),
    running: new Set(),
    leader: 0n,
    term: 1n,
    // One entry for each member, and for the cluster version.
    index: BigInt(members.length + 2) + database.revision,
    alarms: [],
    downgrade: "",
    database,
    version,
  };
}

/** Storage version: `3.6.0`. */
export function storageVersion({ version }: EtcdModelCluster): string {
  return version.replace(/\.\d+$/, ".0");
}

/** Members as listed by etcd. */
export function listMembers(
  { members }: EtcdModelCluster,
): readonly SimulatedMember[] {
  return members.map(({ id, name, peerUrl, clientUrl, isLearner }) => ({
    id,
    name,
    peerUrls: [peerUrl],
    clientUrls: clientUrl === "" ? [] : [clientUrl],
    isLearner,
  }));
}

/** Elects a leader if a new one is required. Returns true if the leader changed. */
export function elect(cluster: EtcdModelCluster): boolean {
  const before = cluster.leader;
  const awake = voters(cluster).filter(({ id }) => cluster.running.has(id));
  if (awake.length < quorum(voters(cluster).length)) cluster.leader = 0n;
  else if (!awake.some(({ id }) => id === cluster.leader)) {
    cluster.leader = awake[0]?.id ?? 0n;
    cluster.term++;
    cluster.index++;
  }
  return cluster.leader !== before;
}

/** Adds a learner. Throws EtcdError if etcd would refuse. */
export function addLearner(
  cluster: EtcdModelCluster,
  id: bigint,
  peerUrl: string,
): void {
  const { members } = cluster;
  const count = voters(cluster).length;
  if (count > 1 && runningVoters(cluster) < quorum(count + 1)) {
    throw new EtcdError(etcdRefusal.unhealthy);
  }
  if (members.some((one) => one.peerUrl === peerUrl)) {
    throw new EtcdError(etcdRefusal.peerUrlExists);
  }
  if (members.some(({ isLearner }) => isLearner)) {
    throw new EtcdError(etcdRefusal.tooManyLearners);
  }
  members.push({
    id,
    name: "",
    peerUrl,
    clientUrl: "",
    isLearner: true,
    isStarted: false,
    slack: newSlack,
  });
  cluster.index++;
}

/** Promotes a learner to a voter. Throws EtcdError if etcd would refuse. */
export function promote(cluster: EtcdModelCluster, id: bigint): void {
  const member = findMember(cluster, id);
  if (!member) throw new EtcdError(etcdRefusal.memberNotFound);
  if (!member.isLearner) throw new EtcdError(etcdRefusal.notLearner);
  if (!cluster.running.has(id)) {
    throw new EtcdError(etcdRefusal.learnerNotReady);
  }
  member.isLearner = false;
  cluster.index++;
}

/** Removes a member. `by`: ID of the member that got the request. Throws `EtcdError` if etcd would refuse. */
export function remove(
  cluster: EtcdModelCluster,
  id: bigint,
  by: bigint,
): void {
  const member = findMember(cluster, id);
  if (member?.isLearner !== true) checkRemoval(cluster, id, by);
  if (!member) throw new EtcdError(etcdRefusal.memberNotFound);
  cluster.members = cluster.members.filter((one) => one !== member);
  cluster.alarms = cluster.alarms.filter(({ memberId }) => memberId !== id);
  cluster.running.delete(id);
  cluster.index++;
}

function checkRemoval(cluster: EtcdModelCluster, id: bigint, by: bigint): void {
  const { running } = cluster;
  const all = voters(cluster);
  const others = all.filter((one) => one.id !== id);
  const started = others.filter(({ name }) => name !== "");
  if (started.length < quorum(others.length)) {
    throw new EtcdError(etcdRefusal.notEnoughStarted);
  }
  if (id !== by && !running.has(id)) return;
  if (runningVoters(cluster) - 1 < quorum(all.length - 1)) {
    throw new EtcdError(etcdRefusal.unhealthy);
  }
}

/**
 * Makes another member the leader.
 *
 * @param by ID of the member that got the request.
 * @throws {EtcdError} If etcd would refuse.
 */
export function moveLeader(
  cluster: EtcdModelCluster,
  id: bigint,
  by: bigint,
): void {
  if (cluster.leader !== by) throw new EtcdError(etcdRefusal.notLeader);
  const member = findMember(cluster, id);
  if (!member || member.isLearner) {
    throw new EtcdError(etcdRefusal.badTransferee);
  }
  if (!cluster.running.has(id)) throw new EtcdError(etcdRefusal.timedOut);
  cluster.leader = id;
  cluster.term++;
  cluster.index++;
}

/** Finds a member by ID. */
export function findMember(
  { members }: EtcdModelCluster,
  id: bigint,
): EtcdModelMember | undefined {
  return members.find((one) => one.id === id);
}

/** Writes the database file of a member, without free space. */
export function writeFile(cluster: EtcdModelCluster): Uint8Array<ArrayBuffer> {
  const { database, index, term } = cluster;
  const members = listMembers(cluster);
  const version = storageVersion(cluster);
  return databaseFile(database, { members, version, index, term });
}

const sizes = new WeakMap<EtcdModelCluster["database"], Map<string, number>>();

/** Size of the database file in bytes; cached, as it is requested often. It depends only on the cache key. */
export function measureSize(cluster: EtcdModelCluster): number {
  const { database } = cluster;
  const known = sizes.get(database) ?? new Map<string, number>();
  sizes.set(database, known);
  const key = [
    storageVersion(cluster),
    ...listMembers(cluster).flatMap((one) => Object.values(one)),
  ].join(" ");
  const size = known.get(key) ?? writeFile(cluster).length;
  known.set(key, size);
  return size;
}

/** Voting members. */
export function voters(
  { members }: EtcdModelCluster,
): readonly EtcdModelMember[] {
  return members.filter(({ isLearner }) => !isLearner);
}

function runningVoters(cluster: EtcdModelCluster): number {
  return voters(cluster).filter(({ id }) => cluster.running.has(id)).length;
}

function quorum(count: number): number {
  return Math.floor(count / 2) + 1;
}
