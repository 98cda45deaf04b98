/** Takes examples out of their comments, one at a time. */

export interface Spot {
  /** Spaces in front of `#`. */
  readonly margin: number;
  /** Spaces between `# ` and the examples; 4 below an empty value. */
  readonly inner: number;
  /** Line of the empty value, without spaces in front. */
  readonly owner?: string;
}

/**
 * Finds the examples of a key in a text.
 *
 * @param text YAML.
 * @param key The key.
 * @param spot Where to look.
 * @returns The text with one of them out of its comment, for each of them.
 */
export function uncomment(text: string, key: string, spot: Spot): string[] {
  const prefix = `${" ".repeat(spot.margin)}# ${" ".repeat(spot.inner)}`;
  const lines = text.split("\n");
  const from = lines.findIndex((line) => line.trimStart() === spot.owner);
  const to = spot.owner === undefined
    ? lines.length
    : lines.findIndex((line, index) =>
      index > from && line !== "" && !line.startsWith(prefix)
    );
  return lines.flatMap((line, start) => {
    if (line !== `${prefix}${key}:` && !line.startsWith(`${prefix}${key}: `)) {
      return [];
    }
    if (start < from || (to >= 0 && start >= to)) return [];
    const rest = lines.findIndex((other, index) =>
      index > start && !other.startsWith(`${prefix} `)
    );
    const end = rest < 0 ? lines.length : rest;
    const opened = spot.inner === 0 ? lines : open(lines, start);
    return [take(opened, start, end, spot)];
  });
}

/**
 * Finds the examples that could stand in the place of an empty value.
 *
 * @param text YAML.
 * @param key Key of the empty value.
 * @param margin Spaces in front of the key.
 */
export function findExampleEnds(
  text: string,
  key: string,
  margin: number,
): string[] {
  const lines = text.split("\n");
  const lead = " ".repeat(margin);
  const at = lines.findIndex((line) =>
    line === `${lead}${key}: []` || line === `${lead}${key}: {}`
  );
  const prefix = `${lead}#     `;
  const found: string[] = [];
  let start = at + 1;
  while (lines[start]?.startsWith(prefix)) {
    const rest = lines.findIndex((line, index) =>
      index >= start && !line.startsWith(prefix)
    );
    const end = rest < 0 ? lines.length : rest;
    found.push(take(open(lines, start), start, end, { margin, inner: 4 }));
    start = end + 1;
  }
  return found;
}

/** Takes the empty value above away. */
function open(lines: readonly string[], below: number): readonly string[] {
  const at = lines.findLastIndex((line, index) =>
    index < below && /^ *[^ #].* ?(\[\]|\{\})$/.test(line)
  );
  return lines.with(at, String(lines[at]).slice(0, -2).trimEnd());
}

function take(
  lines: readonly string[],
  start: number,
  end: number,
  { margin }: Spot,
): string {
  const lead = " ".repeat(margin);
  return lines.map((line, index) =>
    index < start || index >= end
      ? line
      : `${lead}${line.slice(margin + 2)}`.trimEnd()
  ).join("\n");
}
