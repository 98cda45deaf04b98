/** Clusters of simulated nodes in a background process of this machine: created, started, removed. */

import { ConfigError, OsctlError, TimeoutError } from "../errors.ts";
import { unwritable } from "../config/files/atomic_file.ts";
import { exists } from "../config/files/exists.ts";
import { killStaleServers } from "../simulator/etcd/real/etcd_process.ts";
import {
  type DetachedProcess,
  lockFolder,
  processOf,
  startDetached,
  stopProcess,
} from "./background.ts";
import {
  clusterNotFound,
  type EmbeddedAccess,
  type EmbeddedSpec,
  embeddedState,
  etcdFolder,
  readOutcome,
  readSpec,
  writeSpec,
} from "./embedded_folder.ts";
import { type ClusterLocation, folderOf, writeState } from "./state.ts";

/** How long to wait for the nodes. */
export interface EmbeddedStartOptions {
  /** Longest wait until every node is ready, in milliseconds. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** How a cluster is created. */
export interface CreateOptions extends EmbeddedStartOptions {
  /** Path of the client configuration that will get the cluster's context. */
  readonly osconfig: string;
}

/**
 * Creates a cluster and waits until every node is ready. Throws `ConfigError` if there is a cluster of
 * this name. Throws `TimeoutError` if the nodes are not ready in time; the cluster is then gone again.
 */
export async function createEmbedded(
  place: ClusterLocation,
  spec: EmbeddedSpec,
  options: CreateOptions,
): Promise<EmbeddedAccess> {
  await makeFolder(place);
  try {
    const { osconfig } = options;
    await writeState(place, { ...embeddedState(place.name), osconfig });
    await writeSpec(place, spec);
    return await startEmbedded(place, options);
  } catch (error) {
    await removeEmbedded(place);
    throw error;
  }
}

/**
 * Starts the process of a cluster that was created before, unless it runs. Throws `ConfigError` if
 * there is no such cluster. Throws `OsctlError` if the nodes cannot run. Throws `TimeoutError` if the
 * nodes are not ready in time.
 */
export async function startEmbedded(
  place: ClusterLocation,
  { waitMs, signal }: EmbeddedStartOptions,
): Promise<EmbeddedAccess> {
  const folder = folderOf(place);
  if (await readSpec(place) === undefined) throw clusterNotFound(place);
  const deadline = performance.now() + waitMs;
  let started: DetachedProcess | undefined;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const ended = started?.ended() ?? false;
    const pid = await processOf(folder);
    const access = await accessOf(place, pid, started);
    if (access !== undefined) return access;
    if (pid === undefined && ended) {
      throw cannotStart(place, "its process exited early");
    }
    if (pid === undefined) started ??= startServing(place);
    // Files are the one signal that outlives either process.
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  throw new TimeoutError(
    `Nodes of cluster "${place.name}" were not ready after ${waitMs / 1000} s`,
    { hint: "Increase --wait-timeout" },
  );
}

/** Stops the process of a cluster, if it runs, and removes its folder. */
export async function removeEmbedded(place: ClusterLocation): Promise<void> {
  const folder = folderOf(place);
  while (true) {
    await stopProcess(folder);
    // Keeps a process out that is only about to start; when it was faster, it is stopped too.
    using lock = await lockFolder(folder);
    if (lock === undefined) continue;
    await killStaleServers(etcdFolder(place));
    return await Deno.remove(folder, { recursive: true });
  }
}

async function accessOf(
  place: ClusterLocation,
  pid: number | undefined,
  started: DetachedProcess | undefined,
): Promise<EmbeddedAccess | undefined> {
  const outcome = await readOutcome(place);
  // Whatever a process that is gone has left does not count.
  if (outcome === undefined) return undefined;
  if ("access" in outcome) {
    return outcome.pid === pid ? outcome.access : undefined;
  }
  if (outcome.pid !== started?.pid) return undefined;
  // It has nothing more to do.
  await started.untilEnd();
  throw cannotStart(place, outcome.error, outcome.hint);
}

function startServing({ state, name }: ClusterLocation): DetachedProcess {
  return startDetached(["cluster", "serve", "--state", state, "--name", name]);
}

function cannotStart(
  { name }: ClusterLocation,
  reason: string,
  hint?: string,
): OsctlError {
  return new OsctlError(
    `Cannot start cluster "${name}": ${reason}`,
    hint === undefined ? {} : { hint },
  );
}

async function makeFolder(place: ClusterLocation): Promise<void> {
  const { state, name } = place;
  const folder = folderOf(place);
  try {
    await Deno.mkdir(state, { recursive: true, mode: 0o700 });
    await Deno.mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (!await exists(folder)) throw unwritable(state, error);
    throw new ConfigError(
      `Cannot create cluster "${name}": "${folder}" exists`,
      { hint: `Remove it with: osctl cluster destroy --name ${name}` },
    );
  }
}
