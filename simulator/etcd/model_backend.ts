/** Model of etcd: members, votes and keys in memory, saved in a store. */

import { urlHost } from "../../lib/ip.ts";
import type { NodeIdentity } from "../state/node_identity.ts";
import { newDatabase, readSnapshot } from "./database.ts";
import {
  createChanges,
  type EtcdBackend,
  type EtcdChanges,
  type EtcdExit,
  type EtcdRun,
  type EtcdServer,
  type EtcdStartOptions,
  type InitialCluster,
} from "../state/etcd.ts";
import { noSnapshotError } from "./etcd_error.ts";
import { modelClient } from "./model_client.ts";
import {
  elect,
  type EtcdModelCluster,
  findMember,
  newCluster,
  writeFile,
} from "./model_cluster.ts";
import { type ModelData, readModel, writeModel } from "./saved_model.ts";

interface ModelOptions {
  /** Saved state; omitted if there is none. */
  readonly saved: string | undefined;
  /** Saves the state; omitted, it is not saved. */
  readonly save?: (text: string) => Promise<void>;
  /** Version of etcd, without `v`. */
  readonly version: string;
}

/** Model of etcd. */
export interface EtcdModel extends EtcdBackend {
  /** Data of servers by host name. */
  readonly data: ReadonlyMap<string, ModelData>;
}

/** Makes a model. Throws ConfigError if the saved state is invalid. */
export function etcdModel(options: ModelOptions): EtcdModel {
  const { saved, version } = options;
  const state: EtcdModelState = {
    data: saved === undefined ? new Map() : readModel(saved),
    runs: new Map(),
    version,
    changes: createChanges(),
    save: writer(options),
  };
  return {
    retryMs: undefined,
    isSilent: true,
    changes: state.changes,
    data: state.data,
    openServer: (identity) => server(state, identity),
    shownUrl: (url) => url,
    close: () => Promise.resolve(),
  };
}

interface EtcdModelState {
  readonly data: Map<string, ModelData>;
  readonly runs: Map<string, {
    readonly cluster: EtcdModelCluster;
    readonly id: bigint;
    readonly end: (end: EtcdExit) => void;
  }>;
  readonly version: string;
  readonly changes: EtcdChanges;
  readonly save: (data: EtcdModelState["data"]) => Promise<void>;
}

function writer({ save }: ModelOptions): EtcdModelState["save"] {
  if (!save) return () => Promise.resolve();
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return (data) =>
    next ??= (async () => {
      await last;
      next = undefined;
      await (last = save(writeModel(data)));
    })();
}

function server(
  state: EtcdModelState,
  { hostname, address }: NodeIdentity,
): EtcdServer {
  const host = urlHost(address);
  const peerUrl = `https://${host}:2380`;
  const clientUrl = `https://${host}:2379`;
  let upload: Uint8Array<ArrayBuffer> | undefined;

  async function start({ name, initial }: EtcdStartOptions): Promise<EtcdRun> {
    const data = state.data.get(hostname) ?? toData(state, peerUrl, initial);
    state.data.set(hostname, data);
    const { cluster, id } = data;
    const member = findMember(cluster, id);
    if (!member) return endedRun(removedEnd);
    member.name = name;
    member.clientUrl = clientUrl;
    member.isStarted = true;
    const { promise: ended, resolve: end } = Promise.withResolvers<EtcdExit>();
    state.runs.set(hostname, { cluster, id, end });
    cluster.running.add(id);
    if (elect(cluster)) state.changes.notify();
    await state.save(state.data);
    const stop = () => stopServer(state, hostname);
    return { ended, stop, kill: stop };
  }

  return {
    peerUrl: () => Promise.resolve(peerUrl),
    client: modelClient({
      cluster: () => state.runs.get(hostname)?.cluster,
      id: () => state.runs.get(hostname)?.id ?? 0n,
      endpoint: () => `${host}:2379`,
      newId,
      changed: (cluster) => onChange(state, cluster),
    }),
    endpoint: () => `${host}:2379`,
    isRunning: () => state.runs.has(hostname),
    databaseFile() {
      const data = state.data.get(hostname);
      return data && writeFile(data.cluster);
    },
    hasData: () => Promise.resolve(state.data.has(hostname)),
    async wipe() {
      state.data.delete(hostname);
      await state.save(state.data);
    },
    async upload(parts) {
      upload = await new Response(ReadableStream.from(parts)).bytes();
    },
    async restore(name, { skipHashCheck }) {
      if (upload === undefined) throw noSnapshotError();
      const database = await readSnapshot(upload, skipHashCheck);
      const id = newId();
      const members = [{ id, name, peerUrl }];
      const { version } = state;
      const cluster = newCluster(members, { database, version });
      state.data.set(hostname, { cluster, id });
      upload = undefined;
    },
    start,
  };
}

const removedEnd: EtcdExit = {
  status: 0,
  lastLog: "the member has been permanently removed from the cluster",
  isFinal: true,
};

function endedRun(end: EtcdExit): EtcdRun {
  const nothing = () => Promise.resolve();
  return { ended: Promise.resolve(end), stop: nothing, kill: nothing };
}

function stopServer(state: EtcdModelState, hostname: string): Promise<void> {
  const run = state.runs.get(hostname);
  if (run) {
    const { cluster, id, end } = run;
    state.runs.delete(hostname);
    cluster.running.delete(id);
    if (elect(cluster)) state.changes.notify();
    end({ status: 0, lastLog: "", isFinal: false });
  }
  return Promise.resolve();
}

/** Initial data of a server without data. */
function toData(
  state: EtcdModelState,
  peerUrl: string,
  initial: InitialCluster | undefined,
): ModelData {
  if (!initial) {
    throw new Error(`Server "${peerUrl}" has no data and no cluster`);
  }
  const clusters = new Set([...state.data.values()].map((one) => one.cluster));
  for (const cluster of clusters) {
    // A member that was not started yet is reserved for this server.
    const place = cluster.members.find((one) =>
      one.peerUrl === peerUrl && !one.isStarted
    );
    if (place) return { cluster, id: place.id };
  }
  const members = initial.members.map((one) => ({
    ...one,
    id: newId(),
  }));
  const cluster = newCluster(members, {
    database: newDatabase(peerUrl),
    version: state.version,
  });
  const own = cluster.members.find((one) => one.peerUrl === peerUrl);
  return { cluster, id: own?.id ?? 0n };
}

function newId(): bigint {
  const [id = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  return id;
}

async function onChange(
  state: EtcdModelState,
  cluster: EtcdModelCluster,
): Promise<void> {
  for (const [hostname, run] of state.runs) {
    if (run.cluster !== cluster || findMember(cluster, run.id)) continue;
    state.runs.delete(hostname);
    run.end(removedEnd);
  }
  state.changes.notify();
  await state.save(state.data);
}
