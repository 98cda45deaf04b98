import { sha256Hex } from "../../../lib/sha256.ts";
import { unwritable } from "../../../lib/files/atomic_file.ts";
import { LockedError } from "../../../errors.ts";
import { pause } from "../../../lib/pause.ts";
import { isUnfinished } from "../store/run_condition.ts";
import type { ListedRun } from "../store/run_folder.ts";

/**
 * Locks a cluster; the operating system releases the lock when this process exits.
 *
 * @param folder Folder of all locks; created if missing.
 * @param runs Lists the runs of this machine, to name the one that has it.
 * @throws {LockedError} If another process has it.
 */
export async function lockCluster(
  folder: string,
  cluster: string,
  runs: () => Promise<readonly ListedRun[]> = () => Promise.resolve([]),
): Promise<Disposable> {
  const lock = await lockFile(folder, formatName(cluster));
  if (lock !== undefined) return lock;
  const other = (await runs()).find(({ held, header }) =>
    held && header.cluster.id === cluster
  )?.header;
  const name = other === undefined
    ? ""
    : `: ${other.id} (${other.runbook}, by ${other.operator})`;
  throw new LockedError(
    `Another run on this machine has locked the cluster${name}`,
    {
      hint: other === undefined
        ? "See: osctl runbook status"
        : `Watch it with: osctl runbook watch ${other.id}`,
    },
  );
}

function formatName(cluster: string): string {
  return cluster.replaceAll(/[^A-Za-z0-9=_-]/g, "_");
}

/**
 * Reports whether a process on this machine has locked a cluster.
 *
 * @param folder Folder of all locks.
 * @param cluster Reads the id of the cluster; only called if any cluster is locked.
 */
export async function isClusterLocked(
  folder: string,
  cluster: () => Promise<string | undefined>,
): Promise<boolean> {
  let known: string | undefined;
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (name.startsWith("key-") || !name.endsWith(".lock")) continue;
      using file = await Deno.open(`${folder}/${name}`, { read: true });
      if (await file.tryLock(false)) continue;
      known ??= formatName(await cluster() ?? "");
      if (name === `${known}.lock`) return true;
    }
    return false;
  } catch (error) {
    const isMissing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (isMissing) return false;
    throw error;
  }
}

/**
 * Locks the key of an outer engine, so that two callers with the same key never start two runs.
 *
 * @param folder Folder of all locks; created if missing.
 * @throws {LockedError} If another process has it.
 */
export async function lockKey(
  folder: string,
  key: string,
): Promise<Disposable> {
  const lock = await lockFile(folder, `key-${await sha256Hex(key)}`);
  if (lock !== undefined) return lock;
  throw new LockedError(
    `The run with key "${key}" is running in another process`,
    {
      hint: "Wait until it has finished",
    },
  );
}

async function lockFile(
  folder: string,
  name: string,
): Promise<Disposable | undefined> {
  const file = await openedIn(folder, name);
  // A process that checks the lock holds it briefly, too.
  for (let tries = 1; !await file.tryLock(true); tries++) {
    if (tries === 5) {
      file.close();
      return undefined;
    }
    // Tries are sequential.
    await pause(20);
  }
  return { [Symbol.dispose]: () => file.close() };
}

async function openedIn(folder: string, name: string): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    return await Deno.open(`${folder}/${name}.lock`, {
      write: true,
      create: true,
      mode: 0o600,
    });
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

/**
 * Refuses a run while another run on the same cluster is unfinished.
 *
 * @param except Runs that do not count: the resumed one, and the superseded one.
 * @throws {LockedError} Naming the unfinished run.
 */
export function refuseUnfinished(
  runs: readonly ListedRun[],
  cluster: string,
  except: ReadonlySet<string>,
): void {
  const other = runs.find((run) =>
    run.header.cluster.id === cluster && !except.has(run.header.id) &&
    isUnfinished(run)
  );
  if (other === undefined) return;
  const { id, runbook, at } = other.header;
  throw new LockedError(
    `Run "${id}" (${runbook}, of ${at}) is unfinished on this cluster`,
    {
      hint:
        `Resume with: osctl runbook resume ${id}, or supersede it with --supersede ${id}`,
    },
  );
}
