/** Messages of the kernel log, as nodes write them. */

/** Facility and priority, time, and text of a message: `kern:    info: [2026-01-02T03:04:05.678Z]: text`. */
const message =
  /^(\w+: +\w+: )\[([\d-]{10}T[\d:]{8})(?:\.(\d+))?(Z|[+-][\d:]{5})\](: .*)$/;

/**
 * Gives messages of one reading what is the same in each reading: their text, and the time since the message before.
 *
 * The time itself is not: nodes compute when they booted anew for each reading, from an uptime in whole seconds.
 * Lines without a time belong to the message before.
 *
 * @returns Takes the lines of one reading in order; the first message has no time in front.
 */
export function messageKeys(): (line: string) => string {
  let before: { readonly seconds: number; readonly rest: number } | undefined;
  return (line) => {
    const [, source, second, fraction = "", zone, text] = message.exec(line) ??
      [];
    if (second === undefined) return line;
    const seconds = Date.parse(`${second}${zone}`) / 1000;
    // Microseconds, in which the kernel counts, are exact only as a difference.
    const rest = Number(fraction.padEnd(9, "0")) / 1000;
    const since = before &&
      (seconds - before.seconds) * 1e6 + Math.round(rest - before.rest);
    before = { seconds, rest };
    return `${since === undefined ? "" : `+${since} `}${source}${text}`;
  };
}
