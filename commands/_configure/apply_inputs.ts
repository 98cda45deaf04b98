/** Flags of commands that apply configurations. */

import {
  type TrialCheck,
  trialChecks,
} from "../../workflows/configuration/checks.ts";
import { configurationAllowances } from "../../workflows/configuration/guards.ts";
import type { ApplyMode } from "../../workflows/operations/node/apply_config.ts";
import { budgetInputs, waitFlag } from "../_kit/node_inputs.ts";
import { allowances, allowFlag } from "../_kit/guard.ts";
import {
  choice,
  duration,
  type Flag,
  InputProblem,
  strings,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { operateInputs } from "../_kit/operate.ts";

const modes = ["auto", "no-reboot", "reboot", "staged", "try"] as const;

const rules: readonly string[] = [...configurationAllowances, ...allowances];

/** Flags of commands that apply configurations. */
export const applyInputs = {
  mode: withoutForm(
    choice("how the change is applied", modes, { short: "m", initial: "auto" }),
  ),
  dryRun: toggle("show what would change; send nothing"),
  timeout: duration("time after which the node reverts, with --mode try", {
    initial: "1m0s",
  }),
  noConfirm: toggle(
    "do not wait for the trial to be confirmed, with --mode try",
  ),
  check: checksFlag(),
  expectAddress: strings(
    "new address of the node, if the change moves it",
    { shown: "taken from the configuration" },
  ),
  validate: choice(
    "what to do about problems in the configuration",
    ["error", "warn", "off"],
    { initial: "error" },
  ),
  allow: allowFlag(rules),
  wait: toggle("wait until the change has taken effect", {
    initial: true,
    step: false,
  }),
  waitTimeout: waitFlag("30m0s"),
  debug: operateInputs.debug,
  ...budgetInputs,
};

export type ApplyInputs = Values<typeof applyInputs>;

function checksFlag(): Flag<readonly TrialCheck[]> {
  const initial: readonly TrialCheck[] = [];
  return {
    ...strings(
      "checks that must pass before the change is confirmed, with --mode try: " +
        trialChecks.join(", "),
    ),
    initial,
    choices: trialChecks,
    parse: (
      value,
      before = [],
    ) => [...before, ...parseWords(value, trialChecks)],
  };
}

function parseWords<T extends string>(
  value: string,
  words: readonly T[],
): readonly T[] {
  return value.split(",").map((part) => {
    const found = words.find((word) => word === part.trim());
    if (found !== undefined) return found;
    throw new InputProblem(`must be one or more of ${words.join(", ")}`);
  });
}

/** Older talosctl had an `interactive` mode with a form. */
function withoutForm(flag: Flag<ApplyMode>): Flag<ApplyMode> {
  return {
    ...flag,
    parse(value, before) {
      if (value !== "interactive") return flag.parse(value, before);
      throw new InputProblem(
        'the interactive installer was removed; generate a configuration with "osctl gen config" and apply it with --file',
      );
    },
  };
}

/** Inputs of steps that apply configurations, by step input name. */
export const stepInputs = {
  mode: "mode",
  check: "check",
  trial: "timeout",
  validate: "validate",
  node: "node",
} as const;
