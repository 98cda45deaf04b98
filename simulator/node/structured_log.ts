/** Lines of logs with fields, as services write them that log so. */

import { logLine } from "./logs.ts";
import type { SimulatedNode } from "./node.ts";

/** What a line says beside its text. */
export type LogFields = Readonly<Record<string, string | number>>;

/** How important a line is. */
export type LogLevel = "INFO" | "WARN";

/**
 * Adds a line with fields to a log.
 *
 * @param id Name of the log: `machined`.
 * @param level How important it is.
 */
export function logFields(
  node: SimulatedNode,
  id: string,
  { level, text, fields }: {
    readonly level: LogLevel;
    readonly text: string;
    readonly fields: LogFields;
  },
): void {
  const time = new Date(node.clock.now()).toISOString();
  const pairs = Object.entries(fields).map(([name, value]) =>
    `${JSON.stringify(name)}: ${JSON.stringify(value)}`
  );
  const shown = `\x1b[${colors[level]}m${level}\x1b[0m`;
  logLine(node, id, `${time} ${shown} ${text} {${pairs.join(", ")}}`);
}

/** Colors of levels, as terminals number them. */
const colors: Readonly<Record<LogLevel, number>> = { INFO: 34, WARN: 33 };
