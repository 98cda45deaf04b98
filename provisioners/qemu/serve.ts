/** Background process of a cluster of virtual machines. */

import { poll } from "../../lib/poll.ts";
import { OsctlError } from "../../errors.ts";
import { lockFolder } from "../background.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  joinFolder,
  readOff,
  writeOff,
} from "../state.ts";
import {
  type ClusterMachine,
  type ImageCache,
  type QemuCluster,
  readCluster,
  writeOutcome,
} from "./cluster.ts";
import { startHelpers } from "./servers/helpers.ts";
import { hostPort } from "../../lib/ip.ts";
import { serveMachine } from "./servers/machine_server.ts";
import { killMachine } from "./leftovers.ts";
import { supervise, type SupervisedMachine } from "./supervisor.ts";

/** Options of {@linkcode serveQemu}. */
export interface ServeOptions {
  readonly signal: AbortSignal;
  /** Starts the registry of an image cache. Throws `ConfigError` if it cannot be served. */
  readonly serveImages: (
    cache: ImageCache & {
      readonly host: string;
      readonly answered: (
        request: { readonly method: string; readonly path: string },
        status: number,
      ) => void;
    },
  ) => Promise<AsyncDisposable>;
}

/**
 * Runs the machines of a cluster and their servers, until it is stopped or the folder is removed.
 *
 * @returns Control plane endpoints, once, after the start.
 * @throws {ConfigError} If there is no such cluster.
 * @throws {OsctlError} If it already runs, or a machine or server cannot be started.
 */
export async function* serveQemu(
  place: ClusterLocation,
  options: ServeOptions,
): AsyncGenerator<readonly string[]> {
  const folder = joinFolder(place);
  using lock = await lockFolder(folder).catch(() => {
    throw clusterNotFound(place);
  });
  if (lock === undefined) {
    throw new OsctlError(`Cluster "${place.name}" is already running`);
  }
  const cluster = await readCluster(place);
  if (cluster === undefined) throw clusterNotFound(place);
  try {
    yield* serve(place, cluster, options);
  } catch (error) {
    // Must not recreate a removed folder.
    if (await readCluster(place) === undefined) throw error;
    await writeOutcome(place, {
      pid: Deno.pid,
      error: error instanceof Error ? error.message : String(error),
      hint: error instanceof OsctlError ? error.hint : undefined,
    });
    throw error;
  }
}

async function* serve(
  place: ClusterLocation,
  cluster: QemuCluster,
  { signal, serveImages }: ServeOptions,
): AsyncGenerator<readonly string[]> {
  const folder = joinFolder(place);
  const stopped = new AbortController();
  // Clean up after a killed process.
  for (const machine of cluster.machines) await killMachine(machine);
  const logTo = (name: string) => (line: string) =>
    Deno.writeTextFileSync(`${folder}/${name}`, `${line}\n`, {
      append: true,
      mode: 0o600,
    });
  const log = logTo("serve.log");
  const { imageCache } = cluster;
  const logImage = logTo("image-cache.log");
  await using _images = imageCache && await serveImages({
    ...imageCache,
    host: cluster.network.subnets[0]?.gateway ?? "",
    answered: ({ method, path }, status) =>
      logImage(`${status} ${method} ${path}`),
  });
  const stopHelpers = await startHelpers(cluster, folder, log);
  const off = new Set(await readOff(joinFolder(place)));
  const machines: SupervisedMachine[] = [];
  const servers: ReturnType<typeof serveMachine>[] = [];
  try {
    for (const machine of cluster.machines) {
      const supervised = supervise(machine, {
        accelerator: cluster.accelerator,
        isOn: !off.has(machine.name),
        async changed(isOn) {
          if (isOn) off.delete(machine.name);
          else off.add(machine.name);
          await writeOff(joinFolder(place), [...off].sort());
        },
        signal: stopped.signal,
      });
      machines.push(supervised);
      servers.push(makeServer(cluster, machine, supervised));
    }
    await Promise.all(machines.map(({ started }) => started));
    await writeOutcome(place, { pid: Deno.pid, ready: true });
    yield listEndpoints(cluster);
    await untilRemoved(folder, signal);
  } finally {
    stopped.abort();
    await Promise.all(machines.map(({ ended }) => ended));
    for (const server of servers) server.close();
    stopHelpers();
  }
}

/** Lists the control plane endpoints. */
export function listEndpoints({ machines }: QemuCluster): string[] {
  return machines.flatMap(({ type, ips: [ip = ""] }) =>
    type === "worker" ? [] : [ip]
  );
}

function makeServer(
  { network, bootScript }: QemuCluster,
  machine: ClusterMachine,
  { power }: SupervisedMachine,
) {
  const { configuration, ips, serverPort } = machine;
  return serveMachine({
    host: network.subnets[0]?.gateway ?? "",
    port: serverPort,
    owners: ips,
    power,
    configuration: () =>
      configuration === undefined
        ? Promise.resolve(undefined)
        : Deno.readTextFile(configuration),
    bootScript: bootScript === undefined
      ? undefined
      : `#!ipxe\nchain --replace ${bootScript} || shell\n`,
  });
}

/** Returns the URL of a machine's configuration. */
export function configurationUrl(gateway: string, port: number): string {
  return `http://${hostPort(gateway, port)}/config.yaml`;
}

/** Waits until the folder is removed. */
async function untilRemoved(
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  for await (const _ of poll({ signal })) {
    const there = await Deno.stat(`${folder}/qemu.json`).catch(() => undefined);
    if (there === undefined) return;
  }
}
