/** etcd of a cluster: a server for each control plane, real or modelled. */

import type { EtcdMemberStatus } from "../../transport/gen/machine.ts";
import type { CertificateAuthority } from "../../pki/certificate.ts";
import type { NodeIdentity } from "./node_identity.ts";
import { createHistory } from "../wire/history_buffer.ts";

/** A member of an etcd cluster. Source: `etcdserverpb.Member`. */
export interface SimulatedMember {
  readonly id: bigint;
  /** Empty before its first start. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  /** Client URLs; none before its first start. */
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/** Status of a member; without a storage version before etcd 3.6. */
export type EtcdStatus = EtcdMemberStatus;

/** An alarm of a member. */
export interface EtcdAlarm {
  readonly memberId: bigint;
  readonly alarm: EtcdAlarmKind;
}

/** Kinds of alarms. */
export type EtcdAlarmKind = "NOSPACE" | "CORRUPT";

/** Downgrade action. */
export type EtcdDowngrade = "VALIDATE" | "ENABLE" | "CANCEL";

/** Calls to a server; each rejects with `EtcdError` if the server refuses or is not running. */
export interface EtcdClient {
  /** Lists the members; requires a leader. */
  readonly members: () => Promise<readonly SimulatedMember[]>;
  /** Adds a learner; returns its ID. */
  readonly addLearner: (peerUrl: string) => Promise<bigint>;
  readonly promote: (id: bigint) => Promise<void>;
  readonly remove: (id: bigint) => Promise<void>;
  readonly memberId: () => Promise<bigint>;
  readonly status: () => Promise<EtcdStatus>;
  readonly alarms: () => Promise<readonly EtcdAlarm[]>;
  readonly raise: (alarm: EtcdAlarmKind) => Promise<void>;
  /** Disarms all alarms; returns those that were active. */
  readonly disarm: () => Promise<readonly EtcdAlarm[]>;
  /** Defragments this member's database. */
  readonly defragment: () => Promise<void>;
  /** Makes another member the leader; only the leader accepts this. */
  readonly moveLeader: (id: bigint) => Promise<void>;
  /** Validates, enables or cancels a downgrade; returns the cluster version. */
  readonly downgrade: (
    action: EtcdDowngrade,
    version: string,
  ) => Promise<string>;
  /** The database followed by its SHA-256 checksum. */
  readonly snapshot: () => AsyncIterable<Uint8Array>;
  /** Makes a request that requires quorum. */
  readonly checkQuorum: (signal: AbortSignal) => Promise<void>;
}

/** Initial cluster of a server without data. */
export interface InitialCluster {
  /** False if it exists already. */
  readonly isNew: boolean;
  /** Its members, including the server itself. */
  readonly members: readonly {
    readonly name: string;
    readonly peerUrl: string;
  }[];
}

/** A started server. */
export interface EtcdRun {
  /** Resolves when it has exited or was stopped. */
  readonly ended: Promise<EtcdExit>;
  /** Stops it gracefully and waits for its exit. */
  readonly stop: () => Promise<void>;
  /** Kills it, as on power loss, and waits for its exit. */
  readonly kill: () => Promise<void>;
}

/** Exit of a server. */
export interface EtcdExit {
  readonly status: number;
  readonly lastLog: string;
  /** True if a restart would fail the same way. */
  readonly isFinal: boolean;
}

/** The etcd of a node: its data and, while running, its server. */
export interface EtcdServer {
  readonly peerUrl: () => Promise<string>;
  /** `host:port` for clients. */
  readonly endpoint: () => string;
  readonly client: EtcdClient;
  readonly isRunning: () => boolean;
  /** Database file on disk; `undefined` if there is none. */
  readonly databaseFile: () => Uint8Array | undefined;
  /** True if the data directory is not empty. */
  readonly hasData: () => Promise<boolean>;
  readonly wipe: () => Promise<void>;
  /** Stores a snapshot for {@linkcode restore}; an incomplete one is dropped. */
  readonly upload: (parts: AsyncIterable<Uint8Array>) => Promise<void>;
  /**
   * Restores the data directory from the uploaded snapshot and deletes the snapshot. Throws `EtcdError`
   * if there is none or its SHA-256 checksum does not match.
   */
  readonly restore: (
    name: string,
    options: EtcdRestoreOptions,
  ) => Promise<void>;
  /** Starts the server. Resolves when it serves other members or has exited. */
  readonly start: (options: EtcdStartOptions) => Promise<EtcdRun>;
}

/** Options for restoring a snapshot. */
export interface EtcdRestoreOptions {
  /** True to skip the SHA-256 check. */
  readonly skipHashCheck: boolean;
}

/** Options for starting a server. */
export interface EtcdStartOptions {
  readonly name: string;
  readonly issuer: CertificateAuthority;
  /** Initial cluster; `undefined` if it has data. */
  readonly initial: InitialCluster | undefined;
  /** Called with every line of its log. */
  readonly log: (line: string) => void;
}

/** etcd of a cluster. */
export interface EtcdBackend {
  /** Retry interval in milliseconds; `undefined` to wait for a change. */
  readonly retryMs: number | undefined;
  /** True if servers do not log, and the simulator has to write their logs. */
  readonly isSilent: boolean;
  /** Reports started and exited servers. */
  readonly changes: EtcdChanges;
  readonly openServer: (identity: NodeIdentity) => EtcdServer;
  /** Converts a member URL to the one nodes would show: servers may listen at other addresses. */
  readonly shownUrl: (url: string) => string;
  /** Releases the resources of stopped servers. */
  readonly close: () => Promise<void>;
}

/** etcd of a node. */
export interface NodeEtcd {
  readonly server: EtcdServer;
  /** Returns the cluster to bootstrap at its first start; `undefined` for none. */
  foundCluster: (() => Promise<InitialCluster>) | undefined;
  /** Called when a boot has to wait for it; no-op by default. */
  onWait: () => void;
  instance: EtcdInstance | undefined;
}

/** A run of the service, until it is stopped or the node loses power. */
interface EtcdInstance {
  readonly stop: AbortController;
  /** Resolves when it is running and its health is known, or it is waiting for other members, or has finished. */
  readonly startup: Promise<void>;
  readonly ended: Promise<void>;
}

/** Notification of changes. */
export interface EtcdChanges {
  readonly notify: () => void;
  readonly count: () => number;
  /**
   * Waits until there are more changes than `count`.
   *
   * @param signal Ends the wait early; the promise then resolves.
   */
  readonly after: (count: number, signal: AbortSignal) => Promise<void>;
}

/** Makes a change notifier without changes. */
export function createChanges(): EtcdChanges {
  const history = createHistory<undefined>(1);
  return {
    notify: () => history.append(undefined),
    count: history.end,
    after: history.waitFor,
  };
}
