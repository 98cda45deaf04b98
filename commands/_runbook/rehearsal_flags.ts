import { matrices, type Matrix } from "../../workflows/rehearsal/matrix.ts";
import {
  type InvariantId,
  invariantIds,
} from "../../workflows/rehearsal/invariants/invariant.ts";
import { suggest } from "../../workflows/runbooks/language/match_shape.ts";
import { inputFlags } from "./input_flags.ts";
import type { GivenInputs } from "../../workflows/runbooks/run/given_inputs.ts";
import {
  choice,
  type Flag,
  InputProblem,
  integer,
  stringArray,
  strings,
  text,
  toggle,
} from "../_kit/mod.ts";

interface RehearsalFlags extends GivenInputs {
  readonly cluster: string | undefined;
  readonly likeLive: boolean;
  readonly fault: readonly string[];
  readonly matrix: readonly Matrix[];
  readonly invariants: ReadonlySet<InvariantId>;
  /** `--seed`; 0 for the seed of the file, or 1. */
  readonly seed: number;
  readonly cases: number;
  readonly parallel: number;
  readonly allowCommands: boolean;
  readonly report: string | undefined;
  readonly output: "text" | "json" | "html";
}

const all = "all";

/** Declarations of these flags. */
export const rehearsalFlags: {
  readonly [Name in keyof RehearsalFlags]: Flag<RehearsalFlags[Name]>;
} = {
  ...inputFlags,
  cluster: text("simulated cluster: control planes, workers and version", {
    shown: "sim:3cp+3w,v1.13.4",
  }),
  likeLive: toggle(
    "simulate a cluster of the size and versions of the real one, which is only read",
  ),
  fault: stringArray(
    "fault to inject: <where>: <what> [@ <when>] [for <duration>] [times <n>]; repeatable",
  ),
  matrix: {
    ...strings(
      "also rehearse a matrix: kill, kill-kinds, kill-calls, network, nodes",
    ),
    initial: [],
    choices: matrices,
    parse: (value, before: readonly Matrix[] = []) => [
      ...before,
      ...wordsIn(value, matrices, "matrix"),
    ],
  },
  invariants: {
    ...strings("invariants to check: I1 to I12"),
    initial: new Set(invariantIds),
    shown: all,
    parse: (value) =>
      new Set(
        value === all
          ? invariantIds
          : wordsIn(value, invariantIds, "invariant"),
      ),
  },
  seed: integer("seed of the random generator", {
    initial: 0,
    shown: "1",
    least: 0,
  }),
  cases: integer(
    "maximum number of cases per matrix, chosen at random; 0 for all",
    {
      initial: 200,
      least: 0,
    },
  ),
  parallel: integer(
    "maximum number of nodes at once for steps that are not disruptive",
    {
      initial: 32,
      least: 1,
      most: 1024,
    },
  ),
  allowCommands: toggle(
    "run the programs of command steps, which a rehearsal skips by default",
  ),
  report: text("directory for report.html and report.json", {
    complete: "directories",
    aliases: ["out"],
  }),
  output: choice("format", ["text", "json", "html"], {
    initial: "text",
    short: "o",
  }),
};

function wordsIn<Word extends string>(
  value: string,
  known: readonly Word[],
  name: string,
): readonly Word[] {
  return value.split(",").map((word) => {
    const found = known.find((one) => one === word.trim());
    if (found !== undefined) return found;
    throw new InputProblem(
      `unknown ${name} "${word}"; ${
        suggest(word, known).replace(/^Known/, "known")
      }`,
    );
  });
}
