/** Cases of a matrix: one runbook, with a different fault in each case. */

import { clusterSpecText, type ModelClusterSpec } from "./cluster_shape.ts";

/** Names of matrices. */
export const matrices = [
  "kill",
  "kill-kinds",
  "kill-calls",
  "network",
  "nodes",
] as const;

/** Name of a matrix. */
export type Matrix = typeof matrices[number];

/** A case of a matrix. */
export interface MatrixCase {
  readonly name: string;
  /** Faults besides those of all cases, in their notation. */
  readonly faults: readonly string[];
  /** Cluster, if different from that of the other cases. */
  readonly cluster?: ModelClusterSpec;
  /** True when the result has to equal that of the run without these faults. */
  readonly same: boolean;
}

/** Parameters of the cases. */
export interface MatrixOptions {
  readonly matrices: readonly Matrix[];
  /** Kind of each journal record in a run without these faults; records share a kind if a kill affects them alike. */
  readonly records: readonly string[];
  readonly calls: number;
  readonly cluster: ModelClusterSpec;
  /** Seed of the random generator. */
  readonly seed: number;
  /** Maximum number of cases of each matrix; 0 for all. */
  readonly most: number;
  /** Part of the cases to run; default all. */
  readonly part?: MatrixPart;
}

/** One of several equal parts: the third of eight. */
export interface MatrixPart {
  readonly number: number;
  readonly of: number;
}

/** Lists the cases, in order; deterministic for the same options. */
export function listCases(options: MatrixOptions): readonly MatrixCase[] {
  const { matrices, seed, most, part = { number: 1, of: 1 } } = options;
  return matrices.flatMap((matrix) => {
    const all = casesIn[matrix](options, makeRandom(seed));
    return most === 0 ? all : sample(all, most, makeRandom(seed));
  }).filter((_, index) => index % part.of === part.number - 1);
}

const casesIn: Readonly<
  Record<
    Matrix,
    (options: MatrixOptions, random: Random) => readonly MatrixCase[]
  >
> = {
  kill: killCases,
  "kill-kinds": killKindCases,
  "kill-calls": killCallCases,
  network: networkCases,
  nodes: nodeCases,
};

type Random = () => number;

/** Time until the next process: none, shorter than a restart, longer than a restart. */
const outages = ["", " for 10s", " for 5m"] as const;

/** Number of records after the first kill at which the second one happens: never, soon, late. */
const seconds = [0, 3, 25] as const;

function killCases(
  { records }: MatrixOptions,
  random: Random,
): readonly MatrixCase[] {
  return range(1, records.length - 1)
    .flatMap((record) => casesAround(record, random));
}

/** Kills around a random record of each kind. */
function killKindCases(
  { records }: MatrixOptions,
  random: Random,
): readonly MatrixCase[] {
  const byKind = Map.groupBy(
    range(1, records.length - 1),
    (record) => records[record - 1] ?? "",
  );
  return [...byKind.values()]
    .map((alike) => pick(alike, random))
    .toSorted((a, b) => a - b)
    .flatMap((record) => casesAround(record, random));
}

/**
 * Kills after a record, before any other action, and before the next record, after all actions in between. The time until
 * the next process, and whether it is killed as well, are random.
 */
function casesAround(record: number, random: Random): readonly MatrixCase[] {
  return [`kill @ record ${record}`, `kill-before @ record ${record + 1}`]
    .map((kill) => {
      const outage = pick(outages, random);
      const later = pick(seconds, random);
      const faults = [`runner: ${kill}${outage}`];
      if (later > 0) faults.push(`runner: kill @ record ${record + later}`);
      return { name: faults.join(", "), faults, same: true };
    });
}

/** Kills the process at each call, including read-only ones, which write no record. */
function killCallCases(
  { calls }: MatrixOptions,
  random: Random,
): readonly MatrixCase[] {
  return range(1, calls).map((call) => {
    const fault = `runner: kill @ call ${call}${pick(outages, random)}`;
    return { name: fault, faults: [fault], same: true };
  });
}

/** Interrupts every call before it is run, and after. */
function networkCases({ calls }: MatrixOptions): readonly MatrixCase[] {
  return range(1, calls).flatMap((call) =>
    ["request-lost", "reply-lost"].map((what) => {
      const fault = `rpc/*: ${what} @ call ${call}`;
      return { name: fault, faults: [fault], same: true };
    })
  );
}

function nodeCases({ cluster }: MatrixOptions): readonly MatrixCase[] {
  const sizes = [[1, 0], [1, 2], [2, 1], [3, 0], [3, 3], [5, 1]] as const;
  return sizes.flatMap(([controlPlanes, workers]) =>
    [false, true].flatMap((grub) => {
      const other = { ...cluster, controlPlanes, workers, grub };
      const name = clusterSpecText(other);
      if (name === clusterSpecText(cluster)) return [];
      return [{ name, faults: [], cluster: other, same: false }];
    })
  );
}

function range(from: number, to: number): readonly number[] {
  return Array.from(
    { length: Math.max(0, to - from + 1) },
    (_, at) => from + at,
  );
}

function pick<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random() * all.length)]!; // index is in range
}

function sample(
  all: readonly MatrixCase[],
  most: number,
  random: Random,
): readonly MatrixCase[] {
  if (all.length <= most) return all;
  const chosen = all
    .map((one, index) => ({ one, index, weight: random() }))
    .toSorted((a, b) => a.weight - b.weight)
    .slice(0, most);
  return chosen.toSorted((a, b) => a.index - b.index).map(({ one }) => one);
}

/** Pseudorandom numbers from 0 to 1 for a seed (mulberry32). */
export function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
}
