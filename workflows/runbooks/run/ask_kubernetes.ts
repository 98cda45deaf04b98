/** The API server of the cluster that a run is about. */

import { ConfigError } from "../../../errors.ts";
import { restoreCredentials } from "../../ca/credentials.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import { hasVault } from "../store/remove_run.ts";
import type { OpenVault } from "../../vault/vault.ts";
import type { RunSession } from "./run_session.ts";
import { connectRun } from "./run_connection.ts";
import { findPlaces } from "../store/run_paths.ts";
import { vaultOf } from "../store/run_vault.ts";

/** Longest wait for the API server, in milliseconds. */
const patienceMs = 15_000;

/** A run whose vault may hold what opens the cluster. */
export interface KeptRun {
  readonly id: string;
  readonly folder: string;
}

interface KubernetesQuery {
  /** Context of the client configuration, unless --context says another; default the current one. */
  readonly named?: string;
  /** Finds a run that was started with a context: half-way through a CA rotation only its credentials work. */
  readonly run: (context: string) => Promise<KeptRun | undefined>;
  /** File with the key of its vault; default the one next to the runs. */
  readonly vaultKey: string | undefined;
}

/**
 * Asks the API server of a cluster.
 *
 * @param vaultKey File with the key of the vault of the run.
 * @param ask Asks; its signal ends the wait.
 * @throws {OsctlError} If the API server cannot be reached.
 */
export async function askKubernetes<T>(
  session: Omit<RunSession, "load" | "steps">,
  { named, run, vaultKey }: KubernetesQuery,
  ask: (kubernetes: Kubernetes, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, environment, note } = session;
  const late = AbortSignal.timeout(patienceMs);
  const signal = AbortSignal.any([session.signal, late]);
  let vault: OpenVault | undefined;
  using connection = connectRun({
    to: await session.connect(named, signal),
    vault: {
      read: (handle) =>
        vault?.read(handle) ??
          Promise.reject(new ConfigError("No vault is open")),
    },
    clock,
    signal,
  });
  const found = await run(connection.context);
  if (found !== undefined) {
    vault = await opened(found, vaultKey, { environment, note });
    if (vault !== undefined) await restoreCredentials(connection.ring, vault);
  }
  return await ask(await connection.view.kubernetes(), signal);
}

/** Nothing when the run has none, or its key is elsewhere: the context may still open the cluster. */
async function opened(
  { id, folder }: KeptRun,
  vaultKey: string | undefined,
  { environment, note }: Pick<RunSession, "environment" | "note">,
): Promise<OpenVault | undefined> {
  try {
    if (!await hasVault(folder)) return undefined;
    const { keys } = findPlaces(environment);
    return await vaultOf({ folder, id, keyFile: vaultKey, keys, environment });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    note(`The credentials of run "${id}" are not used: ${error.message}`);
    return undefined;
  }
}
