/** The API server of the cluster that a run is about. */

import { ConfigError } from "../../../errors.ts";
import type { Kubernetes } from "../../../workflows/kubernetes/client.ts";
import type { Context } from "../../_kit/command.ts";
import { clockOf } from "../../_kit/operate.ts";
import { openLink } from "../_run/link.ts";

/** Longest wait for the API server, in milliseconds. */
const patienceMs = 15_000;

/**
 * Asks the API server of a cluster.
 *
 * @param context Flags and the world.
 * @param named Context of the client configuration, unless --context says another; default the current one.
 * @param ask Asks; its signal ends the wait.
 * @throws {OsctlError} If the API server cannot be reached.
 */
export async function askKubernetes<T>(
  { globals, world, note, signal }: Pick<
    Context<unknown>,
    "globals" | "world" | "note" | "signal"
  >,
  named: string | undefined,
  ask: (kubernetes: Kubernetes, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const context = globals.context ?? named;
  const ended = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  using link = await openLink({
    context: { world, note, globals: { ...globals, context } },
    // Later credentials of the run are not needed: the context opens the cluster, or somebody else has to.
    vault: { read: () => Promise.reject(new ConfigError("No vault is open")) },
    clock: clockOf(world),
    signal: ended,
  });
  return await ask(await link.view.kubernetes(), ended);
}
