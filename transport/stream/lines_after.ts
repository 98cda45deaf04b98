/** Where a log that is read again continues after the lines already seen. */

/**
 * Finds the lines of a log that come after those already seen.
 *
 * The log may have lost lines at its start since, the last of them in part.
 *
 * @param log The whole log, its oldest line first.
 * @param seen The last lines seen, in order.
 * @param limit How many lines of the log are seen at most, `Infinity` when unknown.
 * @returns The new lines; `undefined` when nothing seen is there any more.
 */
export function linesAfter(
  log: readonly string[],
  seen: readonly string[],
  limit: number,
): readonly string[] | undefined {
  if (seen.length === 0) return log;
  // From the back: in a log that repeats itself, the place known by count wins.
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
 * Reads a stream up to the end of the lines already seen, and no further than is needed to find it.
 *
 * The stream starts at or after the first line seen, maybe in the middle of it. Of several places that fit,
 * the one with most lines seen is taken.
 *
 * @param stream Lines, several at a time; continue with it for the lines to come.
 * @returns New lines that had to be read to find the place, none when the stream ended before it;
 * `undefined` when the stream does not start with lines seen.
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
  /** True when the place is found, or cannot be found. */
  readonly isOver: () => boolean;
  /** Lines that come after the place. */
  readonly pending: () => readonly string[] | undefined;
}

/**
 * Searches the longest end of the lines seen with which a stream starts.
 *
 * After Knuth, Morris and Pratt, with a pattern (the stream) that is still read while it is searched for. Its
 * first line stays out of the pattern, since it may be cut.
 */
function searchIn(seen: readonly string[]): Search {
  let first: string | undefined;
  const lines: string[] = [];
  /** For every line the length of the longest start of `lines` that ends with it. */
  const borders: number[] = [];
  let at = 0;
  /** How many `lines` end right before `at`. */
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

/** Without lines seen after it, the end of a line proves nothing. */
function continuesLine(
  line: string | undefined,
  rest: string,
  isProven: boolean,
): boolean {
  return line === rest || isProven && !!line?.endsWith(rest);
}
