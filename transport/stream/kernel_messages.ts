/** Messages of the kernel log, as nodes write them. */

/** Facility and priority, time, and text of a message: `kern:    info: [2026-01-02T03:04:05.678Z]: text`. */
const message =
  /^(\w+: +\w+: )\[[\d-]{10}T[\d:]{8}(?:\.\d+)?(?:Z|[+-][\d:]{5})\](: .*)$/;

/**
 * Gives what is the same of a message in each reading of the kernel log: all but its time.
 *
 * For every message that they send, nodes compute anew when they booted, from an uptime in whole seconds: the time
 * of a message shifts by up to a second, and so does the time between two.
 *
 * @param line One line; those without a time belong to the message before.
 */
export function withoutTime(line: string): string {
  return line.replace(message, "$1$2");
}
