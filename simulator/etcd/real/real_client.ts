/** Calls to a real etcd. Source: services `Cluster`, `Maintenance` and `KV` of `etcdserverpb`. */

import type {
  EtcdAlarm,
  EtcdAlarmKind,
  EtcdClient,
  EtcdStatus,
  SimulatedMember,
} from "../../state/etcd.ts";
import type { Gateway, GatewayCall } from "./gateway.ts";

/** Timeout for quorum, in milliseconds. */
const quorumMs = 1_000;

/** Timeout for membership changes, in milliseconds; they take a few. */
const membershipMs = 2_000;

/**
 * Makes a client.
 *
 * @param reach Returns the gateway to the server; throws if it is not running.
 * @param inTurn Serializes membership changes: concurrent ones block etcd.
 */
export function realClient(
  reach: () => Gateway,
  inTurn: TaskQueue,
): EtcdClient {
  // The reply has the shape that all etcd versions send.
  async function call<T>(
    path: string,
    body: object,
    options: GatewayCall = {},
  ): Promise<T> {
    return await reach().call(`/v3/${path}`, body, options) as T;
  }

  /** Makes a membership call; during an election it may never get a reply. */
  function membership<T>(path: string, body: object): Promise<T> {
    const options = { needsLeader: true, limitMs: membershipMs };
    return call(`cluster/member/${path}`, body, options);
  }

  async function alarms(): Promise<readonly EtcdAlarm[]> {
    const answer = await call<{ alarms?: Alarm[] }>("maintenance/alarm", {
      action: "GET",
    });
    return (answer.alarms ?? []).map(toAlarm);
  }

  async function readStatus(): Promise<EtcdStatus> {
    return toStatus(await call<MemberStatus>("maintenance/status", {}));
  }

  async function alarm(action: string, one: EtcdAlarm): Promise<void> {
    const memberID = String(one.memberId);
    await call("maintenance/alarm", { action, memberID, alarm: one.alarm });
  }

  return {
    async members() {
      const answer = await membership<{ members?: MemberJson[] }>("list", {});
      return (answer.members ?? []).map(toMember);
    },
    async addLearner(peerUrl) {
      const body = { peerURLs: [peerUrl], isLearner: true };
      const answer = await inTurn(() =>
        membership<{ member: MemberJson }>("add", body)
      );
      return BigInt(answer.member.ID);
    },
    promote: (id) => inTurn(() => membership("promote", { ID: String(id) })),
    remove: (id) => inTurn(() => membership("remove", { ID: String(id) })),
    memberId: async () => (await readStatus()).memberId,
    status: readStatus,
    alarms,
    async raise(kind) {
      const { memberId } = await readStatus();
      await alarm("ACTIVATE", { memberId, alarm: kind });
    },
    async disarm() {
      const active = await alarms();
      for (const one of active) {
        // etcd clients also clear them one by one.
        await alarm("DEACTIVATE", one);
      }
      return active;
    },
    defragment: () => call("maintenance/defragment", {}),
    moveLeader: (id) =>
      call("maintenance/transfer-leadership", { targetID: String(id) }),
    async downgrade(action, version) {
      const body = { action, version };
      const answer = await call<{ version?: string }>(
        "maintenance/downgrade",
        body,
      );
      return answer.version ?? "";
    },
    async *snapshot() {
      const parts = reach().stream("/v3/maintenance/snapshot", {});
      for await (const part of parts as AsyncIterable<{ blob?: string }>) {
        if (part.blob) yield Uint8Array.fromBase64(part.blob);
      }
    },
    async checkQuorum(signal) {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), quorumMs);
      const ended = AbortSignal.any([signal, limit.signal]);
      try {
        const key = btoa("health");
        await call("kv/range", { key }, { signal: ended });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

interface Alarm {
  readonly memberID: string;
  readonly alarm: EtcdAlarmKind;
}

/** Zero and empty values are omitted. */
interface MemberJson {
  readonly ID: string;
  readonly name?: string;
  readonly peerURLs?: readonly string[];
  readonly clientURLs?: readonly string[];
  readonly isLearner?: boolean;
}

interface MemberStatus {
  readonly header: { readonly member_id: string };
  readonly version: string;
  readonly storageVersion?: string;
  readonly dbSize?: string;
  readonly dbSizeInUse?: string;
  readonly leader?: string;
  readonly raftIndex?: string;
  readonly raftTerm?: string;
  readonly raftAppliedIndex?: string;
  readonly errors?: readonly string[];
  readonly isLearner?: boolean;
}

function toMember(
  { ID, name = "", peerURLs = [], clientURLs = [], isLearner = false }:
    MemberJson,
): SimulatedMember {
  return {
    id: BigInt(ID),
    name,
    peerUrls: peerURLs,
    clientUrls: clientURLs,
    isLearner,
  };
}

function toAlarm(
  { memberID, alarm }: Alarm,
): EtcdAlarm {
  return { memberId: BigInt(memberID), alarm };
}

function toStatus(status: MemberStatus): EtcdStatus {
  // Zero is omitted.
  const number = (text = "0") => BigInt(text);
  return {
    memberId: BigInt(status.header.member_id),
    protocolVersion: status.version,
    storageVersion: status.storageVersion ?? "",
    dbSize: number(status.dbSize),
    dbSizeInUse: number(status.dbSizeInUse),
    leader: number(status.leader),
    raftIndex: number(status.raftIndex),
    raftTerm: number(status.raftTerm),
    raftAppliedIndex: number(status.raftAppliedIndex),
    errors: status.errors ?? [],
    isLearner: status.isLearner ?? false,
  };
}

/** Runs a task after the previous one has finished, successfully or not. */
export type TaskQueue = <T>(act: () => Promise<T>) => Promise<T>;

export function createQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const turn = last.then(act, act);
    last = turn;
    return turn;
  };
}
