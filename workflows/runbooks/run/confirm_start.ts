/** Confirmation of runs without approvals of their own. */

import { RefusedError } from "../../../errors.ts";
import { confirm, prompter } from "../../../terminal/prompt.ts";
import type { FoundNames } from "../language/lookup.ts";
import { allSteps } from "../language/walk.ts";
import { findEffect } from "../../modules/module.ts";
import type { Runbook } from "../runbook.ts";
import type { ExaminedCluster, RunRequest } from "./prepare_run.ts";
import type { RunSession } from "./run_session.ts";

/**
 * Asks on a terminal before a run that changes something and has no approvals; `--yes` and a reviewed
 * plan skip the question.
 *
 * @throws {RefusedError} If the answer is no; nothing was sent.
 */
export async function askStart(
  runbook: Runbook,
  { facts, found, limit }: ExaminedCluster,
  options: Pick<RunRequest, "yes" | "plan">,
  { environment, signal }: Pick<RunSession, "environment" | "signal">,
): Promise<void> {
  if (options.yes.length > 0 || options.plan !== undefined) return;
  if (!environment.stdin.terminal || !environment.stderr.terminal) return;
  if (asksItself(runbook) || !changes(runbook, found)) return;
  using prompts = prompter({ environment, signal });
  const on = limit === undefined ? "" : ` on ${limit.join(", ")}`;
  const question =
    `Run "${runbook.name}" in cluster "${facts.cluster.name}"${on}`;
  if (await confirm(prompts, question, "Pass --yes")) return;
  throw new RefusedError("The run was not confirmed", {
    hint: "Nothing was sent; see what it would do with: osctl runbook plan",
  });
}

function asksItself(runbook: Runbook): boolean {
  return [...stepsIn(runbook)].some((step) => step.verb === "approve");
}

function changes(runbook: Runbook, { module }: FoundNames): boolean {
  return [...stepsIn(runbook)].some((step) => {
    if (step.verb !== "run") return false;
    const found = module(step.module);
    return found !== undefined && findEffect(found) !== "read";
  });
}

function stepsIn({ steps, rescue, always }: Runbook) {
  return allSteps([...steps, ...rescue, ...always]);
}
