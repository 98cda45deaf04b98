/** The command that makes one run of a rehearsal again. */

import { clusterSpecText, type ModelClusterSpec } from "./cluster_shape.ts";
import { shellWord } from "../../terminal/shell_word.ts";
import type { GivenInputs } from "../runbooks/run/given_inputs.ts";

/** How a rehearsal was asked for. */
export interface RepeatedOptions extends GivenInputs {
  /** Runbook as it was named. */
  readonly runbook: string;
  /** Whether the cluster is like the real one. */
  readonly likeLive: boolean;
  /** Whether programs run on this machine. */
  readonly allowCommands: boolean;
}

/** Writes the command. `input`: how the rehearsal was asked for; its matrices are omitted. */
export function repeatCommand(
  input: RepeatedOptions,
  { faults, cluster, seed }: {
    readonly faults: readonly string[];
    readonly cluster: ModelClusterSpec;
    readonly seed: number;
  },
): string {
  const isFile = /\.rehearsal\.ya?ml$/.test(input.runbook);
  return [
    "osctl runbook rehearse",
    shellWord(input.runbook),
    ...input.input.map((one) => `--input ${shellWord(one)}`),
    ...(input.inputs === undefined
      ? []
      : [`--inputs ${shellWord(input.inputs)}`]),
    ...input.secret.map((one) => `--secret ${shellWord(one)}`),
    input.likeLive ? "--like-live" : `--cluster ${clusterSpecText(cluster)}`,
    // Those of the file are in the file.
    ...faults.filter((one) => !isFile || one.startsWith("runner: "))
      .map((one) => `--fault ${shellWord(one)}`),
    ...(input.allowCommands ? ["--allow-commands"] : []),
    `--seed ${seed}`,
  ].join(" ");
}
