/** Arguments for starting, resuming or querying a run. */

import { UsageError } from "../../errors.ts";
import type { RunSession } from "../../workflows/runbooks/run/run_session.ts";
import type { Context } from "../_kit/mod.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";
import { contextOptions } from "../_kit/session.ts";
import { loadOptions } from "./load_options.ts";
import { makeFinders } from "./finders.ts";

/** Session of a run from the context of a command. */
export function runSession(
  context: Pick<
    Context<unknown>,
    | "commands"
    | "globals"
    | "environment"
    | "note"
    | "signal"
    | "claimSignals"
    | "reopen"
  >,
): RunSession {
  const { commands, globals, environment, note, signal, reopen } = context;
  return {
    environment,
    clock: makeClock(environment),
    signal,
    note,
    claimSignals: context.claimSignals,
    load: loadOptions(context),
    steps: ({ now = environment.now, home, ...given }) =>
      makeFinders(commands, {
        reopen,
        ...given,
        ...(home === undefined ? { globals } : {
          globals: { ...globals, osconfig: undefined, context: undefined },
        }),
        environment: { ...environment, env: scopeEnv(environment, home), now },
      }),
    connect(name, ends) {
      if (globals.nodes.length > 0) {
        throw new UsageError(
          "Flag --nodes cannot be used: a run is for a whole cluster",
          { hint: "Select nodes with --limit, and the cluster with --context" },
        );
      }
      return contextOptions({
        globals: { ...globals, context: globals.context ?? name },
        environment,
        note,
        signal: ends,
      });
    },
  };
}

/** Environment variables with the home in a given directory, so that none leads to a file of the user. */
function scopeEnv(
  { env }: Context<unknown>["environment"],
  home: string | undefined,
): typeof env {
  if (home === undefined) return env;
  const own: Readonly<Record<string, string>> = {
    HOME: home,
    KUBECONFIG: `${home}/kubeconfig`,
    OS_HOME: home,
    OSCONFIG: `${home}/config`,
  };
  return (name) => own[name] ?? env(name);
}
