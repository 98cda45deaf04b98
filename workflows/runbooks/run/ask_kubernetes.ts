/** The API server of the cluster that a run is about. */

import { ConfigError } from "../../../errors.ts";
import { restoreRing } from "../../ca/credentials.ts";
import type { Kubernetes } from "../../kubernetes/client.ts";
import { hasVault } from "../store/remove_run.ts";
import type { OpenVault } from "../../vault/vault.ts";
import type { Context } from "../../../commands/_kit/command.ts";
import { clockOf } from "../../../commands/_kit/operate.ts";
import { openLink } from "./run_connection.ts";
import { placesOf } from "../store/run_paths.ts";
import { vaultOf } from "../store/run_vault.ts";

/** Longest wait for the API server, in milliseconds. */
const patienceMs = 15_000;

/** A run whose vault may hold what opens the cluster. */
export interface KeptRun {
  /** Its id. */
  readonly id: string;
  /** Its folder. */
  readonly folder: string;
}

/** Which cluster is asked. */
export interface AskedCluster {
  /** Context of the client configuration, unless --context says another; default the current one. */
  readonly named?: string;
  /** Finds a run that was begun with a context: half-way through an exchange of authorities only its credentials fit. */
  readonly run: (context: string) => Promise<KeptRun | undefined>;
}

/** Flags and environment; `--vault-key` opens the vault of the run. */
export type Asking = Pick<
  Context<{ readonly vaultKey: string | undefined }>,
  "input" | "globals" | "environment" | "note" | "signal"
>;

/**
 * Asks the API server of a cluster.
 *
 * @param context Flags and environment.
 * @param cluster Which one.
 * @param ask Asks; its signal ends the wait.
 * @throws {OsctlError} If the API server cannot be reached.
 */
export async function askKubernetes<T>(
  asking: Asking,
  { named, run }: AskedCluster,
  ask: (kubernetes: Kubernetes, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { globals, environment, note, signal } = asking;
  const context = globals.context ?? named;
  const ended = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const kept: { vault?: OpenVault } = {};
  using link = await openLink({
    context: { environment, note, globals: { ...globals, context } },
    vault: {
      read: (handle) =>
        kept.vault?.read(handle) ??
          Promise.reject(new ConfigError("No vault is open")),
    },
    clock: clockOf(environment),
    signal: ended,
  });
  const found = await run(link.context);
  const vault = found === undefined ? undefined : await opened(found, asking);
  if (vault !== undefined) {
    kept.vault = vault;
    await restoreRing(link.ring, vault);
  }
  return await ask(await link.view.kubernetes(), ended);
}

/** Nothing when the run has none, or its key is elsewhere: the context may still open the cluster. */
async function opened(
  { id, folder }: KeptRun,
  { input: { vaultKey }, environment, note }: Asking,
): Promise<OpenVault | undefined> {
  try {
    if (!await hasVault(folder)) return undefined;
    const { keys } = placesOf(environment);
    return await vaultOf({ folder, id, keyFile: vaultKey, keys, environment });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    note(`The credentials of run "${id}" are not used: ${error.message}`);
    return undefined;
  }
}
