/** Rehearsal files: `*.rehearsal.yaml`. */

import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { readDocuments } from "../../config/tree/read.ts";
import type { Place } from "../../config/tree/node.ts";
import { apiVersion } from "../runbooks/language/language.ts";
import { fit } from "../runbooks/language/match_shape.ts";
import {
  RunbookError,
  type SourceProblem,
} from "../runbooks/language/problem.ts";
import { variableName } from "../runbooks/language/names.ts";
import { count, matching, oneOf, text } from "../runbooks/language/scalars.ts";
import { free, listOf, mapOf, struct } from "../runbooks/language/shape.ts";
import { FaultError, parseFault } from "./faults/parse_fault.ts";
import { matrices, type Matrix } from "./matrix.ts";
import type { RehearsalExpectation } from "./rehearsal.ts";

/** Value of `kind`. */
const rehearsalKind = "Rehearsal";

/** Content of a file; absent fields come from flags. */
export interface RehearsalFile {
  /** Runbook, relative to the file; or `builtin:name`. */
  readonly runbook: string;
  readonly cluster?: string;
  /** Values of inputs, as text. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Faults, in their notation; all are valid. */
  readonly faults: readonly string[];
  readonly matrices: readonly Matrix[];
  /** Seed of the random generator. */
  readonly seed?: number;
  /** Expected result of the run. */
  readonly expect?: RehearsalExpectation;
}

const buckets = [
  "done",
  "recovered",
  "failed",
  "blocked",
  "skipped",
  "interrupted",
  "not-reached",
] as const;

const wholeNumber = matching("a whole number such as 0 or 7", /^\d{1,9}$/);

const shape = struct("rehearsal", {
  apiVersion: { shape: oneOf([apiVersion]), summary: "Version of the format" },
  kind: {
    shape: oneOf([rehearsalKind]),
    summary: "Kind of the document",
    required: true,
  },
  runbook: {
    shape: text,
    summary: "Runbook: a file relative to this one, or builtin:<name>",
    required: true,
  },
  cluster: { shape: text, summary: "Simulated cluster: sim:3cp+5w,v1.13.4" },
  inputs: { shape: mapOf(variableName, free), summary: "Values of inputs" },
  faults: { shape: listOf(free, { alone: true }), summary: "Faults to inject" },
  matrix: {
    shape: listOf(oneOf(matrices), { alone: true }),
    summary: "Matrices to rehearse",
  },
  seed: { shape: wholeNumber, summary: "Seed of the random generator" },
  expect: {
    shape: struct("expect", {
      status: { shape: wholeNumber, summary: "Exit status of the run" },
      ...Object.fromEntries(
        buckets.map((name) => [name, {
          shape: listOf(text),
          summary: `Names of all nodes expected to end ${name}`,
        }]),
      ),
    }),
    summary: "Expected result of the run",
  },
});

const faultKeys = struct("fault", {
  where: { shape: text, summary: "Where it happens", required: true },
  what: { shape: text, summary: "What fails", required: true },
  at: { shape: text, summary: "When it starts" },
  for: { shape: text, summary: "How long it lasts" },
  times: { shape: count, summary: "How many times" },
});

/** Parses a rehearsal. Throws `RunbookError` with the file, line and column of every problem. */
export function readRehearsal(content: string, path: string): RehearsalFile {
  const place: Place = { file: path, line: 1, column: 1 };
  const { documents } = readDocuments(content, path, { mergeKeys: false });
  const root = documents[0]?.root;
  if (root === undefined) {
    throw new RunbookError(path, [{ place, message: "The file is empty" }]);
  }
  const problems: SourceProblem[] = [...fit(root, shape, root.at ?? place)];
  const at = toCursor(root);
  const listed = at.get("faults");
  const items = listed.node?.kind === "list" ? listed.items() : [listed];
  const faults = items.flatMap((item) => faultAt(item, place, problems));
  if (problems.length > 0) throw new RunbookError(path, problems);
  const cluster = at.get("cluster").text();
  const seed = at.get("seed").number();
  return {
    runbook: at.get("runbook").text() ?? "",
    ...(cluster === undefined ? {} : { cluster }),
    inputs: Object.fromEntries(
      at.get("inputs").entries().map(([name, value]) =>
        [name, value.text() ?? ""] as const
      ),
    ),
    faults,
    matrices: matrices.filter((one) => wordsAt(at.get("matrix")).includes(one)),
    ...(seed === undefined ? {} : { seed }),
    ...expectationAt(at.get("expect")),
  };
}

function wordsAt(cursor: Cursor): readonly string[] {
  const alone = cursor.text();
  return alone === undefined
    ? cursor.items().flatMap((item) => item.text() ?? [])
    : [alone];
}

function faultAt(
  cursor: Cursor,
  around: Place,
  problems: SourceProblem[],
): readonly string[] {
  const { node } = cursor;
  if (node === undefined) return [];
  const place = cursor.at ?? around;
  const entries = cursor.entries();
  const [first] = entries;
  // Without quotes YAML parses a fault as a mapping with one key.
  const isOne = entries.length === 1 && first !== undefined &&
    first[1].text() !== undefined;
  if (node.kind === "map" && !isOne) {
    const wrong = fit(node, faultKeys, place);
    problems.push(...wrong);
    if (wrong.length > 0) return [];
  }
  const written = isOne && first !== undefined
    ? `${first[0]}: ${first[1].text()}`
    : cursor.text() ?? readText(cursor);
  try {
    return [parseFault(written).text];
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    const { message, hint = "" } = error;
    problems.push({ place, message, hint });
    return [];
  }
}

function readText(cursor: Cursor): string {
  const part = (key: string, before: string) => {
    const value = cursor.get(key).text();
    return value === undefined ? "" : `${before}${value}`;
  };
  return part("where", "") + part("what", ": ") + part("at", " @ ") +
    part("for", " for ") + part("times", " times ");
}

function expectationAt(cursor: Cursor): Pick<RehearsalFile, "expect"> {
  if (cursor.node === undefined) return {};
  const status = cursor.get("status").number();
  const named = buckets.flatMap((name) =>
    cursor.get(name).node === undefined
      ? []
      : [[name, wordsAt(cursor.get(name))] as const]
  );
  return {
    expect: {
      ...(status === undefined ? {} : { status }),
      buckets: Object.fromEntries(named),
    },
  };
}
