/** Background process of a cluster: finds, awaits and stops it, also after a crash. */

import { kill as nodeKill } from "node:process";
import { isAbsent } from "../lib/files/atomic_file.ts";
import { OsctlError } from "../errors.ts";
import { selfCommand } from "./own_command.ts";
import { type ClusterLocation, joinFolder } from "./state.ts";

/**
 * Locks a folder until this process exits.
 *
 * The kernel releases the lock with the process, so a free lock means that no process runs, also after `kill -9`.
 *
 * @param name Lock file in the folder, default that of the background process.
 * @returns `undefined` if another process holds it.
 */
export async function lockFolder(
  folder: string,
  name = "process",
): Promise<Deno.FsFile | undefined> {
  const file = await Deno.open(`${folder}/${name}`, {
    create: true,
    write: true,
    mode: 0o600,
  });
  for (let attempt = 0; attempt < claimAttempts; attempt++) {
    if (await file.tryLock(true)) {
      await file.truncate();
      // The pid is only informative: a cluster can be removed even if the disk is full.
      await file.write(new TextEncoder().encode(`${Deno.pid}\n`))
        .catch(() => {});
      return file;
    }
    // Another process may only be checking whether this one runs.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  file.close();
  return undefined;
}

const claimAttempts = 50;

/** Finds the process that holds the lock of a folder. Returns its pid, `undefined` if none runs. */
export async function findProcess(
  folder: string,
  name = "process",
): Promise<number | undefined> {
  const path = `${folder}/${name}`;
  try {
    using file = await Deno.open(path, { read: true });
    if (await file.tryLock(false)) return undefined;
    const pid = Number(await Deno.readTextFile(path)) || undefined;
    // A process that just got the lock may not have replaced the pid of a killed one.
    return pid !== undefined && isAlive(pid) ? pid : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    return nodeKill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** True if the nodes of a cluster run. */
export async function isRunning(place: ClusterLocation): Promise<boolean> {
  return await findProcess(joinFolder(place)) !== undefined;
}

/** A detached process. */
export interface DetachedProcess {
  readonly pid: number;
  /** True if the process has exited. */
  readonly ended: () => boolean;
  readonly untilEnd: () => Promise<void>;
}

/** Starts the process that serves a cluster. */
export function startServing(
  { state, name }: ClusterLocation,
): DetachedProcess {
  return startDetached(["cluster", "serve", "--state", state, "--name", name]);
}

/** Creates the error for a cluster process that cannot start. */
export function cannotStart(
  { name }: ClusterLocation,
  reason: string,
  hint?: string,
): OsctlError {
  return new OsctlError(
    `Cannot start cluster "${name}": ${reason}`,
    hint === undefined ? {} : { hint },
  );
}

/** Starts osctl in a detached process. */
export function startDetached(args: readonly string[]): DetachedProcess {
  const { command, args: all, env } = selfCommand(args);
  const child = new Deno.Command(command, {
    args: all,
    env,
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  child.unref();
  let ended = false;
  const end = child.status.then(() => void (ended = true));
  return {
    pid: child.pid,
    ended: () => ended,
    untilEnd() {
      child.ref();
      return end;
    },
  };
}

/**
 * Stops the background process of a cluster.
 *
 * @param patienceMs Grace period before it is killed, default 5 s.
 * @throws {OsctlError} If it cannot be stopped.
 */
export async function stopProcess(
  folder: string,
  patienceMs = 5_000,
): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const pid = await findProcess(folder);
    if (pid === undefined) return;
    kill(pid, signal);
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline) {
      if (await findProcess(folder) === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  throw new OsctlError(`Cannot stop the process of the cluster in "${folder}"`);
}

function kill(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch (error) {
    // It exited by itself.
    if (
      !(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)
    ) {
      throw error;
    }
  }
}
