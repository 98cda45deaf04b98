/** Clusters of simulated nodes in a background process: create, start, remove. */

import { TimeoutError } from "../../errors.ts";
import { killStaleServers } from "../../simulator/etcd/real/etcd_process.ts";
import {
  cannotStart,
  type DetachedProcess,
  findProcess,
  lockFolder,
  startServing,
  stopProcess,
} from "../background.ts";
import { lockCluster, refuseLocked } from "../cluster_lock.ts";
import {
  type EmbeddedSpec,
  embeddedState,
  etcdFolder,
  readOutcome,
  readSpec,
  writeSpec,
} from "./folder.ts";
import type {
  ClusterAccess,
  CreateOptions,
  StartOptions,
} from "../provisioner.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  joinFolder,
  makeFolder,
  writeState,
} from "../state.ts";

/**
 * Creates a cluster and waits until every node is ready. Throws `ConfigError` if the cluster exists, and
 * `LockedError` if another process is creating or destroying it. Throws `TimeoutError` if the nodes are not
 * ready in time. On failure, everything is removed.
 */
export async function createEmbedded(
  place: ClusterLocation,
  spec: EmbeddedSpec,
  options: CreateOptions,
): Promise<ClusterAccess> {
  await refuseLocked(place, "create");
  await makeFolder(place);
  using _ = await lockCluster(place, "create");
  try {
    const { osconfig } = options;
    await writeState(place, { ...embeddedState(place.name), osconfig });
    await writeSpec(place, spec);
    const access = await options.progress.phase(
      "starting nodes",
      () => startEmbedded(place, options),
    );
    await options.bringUp(access);
    return access;
  } catch (error) {
    await removeEmbedded(place);
    throw error;
  }
}

/**
 * Starts the process of an existing cluster, unless it runs. Throws `ConfigError` if there is no such cluster. Throws
 * `OsctlError` if the nodes cannot run. Throws `TimeoutError` if the nodes are not ready in time.
 */
export async function startEmbedded(
  place: ClusterLocation,
  { waitMs, signal }: StartOptions,
): Promise<ClusterAccess> {
  const folder = joinFolder(place);
  if (await readSpec(place) === undefined) throw clusterNotFound(place);
  const deadline = performance.now() + waitMs;
  let started: DetachedProcess | undefined;
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const ended = started?.ended() ?? false;
    const pid = await findProcess(folder);
    const access = await readAccess(place, pid, started);
    if (access !== undefined) return access;
    if (pid === undefined && ended) {
      throw cannotStart(place, "its process exited early");
    }
    if (pid === undefined) started ??= startServing(place);
    // Polls a file, which outlives either process.
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  throw new TimeoutError(
    `Nodes of cluster "${place.name}" were not ready within ${waitMs / 1000} s`,
    { hint: "Increase --wait-timeout" },
  );
}

/** Stops the process of a cluster, if it runs, and removes its folder. */
export async function removeEmbedded(place: ClusterLocation): Promise<void> {
  const folder = joinFolder(place);
  while (true) {
    await stopProcess(folder);
    // Prevents another process from starting; one that already started is stopped too.
    using lock = await lockFolder(folder);
    if (lock === undefined) continue;
    await killStaleServers(etcdFolder(place));
    return await Deno.remove(folder, { recursive: true });
  }
}

async function readAccess(
  place: ClusterLocation,
  pid: number | undefined,
  started: DetachedProcess | undefined,
): Promise<ClusterAccess | undefined> {
  const outcome = await readOutcome(place);
  // Ignore the outcome of a process that has exited.
  if (outcome === undefined) return undefined;
  if ("access" in outcome) {
    return outcome.pid === pid ? outcome.access : undefined;
  }
  if (outcome.pid !== started?.pid) return undefined;
  // The process has nothing left to do.
  await started.untilEnd();
  throw cannotStart(place, outcome.error, outcome.hint);
}
