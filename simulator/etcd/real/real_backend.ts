/** Real etcd: one process for each running control plane. */

import { urlHost } from "../../../lib/ip.ts";
import type { NodeIdentity } from "../../state/node_identity.ts";
import {
  createChanges,
  type EtcdBackend,
  type EtcdServer,
} from "../../state/etcd.ts";
import { type EtcdPrograms, requireEtcd } from "./program.ts";
import { createQueue, type TaskQueue } from "./real_client.ts";
import { realServer } from "./real_server.ts";
import {
  defaultPorts,
  type EtcdListenAddress,
  formatPeerUrl,
  freePorts,
} from "./server_arguments.ts";
import { killStaleServers } from "./etcd_process.ts";

/** Options of real servers. */
export interface RealEtcdOptions {
  /** Path or name of the program; default `etcd`. */
  readonly program?: string | undefined;
  /** Data folder; default a temporary one, removed at the end. */
  readonly folder?: string;
  /** Extra arguments, such as `--quota-backend-bytes=16777216`; default none. */
  readonly args?: readonly string[];
}

/** Listen addresses of nodes, by node address. */
export type Hosts = ReadonlyMap<string, string>;

/** Retry interval in milliseconds; real nodes wait 3 to 20 s. */
const retryMs = 200;

/** Makes a backend of real servers. Throws ConfigError if etcd is not installed. */
export async function realEtcd(
  { program, folder, args = [] }: RealEtcdOptions,
  hosts: Hosts,
): Promise<EtcdBackend> {
  const programs = await requireEtcd(program);
  const root = folder ?? await Deno.makeTempDir({ prefix: "osctl-etcd-" });
  const shared: BackendState = {
    programs,
    root,
    args,
    changes: createChanges(),
    starting: createQueue(),
    reconfiguring: createQueue(),
    shown: new Map(),
  };
  return {
    retryMs,
    isSilent: false,
    changes: shared.changes,
    openServer: (identity) => makeServer(shared, identity, hosts),
    shownUrl: (url) => shared.shown.get(url) ?? url,
    async close() {
      await killStaleServers(root);
      if (folder === undefined) await Deno.remove(root, { recursive: true });
    },
  };
}

interface BackendState {
  readonly programs: EtcdPrograms;
  readonly root: string;
  readonly args: readonly string[];
  readonly changes: EtcdBackend["changes"];
  readonly starting: TaskQueue;
  readonly reconfiguring: TaskQueue;
  /** URLs as nodes would show them, by real URL. */
  readonly shown: Map<string, string>;
}

function makeServer(
  shared: BackendState,
  { hostname, address }: NodeIdentity,
  hosts: Hosts,
): EtcdServer {
  const { root, programs, args, changes, shown } = shared;
  const folder = `${root}/${hostname}`;
  let known: Promise<EtcdListenAddress> | undefined;

  async function find(): Promise<EtcdListenAddress> {
    const host = hosts.get(address) ?? "127.0.0.1";
    const place = await placeIn(folder, host);
    const at = urlHost(address);
    const { host: _, ...ports } = usualPlace(host);
    shown.set(formatPeerUrl(place), `https://${at}:${ports.peerPort}`);
    const client = { ...place, peerPort: place.clientPort };
    shown.set(formatPeerUrl(client), `https://${at}:${ports.clientPort}`);
    return place;
  }

  return realServer({
    programs,
    folder,
    place: () => known ??= find(),
    address,
    args,
    changed: changes.notify,
    starting: shared.starting,
    reconfiguring: shared.reconfiguring,
  });
}

/** Nodes with their own address use the default ports; others keep the free ports they found. */
async function placeIn(
  folder: string,
  host: string,
): Promise<EtcdListenAddress> {
  if (host !== "127.0.0.1") return usualPlace(host);
  const path = `${folder}/place.json`;
  try {
    // Written below.
    return JSON.parse(await Deno.readTextFile(path)) as EtcdListenAddress;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const place = freePorts(host);
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await Deno.writeTextFile(path, JSON.stringify(place));
  return place;
}

function usualPlace(host: string): EtcdListenAddress {
  return { host, ...defaultPorts };
}
