/** Requests to the Kubernetes API server of a run's cluster. */

import { ConfigError } from "../../../errors.ts";
import { restoreCredentials } from "../../ca/credentials.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import { hasVault } from "../store/remove_run.ts";
import type { OpenVault } from "../../vault/vault.ts";
import type { RunSession } from "./run_session.ts";
import { connectRun } from "./run_connection.ts";
import { findPlaces } from "../store/run_paths.ts";
import { openRunVault } from "../store/run_vault.ts";

/** Timeout for the API server, in milliseconds. */
const patienceMs = 15_000;

/** A run whose vault may hold credentials of the cluster. */
export interface KeptRun {
  readonly id: string;
  readonly folder: string;
}

interface KubernetesQuery {
  /** Context of the client configuration, unless --context is set; default the current context. */
  readonly named?: string;
  /** Finds a run started with a context: half-way through a CA rotation only its credentials work. */
  readonly run: (context: string) => Promise<KeptRun | undefined>;
  /** Key file of the vault; default the one next to the runs. */
  readonly vaultKey: string | undefined;
}

/**
 * Sends a request to the API server of a cluster.
 *
 * @param vaultKey Key file of the run's vault.
 * @param ask Sends the request; its signal aborts it.
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
    vault = await openVault(found, vaultKey, { environment, note });
    if (vault !== undefined) await restoreCredentials(connection.ring, vault);
  }
  return await ask(await connection.view.kubernetes(), signal);
}

/** Opens the vault; `undefined` when the run has none, or the key is elsewhere: the context may still work. */
async function openVault(
  { id, folder }: KeptRun,
  vaultKey: string | undefined,
  { environment, note }: Pick<RunSession, "environment" | "note">,
): Promise<OpenVault | undefined> {
  try {
    if (!await hasVault(folder)) return undefined;
    const { keys } = findPlaces(environment);
    return await openRunVault({
      folder,
      id,
      keyFile: vaultKey,
      keys,
      environment,
    });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    note(`The credentials of run "${id}" are not used: ${error.message}`);
    return undefined;
  }
}
