/** Finds the position in a log after the lines already seen. */

/**
 * Finds the lines of a log after those already seen.
 *
 * The log may have lost lines at its start, the last one partially.
 *
 * @param log The whole log, oldest line first.
 * @param seen The last lines seen, in order.
 * @param limit Maximum number of seen lines in the log, `Infinity` if unknown.
 * @returns New lines; `undefined` if no seen line is in the log.
 */
export function linesAfter(
  log: readonly string[],
  seen: readonly string[],
  limit: number,
): readonly string[] | undefined {
  if (seen.length === 0) return log;
  // Backwards: in a log with repeated lines, the position by count is preferred.
  for (let end = Math.min(limit, log.length); end >= seen.length; end--) {
    if (endsWith(log, end, seen)) return log.slice(end);
  }
  const search = searchIn(seen);
  for (const line of log) search.add(line);
  return search.pending();
}

function endsWith(
  log: readonly string[],
  end: number,
  seen: readonly string[],
): boolean {
  const start = end - seen.length;
  for (let at = seen.length - 1; at >= 0; at--) {
    if (log[start + at] !== seen[at]) return false;
  }
  return true;
}

/**
 * Reads a stream up to the end of the lines already seen, and no further than necessary.
 *
 * The stream starts at or after the first line seen, possibly in the middle of it. Of several matches, the
 * one with the most seen lines is used.
 *
 * @param stream Batches of lines; continue with it for later lines.
 * @returns New lines read to find the position, none if the stream ended before it; `undefined` if the stream
 * does not start with seen lines.
 */
export async function skipSeen(
  seen: readonly string[],
  stream: AsyncIterator<readonly string[]>,
): Promise<readonly string[] | undefined> {
  const search = searchIn(seen);
  let rest: readonly string[] = [];
  while (!search.isOver()) {
    const { done, value } = await stream.next();
    if (done) return [];
    const count = addUntilOver(search, value);
    rest = value.slice(count);
  }
  const pending = search.pending();
  return pending && [...pending, ...rest];
}

function addUntilOver(search: Search, lines: readonly string[]): number {
  for (const [at, line] of lines.entries()) {
    if (search.isOver()) return at;
    search.add(line);
  }
  return lines.length;
}

interface Search {
  readonly add: (line: string) => void;
  /** True if the position was found, or cannot be found. */
  readonly isOver: () => boolean;
  /** Lines after the position. */
  readonly pending: () => readonly string[] | undefined;
}

/**
 * Searches for the longest suffix of the seen lines that is a prefix of the stream.
 *
 * Knuth-Morris-Pratt, with a pattern (the stream) that grows during the search. The first line is not part of
 * the pattern, since it may be truncated.
 */
function searchIn(seen: readonly string[]): Search {
  let first: string | undefined;
  const lines: string[] = [];
  /** For each line, the length of the longest prefix of `lines` that ends with it. */
  const borders: number[] = [];
  let at = 0;
  /** Number of `lines` that match right before `at`. */
  let length = 0;

  function shorter(length: number): number {
    return borders[length - 1] ?? 0;
  }

  function addBorder(line: string): void {
    let border = borders.at(-1) ?? 0;
    while (border > 0 && lines[border] !== line) border = shorter(border);
    if (lines.length > 0 && lines[border] === line) border++;
    lines.push(line);
    borders.push(border);
  }

  function advance(isWhole: boolean): void {
    while (at < seen.length) {
      if (length === lines.length && !isWhole) return;
      if (length < lines.length && seen[at] === lines[length]) {
        at++;
        length++;
      } else if (length > 0) length = shorter(length);
      else at++;
    }
  }

  function add(line: string): void {
    if (first === undefined) first = line;
    else addBorder(line);
    advance(false);
  }

  function pending(): readonly string[] | undefined {
    if (first === undefined) return seen.length === 0 ? [] : undefined;
    advance(true);
    for (;; length = shorter(length)) {
      const before = seen[seen.length - length - 1];
      if (continuesLine(before, first, length > 0)) return lines.slice(length);
      if (length === 0) return undefined;
    }
  }

  return { add, isOver: () => at === seen.length, pending };
}

/** A partial line only counts if seen lines follow. */
function continuesLine(
  line: string | undefined,
  rest: string,
  isProven: boolean,
): boolean {
  return line === rest || isProven && !!line?.endsWith(rest);
}
