/** Line diff of two texts in nearly linear time. */

import { diffArrays, structuredPatch } from "diff";

/** Limit of changed lines for a minimal diff; its time grows quadratically. */
const mostChanges = 300;

/** Limit for a minimal diff, both texts together, in characters. */
const mostText = 512 * 1024;

const mostOfPart = 60;

const context = 3;

/** Replaced lines of both texts; ranges exclude their ends, from 0. */
interface Replaced {
  readonly old: readonly [from: number, to: number];
  readonly now: readonly [from: number, to: number];
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/**
 * Compares two texts line by line. With many differences, lines that are unique in both texts divide them, and parts
 * with hardly anything in common are replaced as a whole. Returns the hunks of a unified diff with three lines of
 * context, without file headers; empty if both are equal.
 */
export function unifiedDiff(from: string, to: string): string {
  const hunks = smallestHunks(from, to) ??
    findHunks(splitLines(from), splitLines(to));
  return hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const old = formatRange(oldStart, oldLines);
    const now = formatRange(newStart, newLines);
    return `${[`@@ -${old} +${now} @@`, ...lines].join("\n")}\n`;
  }).join("");
}

/** Minimal diff; `undefined` if it would take too long. */
function smallestHunks(
  from: string,
  to: string,
): readonly Hunk[] | undefined {
  if (from.length + to.length > mostText) return undefined;
  return structuredPatch(...["", "", from, to, "", ""] as const, {
    context,
    maxEditLength: mostChanges,
  })?.hunks;
}

/** Lines of a text; without a final line end, the last one has the marker of a diff. */
function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === ""
    ? lines
    : [...lines, `${last}\n\\ No newline at end of file`];
}

// An empty range is placed behind the preceding line.
function formatRange(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

function findHunks(
  old: readonly string[],
  now: readonly string[],
): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let near: Replaced[] = [];
  for (const one of replacedIn(old, now)) {
    const last = near.at(-1);
    if (last !== undefined && one.old[0] - last.old[1] > 2 * context) {
      hunks.push(toHunk(near, old, now));
      near = [];
    }
    near.push(one);
  }
  return near.length === 0 ? hunks : [...hunks, toHunk(near, old, now)];
}

function toHunk(
  near: readonly Replaced[],
  old: readonly string[],
  now: readonly string[],
): Hunk {
  const [first, last] = [near[0]!, near.at(-1)!]; // has at least one
  const before = Math.min(context, first.old[0], first.now[0]);
  const oldStart = first.old[0] - before;
  const newStart = first.now[0] - before;
  const end = Math.min(last.old[1] + context, old.length);
  const lines: string[] = [];
  let at = oldStart;
  const add = (
    sign: string,
    of: readonly string[],
    from: number,
    to: number,
  ) => {
    for (let line = from; line < to; line++) lines.push(`${sign}${of[line]}`);
  };
  for (const one of near) {
    add(" ", old, at, one.old[0]);
    add("-", old, ...one.old);
    add("+", now, ...one.now);
    at = one.old[1];
  }
  add(" ", old, at, end);
  return {
    oldStart: oldStart + 1,
    oldLines: end - oldStart,
    newStart: newStart + 1,
    newLines: last.now[1] + (end - last.old[1]) - newStart,
    lines,
  };
}

function* replacedIn(
  old: readonly string[],
  now: readonly string[],
): Iterable<Replaced> {
  const ends = [old.length, now.length] as const;
  let [oldAt, nowAt] = [0, 0];
  for (const [oldLine, nowLine] of [...anchorsIn(old, now), ends]) {
    let [oldFrom, nowFrom] = [oldAt, nowAt];
    let [oldTo, nowTo] = [oldLine, nowLine];
    const isSame = (a: number, b: number) => old[a] === now[b];
    while (oldFrom < oldTo && nowFrom < nowTo && isSame(oldFrom, nowFrom)) {
      [oldFrom, nowFrom] = [oldFrom + 1, nowFrom + 1];
    }
    while (oldFrom < oldTo && nowFrom < nowTo && isSame(oldTo - 1, nowTo - 1)) {
      [oldTo, nowTo] = [oldTo - 1, nowTo - 1];
    }
    if (oldFrom < oldTo || nowFrom < nowTo) {
      const part: Replaced = { old: [oldFrom, oldTo], now: [nowFrom, nowTo] };
      const [oldCount, nowCount] = [oldTo - oldFrom, nowTo - nowFrom];
      const isWhole = oldCount === 0 || nowCount === 0 ||
        oldCount * nowCount === 1;
      if (isWhole) yield part;
      else yield* replacedBetween(old, now, part);
    }
    [oldAt, nowAt] = [oldLine + 1, nowLine + 1];
  }
}

/** Changes between two anchors; a single one if too many lines differ. */
function* replacedBetween(
  old: readonly string[],
  now: readonly string[],
  part: Replaced,
): Iterable<Replaced> {
  const parts = diffArrays(old.slice(...part.old), now.slice(...part.now), {
    maxEditLength: mostOfPart,
  });
  if (parts === undefined) return yield part;
  let [oldAt, nowAt] = [part.old[0], part.now[0]];
  let [oldFrom, nowFrom] = [oldAt, nowAt];
  for (const { added, removed, count } of [...parts, unchanged]) {
    if (!added && !removed) {
      if (oldFrom < oldAt || nowFrom < nowAt) {
        yield { old: [oldFrom, oldAt], now: [nowFrom, nowAt] };
      }
      [oldFrom, nowFrom] = [oldAt + count, nowAt + count];
    }
    if (!added) oldAt += count;
    if (!removed) nowAt += count;
  }
}

const unchanged = { added: false, removed: false, count: 0 };

/** Lines that are unique in both texts and mostly in the same order: indexes in both. */
function anchorsIn(
  old: readonly string[],
  now: readonly string[],
): readonly (readonly [number, number])[] {
  const [inOld, inNow] = [onceIn(old), onceIn(now)];
  const pairs: [number, number][] = [];
  for (const [line, at] of inOld) {
    const other = inNow.get(line) ?? -1;
    if (at >= 0 && other >= 0) pairs.push([at, other]);
  }
  return longestRising(pairs);
}

/** Index of each line, in order of first occurrence; negative for duplicates. */
function onceIn(lines: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  lines.forEach((line, at) => found.set(line, found.has(line) ? -1 : at));
  return found;
}

/** The longest selection of pairs with rising second numbers (patience sorting). */
function longestRising(
  pairs: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  // Index of the top pair of each pile, and of the pair below each pair.
  const tops: number[] = [];
  const below: number[] = [];
  pairs.forEach(([, second], index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]!]![1] < second) low = middle + 1;
      else high = middle;
    }
    below[index] = tops[low - 1] ?? -1;
    tops[low] = index;
  });
  const chosen: (readonly [number, number])[] = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = below[at]!) {
    chosen.push(pairs[at]!);
  }
  return chosen.reverse();
}
