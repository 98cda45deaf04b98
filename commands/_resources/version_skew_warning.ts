/** Warns of nodes that are older than osctl knows. */

import { OsctlError } from "../../errors.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { single } from "../../transport/call/reply.ts";

/** First release line osctl was made for. */
const oldest = "v1.8.0";

/**
 * Asks every selected node for its version and warns of those that are too old.
 *
 * Nodes that do not answer are passed over: the command itself tells what is wrong with them.
 *
 * @param nodes The selected nodes.
 * @param note Tells the person who waits something.
 */
export async function warnOfOldNodes(
  nodes: Nodes,
  note: (text: string) => void,
): Promise<void> {
  try {
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.version({})).messages).version?.tag ?? ""
    );
    for await (const { node, value: tag } of answers) {
      if (olderThan(tag, oldest)) {
        note(
          `warning: ${node}: server version ${tag} is older than ${oldest}, some of its answers may not be understood`,
        );
      }
    }
  } catch (error) {
    // A node that fails is told by the command's own calls.
    if (!(error instanceof OsctlError)) throw error;
  }
}

/**
 * Compares two release versions.
 *
 * @param tag Version such as `v1.12.3-beta.0`.
 * @param other Release version without a suffix.
 * @returns True when `tag` is lower; false when it is no version.
 */
export function olderThan(tag: string, other: string): boolean {
  const [a, b] = [numbersOf(tag), numbersOf(other)];
  if (a === undefined || b === undefined) return false;
  const at = a.findIndex((number, i) => number !== b[i]);
  // What comes before a release has its numbers and a suffix.
  if (at < 0) return /^v?\d+\.\d+\.\d+-/.test(tag);
  return (a[at] ?? 0) < (b[at] ?? 0);
}

function numbersOf(tag: string): readonly number[] | undefined {
  return /^v?(\d+)\.(\d+)\.(\d+)(?:[-+]|$)/.exec(tag)?.slice(1).map(Number);
}
