/** Kernel log messages in the format of nodes. */

/** Facility and priority, time, and text of a message: `kern:    info: [2026-01-02T03:04:05.678Z]: text`. */
const message =
  /^(\w+: +\w+: )\[[\d-]{10}T[\d:]{8}(?:\.\d+)?(?:Z|[+-][\d:]{5})\](: .*)$/;

/**
 * Returns a kernel message without its time, which differs between reads of the log.
 *
 * Nodes compute the boot time again for each message, from an uptime in whole seconds: the time of a message
 * shifts by up to a second, and so does the time between two messages.
 *
 * @param line One line; lines without a time belong to the previous message.
 */
export function withoutTime(line: string): string {
  return line.replace(message, "$1$2");
}
