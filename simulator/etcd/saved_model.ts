/** Saved state of a modelled etcd. */

import { ConfigError } from "../../errors.ts";
import type { EtcdAlarm } from "../state/etcd.ts";
import type { EtcdModelCluster, EtcdModelMember } from "./model_cluster.ts";

/** Data of one server. */
export interface ModelData {
  readonly cluster: EtcdModelCluster;
  readonly id: bigint;
}

/** Serializes the data of all servers. */
export function writeModel(data: ReadonlyMap<string, ModelData>): string {
  const clusters = [
    ...new Set([...data.values()].map(({ cluster }) => cluster)),
  ];
  return JSON.stringify({
    clusters: clusters.map(({ running: _, leader: _leader, ...cluster }) => ({
      ...cluster,
      database: {
        revision: cluster.database.revision,
        history: cluster.database.history.map((pair) =>
          pair.map((bytes) => bytes.toBase64())
        ),
      },
    })),
    servers: [...data].map(([name, { cluster, id }]) => ({
      name,
      cluster: clusters.indexOf(cluster),
      id,
    })),
  }, (_, value) => typeof value === "bigint" ? `${value}n` : value);
}

/** Parses the text of {@linkcode writeModel}. Throws ConfigError if it is invalid. */
export function readModel(text: string): Map<string, ModelData> {
  try {
    const saved: Saved = JSON.parse(text, revive);
    const clusters = saved.clusters.map(restoreCluster);
    return new Map(saved.servers.map(({ name, cluster, id }) => {
      const found = clusters[cluster];
      if (!found) throw new SyntaxError(`no cluster ${cluster}`);
      return [name, { cluster: found, id }];
    }));
  } catch (cause) {
    throw new ConfigError("Cannot read the saved etcd state", { cause });
  }
}

interface Saved {
  readonly clusters: readonly SavedModelCluster[];
  readonly servers: readonly {
    readonly name: string;
    readonly cluster: number;
    readonly id: bigint;
  }[];
}

interface SavedModelCluster {
  readonly members: EtcdModelMember[];
  readonly term: bigint;
  readonly index: bigint;
  readonly alarms: readonly EtcdAlarm[];
  readonly downgrade: string;
  readonly version: string;
  readonly database: {
    readonly revision: bigint;
    readonly history: readonly (readonly [string, string])[];
  };
}

function restoreCluster(
  { database, ...cluster }: SavedModelCluster,
): EtcdModelCluster {
  const { revision, history } = database;
  return {
    ...cluster,
    running: new Set(),
    leader: 0n,
    database: {
      revision,
      history: history.map(([key, value]) => [
        Uint8Array.fromBase64(key),
        Uint8Array.fromBase64(value),
      ]),
    },
  };
}

function revive(_: string, value: unknown): unknown {
  return typeof value === "string" && /^\d+n$/.test(value)
    ? BigInt(value.slice(0, -1))
    : value;
}
