/** Fleets: clusters on which a runbook runs, wave after wave. */

import { type Cursor, toCursor } from "../../../config/documents/cursor.ts";
import { parseNanoseconds } from "../../../config/documents/scalars/duration.ts";
import type { ConfigNode } from "../../../config/tree/node.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { ConfigError } from "../../../errors.ts";
import { fit } from "../language/match_shape.ts";
import { asProblem, type LoadedRunbook } from "../language/loading/load.ts";
import { type SourceProblem, sourceProblemsText } from "../language/problem.ts";
import { parseTexts } from "../language/parse_steps.ts";
import type { SourcePosition } from "../runbook.ts";
import { fleetShape } from "./fleet_language.ts";
import { fleetProblems, inputText } from "./fleet_rules.ts";

/** Clusters that run at the same time. */
export interface Wave {
  readonly name: string;
  readonly clusters: readonly string[];
  /** True when it needs an approval to start. */
  readonly approve: boolean;
}

/** A fleet, and the options of its runs. */
export interface Fleet {
  readonly name: string;
  readonly image: string;
  /** Waves in order; not empty. */
  readonly waves: readonly Wave[];
  /** Inputs of the runbook, in the form of `--input`. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Tags for `--yes`; `*` for all approvals without data loss. */
  readonly yes: readonly string[];
  readonly parallel: number;
  /** Deadline of the whole fleet, in seconds. */
  readonly deadlineSeconds: number;
  /** Grace period of a pod to reach a safe point, in seconds. */
  readonly graceSeconds: number;
  readonly stateClaim: string;
  /** Secret with the client configurations. */
  readonly osconfigSecret: string;
  /** ConfigMap with the runbook; absent for built-in runbooks. */
  readonly runbookMap?: string;
}

interface FleetSource {
  readonly path: string;
  readonly text: string;
}

/**
 * Reads a fleet file.
 *
 * @param loaded Runbook of the fleet.
 * @throws {ConfigError} If the file is invalid, or does not fit the runbook; lists all problems.
 */
export function readFleet(
  { path, text }: FleetSource,
  loaded: LoadedRunbook,
): Fleet {
  const start = { file: path, line: 1, column: 1 };
  const [first, second] = documentsIn({ path, text }, start);
  if (first === undefined) throw fleetError(path, [empty(start)]);
  const { root } = first;
  const place = root.at ?? start;
  const shape = fit(root, fleetShape, place);
  const more = second === undefined ? [] : [secondDocument(second.root, start)];
  const problems = shape.length > 0
    ? shape
    : fleetProblems(toCursor(root), loaded, place);
  if (problems.length + more.length > 0) {
    throw fleetError(path, [...problems, ...more]);
  }
  return parseFleet(toCursor(root));
}

function documentsIn(
  { path, text }: FleetSource,
  start: SourcePosition,
): ReturnType<typeof readDocuments>["documents"] {
  try {
    return readDocuments(text, path, { mergeKeys: false }).documents;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw fleetError(path, [asProblem(error, start)]);
  }
}

function fleetError(
  path: string,
  problems: readonly SourceProblem[],
): ConfigError {
  return new ConfigError(
    sourceProblemsText(`Cannot use fleet "${path}":`, problems),
  );
}

function empty(place: SourcePosition): SourceProblem {
  return {
    place,
    message: "The file is empty",
    hint: "See docs/runbooks/fleet.md",
  };
}

function secondDocument(
  { at }: ConfigNode,
  start: SourcePosition,
): SourceProblem {
  return {
    place: at ?? start,
    message: "A second document starts here",
    hint: "Put each fleet into a file of its own",
  };
}

function parseFleet(at: Cursor): Fleet {
  const runbookMap = at.get("volumes", "runbooks").text();
  return {
    name: at.get("name").text() ?? "fleet",
    image: at.get("image").text() ?? "",
    waves: at.get("waves").items().map((wave, index) => ({
      name: wave.get("name").text() ?? "",
      clusters: parseTexts(wave.get("clusters")),
      approve: wave.get("approve").truth() ?? index > 0,
    })),
    inputs: Object.fromEntries(
      at.get("inputs").entries().flatMap(([name, value]) => {
        const text = inputText(value);
        return text === undefined ? [] : [[name, text]];
      }),
    ),
    yes: parseTexts(at.get("yes")),
    parallel: at.get("parallel").number() ?? 10,
    deadlineSeconds: parseSeconds(at.get("deadline")) ?? 48 * 3_600,
    graceSeconds: parseSeconds(at.get("grace")) ?? 50,
    stateClaim: at.get("volumes", "state").text() ?? "osctl-runs",
    osconfigSecret: at.get("volumes", "osconfigs").text() ?? "osconfigs",
    ...runbookMap === undefined ? {} : { runbookMap },
  };
}

function parseSeconds(at: Cursor): number | undefined {
  const value = parseNanoseconds(at.text() ?? "");
  return value === undefined ? undefined : Math.ceil(Number(value) / 1e9);
}
