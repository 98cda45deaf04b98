/** etcd as nodes run it: a server for each control plane, real or modelled. */

import type { EtcdMemberStatus } from "../../transport/gen/machine.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";
import type { NodeIdentity } from "./node_identity.ts";
import { createHistory } from "../wire/history_buffer.ts";

/** One member of an etcd cluster. Source: `etcdserverpb.Member`. */
export interface SimulatedMember {
  readonly id: bigint;
  /** Name it was started with; empty before its first start. */
  readonly name: string;
  /** Peer URL. */
  readonly peerUrls: readonly string[];
  /** Where clients reach it; none before its first start. */
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/** What a member reports about itself; before etcd 3.6 without a storage version. */
export type EtcdStatus = EtcdMemberStatus;

/** An alarm of a member. */
export interface EtcdAlarm {
  readonly memberId: bigint;
  readonly alarm: EtcdAlarmKind;
}

/** Kinds of alarms. */
export type EtcdAlarmKind = "NOSPACE" | "CORRUPT";

/** What to do about a downgrade. */
export type EtcdDowngrade = "VALIDATE" | "ENABLE" | "CANCEL";

/** Calls to one server; each is rejected with an `EtcdError` when it refuses or does not run. */
export interface EtcdClient {
  /** Members as this one knows them; needs a leader. */
  readonly members: () => Promise<readonly SimulatedMember[]>;
  /** Adds a member without a vote; gives its identity. */
  readonly addLearner: (peerUrl: string) => Promise<bigint>;
  readonly promote: (id: bigint) => Promise<void>;
  readonly remove: (id: bigint) => Promise<void>;
  readonly memberId: () => Promise<bigint>;
  /** What this member says of itself. */
  readonly status: () => Promise<EtcdStatus>;
  readonly alarms: () => Promise<readonly EtcdAlarm[]>;
  /** Raises an alarm of this member. */
  readonly raise: (alarm: EtcdAlarmKind) => Promise<void>;
  /** Clears all alarms; gives those that were on. */
  readonly disarm: () => Promise<readonly EtcdAlarm[]>;
  /** Gives free space of this member's database back. */
  readonly defragment: () => Promise<void>;
  /** Makes another member the leader; only the leader does. */
  readonly moveLeader: (id: bigint) => Promise<void>;
  /** Checks, begins or ends a downgrade; gives the version of the cluster. */
  readonly downgrade: (
    action: EtcdDowngrade,
    version: string,
  ) => Promise<string>;
  /** The database, with the SHA-256 sum of it behind. */
  readonly snapshot: () => AsyncIterable<Uint8Array>;
  /** Asks for something that only a majority can answer. */
  readonly checkQuorum: (signal: AbortSignal) => Promise<void>;
}

/** The cluster a server without data is to be part of. */
export interface InitialCluster {
  /** False when it is there already. */
  readonly isNew: boolean;
  /** Its members, the server itself among them. */
  readonly members: readonly {
    readonly name: string;
    /** Peer URL. */
    readonly peerUrl: string;
  }[];
}

/** A server that was started. */
export interface EtcdRun {
  /** Resolves when it has ended, by itself or because it was stopped. */
  readonly ended: Promise<EtcdExit>;
  /** Asks it to end, and waits until it has. */
  readonly stop: () => Promise<void>;
  /** Ends it at once, as if the power had gone, and waits until it has. */
  readonly kill: () => Promise<void>;
}

/** How a server ended. */
export interface EtcdExit {
  readonly status: number;
  readonly lastLog: string;
  /** True when another start would end in the same way. */
  readonly isFinal: boolean;
}

/** The etcd of one node: its data and, while it runs, its server. */
export interface EtcdServer {
  /** Peer URL. */
  readonly peerUrl: () => Promise<string>;
  /** `host:port` where clients reach it. */
  readonly endpoint: () => string;
  readonly client: EtcdClient;
  readonly isRunning: () => boolean;
  /** The file of the database, as it lies on the disk; `undefined` when there is none. */
  readonly databaseFile: () => Uint8Array | undefined;
  /** Whether the data directory holds anything. */
  readonly hasData: () => Promise<boolean>;
  readonly wipe: () => Promise<void>;
  /** Keeps a snapshot for {@linkcode restore}; one that is not complete is dropped. */
  readonly upload: (parts: AsyncIterable<Uint8Array>) => Promise<void>;
  /**
   * Fills the data directory from the snapshot that was kept, which is then gone. Throws `EtcdError`
   * when there is none, or it is not what its SHA-256 sum says.
   */
  readonly restore: (
    name: string,
    options: EtcdRestoreOptions,
  ) => Promise<void>;
  /** Starts the server. Resolves when it talks to other members, or has ended. */
  readonly start: (options: EtcdStartOptions) => Promise<EtcdRun>;
}

/** How a snapshot is taken. */
export interface EtcdRestoreOptions {
  /** True when its SHA-256 sum does not matter. */
  readonly skipHashCheck: boolean;
}

/** How a server is started. */
export interface EtcdStartOptions {
  readonly name: string;
  readonly issuer: CertificateAuthority;
  /** Initial cluster; `undefined` if it has data. */
  readonly initial: InitialCluster | undefined;
  /** Called with every line of its log. */
  readonly log: (line: string) => void;
}

/** The etcd of a whole cluster. */
export interface EtcdBackend {
  /** How long to wait before something is tried again, in milliseconds; omitted, until something changes. */
  readonly retryMs: number | undefined;
  /** True when servers say nothing, and others have to write their logs. */
  readonly isSilent: boolean;
  /** Reports servers that started and ended. */
  readonly changes: EtcdChanges;
  readonly serverOf: (identity: NodeIdentity) => EtcdServer;
  /** A URL of a member as nodes would show it: their addresses are not always where a server is. */
  readonly shownUrl: (url: string) => string;
  /** Frees what servers that have ended leave behind. */
  readonly close: () => Promise<void>;
}

/** The etcd of one node. */
export interface NodeEtcd {
  readonly server: EtcdServer;
  /** Gives the cluster that its first start begins; absent when there is to be none. */
  foundCluster: (() => Promise<InitialCluster>) | undefined;
  /** Called when a boot has to wait for it; default does nothing. */
  onWait: () => void;
  /** The service since its last start. */
  instance: EtcdInstance | undefined;
}

/** One start of the service, until it is stopped or the power goes. */
interface EtcdInstance {
  readonly stop: AbortController;
  /** Resolves when it runs and its health is known, or it waits for others, or has ended. */
  readonly startup: Promise<void>;
  readonly ended: Promise<void>;
}

/** Reports changes. */
export interface EtcdChanges {
  /** Says that something has changed. */
  readonly notify: () => void;
  /** How often something has changed. */
  readonly count: () => number;
  /**
   * Waits until something has changed more often than that.
   *
   * @param signal Ends the wait early; the promise then resolves.
   */
  readonly after: (count: number, signal: AbortSignal) => Promise<void>;
}

/** Begins without changes. */
export function createChanges(): EtcdChanges {
  const history = createHistory<undefined>(1);
  return {
    notify: () => history.append(undefined),
    count: history.end,
    after: history.waitFor,
  };
}
