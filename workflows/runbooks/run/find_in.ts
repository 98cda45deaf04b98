/** What a run's runbooks name, with commands that find the run's nodes. */

import { findAll, type Found } from "../language/lookup.ts";
import { allSteps } from "../language/walk.ts";
import type { Runbook } from "../runbook.ts";
import type { Context } from "../../../commands/_kit/command.ts";
import type { StepPlace } from "../../../commands/_kit/step_context.ts";
import { finders } from "../../../commands/runbook/_load.ts";
import { findModule } from "../../../commands/runbook/_modules.ts";
import type { Link } from "./run_connection.ts";

/**
 * Finds the modules that a runbook and those it uses name.
 *
 * @param runbook The runbook.
 * @param context Flags and environment; whether programs are run on this machine.
 * @param link The cluster.
 */
export function findIn(
  runbook: Runbook,
  { commands, ...context }:
    & Pick<Context<unknown>, "commands" | "globals" | "environment" | "reopen">
    & Pick<StepPlace, "programs">,
  { nodes }: Pick<Link, "nodes">,
): Promise<Found> {
  const { steps, rescue, always } = runbook;
  const names = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => step.verb === "run" ? [step.module] : []);
  return findAll(names, findersOf(commands, { ...context, nodes }));
}
