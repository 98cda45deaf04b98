import { writeSnapshot } from "./database.ts";
import type { EtcdClient, EtcdDowngrade } from "../state/etcd.ts";
import { EtcdError, etcdRefusal, notRunningError } from "./etcd_error.ts";
import {
  addLearner,
  elect,
  type EtcdModelCluster,
  findMember,
  listMembers,
  measureSize,
  moveLeader,
  promote,
  remove,
  storageVersion,
} from "./model_cluster.ts";

/** Makes a client of a server. */
export function modelClient(seat: {
  /** Cluster it serves; `undefined` while it is not running. */
  readonly cluster: () => EtcdModelCluster | undefined;
  readonly id: () => bigint;
  readonly endpoint: () => string;
  readonly newId: () => bigint;
  readonly changed: (cluster: EtcdModelCluster) => Promise<void>;
}): EtcdClient {
  const { id, newId, changed } = seat;

  function runningCluster(): EtcdModelCluster {
    const cluster = seat.cluster();
    if (cluster === undefined) throw notRunningError(seat.endpoint());
    return cluster;
  }

  /** Returns the cluster, for calls that need quorum. */
  function clusterWithLeader(): EtcdModelCluster {
    const cluster = runningCluster();
    if (findMember(cluster, id())?.isLearner) {
      throw new EtcdError(etcdRefusal.learner);
    }
    if (cluster.leader === 0n) throw new EtcdError(etcdRefusal.noLeader);
    return cluster;
  }

  async function change<T>(act: (cluster: EtcdModelCluster) => T): Promise<T> {
    const cluster = clusterWithLeader();
    const result = act(cluster);
    elect(cluster);
    await changed(cluster);
    return result;
  }

  return {
    members: () => Promise.try(() => listMembers(clusterWithLeader())),
    addLearner: (peerUrl) =>
      change((cluster) => {
        const added = newId();
        addLearner(cluster, added, peerUrl);
        return added;
      }),
    promote: (who) => change((cluster) => promote(cluster, who)),
    remove: (who) => change((cluster) => remove(cluster, who, id())),
    memberId: () => Promise.resolve(id()),
    status: () => Promise.try(() => toStatus(runningCluster(), id())),
    alarms: () => Promise.try(() => clusterWithLeader().alarms),
    raise: (alarm) =>
      change((cluster) => {
        const raised = { memberId: id(), alarm };
        const others = cluster.alarms.filter((one) =>
          one.memberId !== raised.memberId || one.alarm !== alarm
        );
        cluster.alarms = [...others, raised];
      }),
    disarm: () =>
      change((cluster) => {
        const { alarms } = cluster;
        cluster.alarms = [];
        return alarms;
      }),
    async defragment() {
      const cluster = runningCluster();
      const member = findMember(cluster, id());
      if (member) member.slack = 0;
      await changed(cluster);
    },
    moveLeader: (to) => change((cluster) => moveLeader(cluster, to, id())),
    downgrade: (action, version) =>
      change((cluster) => downgrade(cluster, action, version)),
    async *snapshot() {
      const cluster = runningCluster();
      const { database, index, term } = cluster;
      const members = listMembers(cluster);
      const version = storageVersion(cluster);
      yield await writeSnapshot(database, { members, version, index, term });
    },
    checkQuorum: () => Promise.try(() => void clusterWithLeader()),
  };
}

function toStatus(cluster: EtcdModelCluster, memberId: bigint) {
  const { leader, term, index, version, alarms } = cluster;
  const member = findMember(cluster, memberId);
  const inUse = BigInt(measureSize(cluster));
  return {
    memberId,
    protocolVersion: version,
    storageVersion: storageVersion(cluster),
    dbSize: inUse + BigInt(member?.slack ?? 0),
    dbSizeInUse: inUse,
    leader,
    raftIndex: index,
    raftTerm: term,
    raftAppliedIndex: index,
    errors: [
      ...(leader === 0n ? [etcdRefusal.noLeader] : []),
      ...alarms.map(({ memberId, alarm }) =>
        `memberID:${memberId} alarm:${alarm} `
      ),
    ],
    isLearner: member?.isLearner ?? false,
  };
}

function downgrade(
  cluster: EtcdModelCluster,
  action: EtcdDowngrade,
  version: string,
): string {
  const [major = 0, minor = 0] = cluster.version.split(".").map(Number);
  const own = `${major}.${minor}`;
  if (action === "CANCEL") {
    if (cluster.downgrade === "") throw new EtcdError(etcdRefusal.noDowngrade);
    cluster.downgrade = "";
    return own;
  }
  const [, target] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(version) ?? [];
  if (target === undefined) {
    throw new EtcdError(etcdRefusal.wrongDowngradeFormat);
  }
  if (target !== `${major}.${minor - 1}`) {
    throw new EtcdError(etcdRefusal.wrongDowngradeTarget);
  }
  if (cluster.downgrade !== "") {
    throw new EtcdError(etcdRefusal.downgradeUnderWay);
  }
  if (action === "ENABLE") cluster.downgrade = target;
  return own;
}
