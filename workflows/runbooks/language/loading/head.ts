/** What a list shows of a runbook. */

import { readBoundedText } from "../../../../config/files/bounded_file.ts";
import { cursorOf } from "../../../../config/documents/cursor.ts";
import { readDocuments } from "../../../../config/tree/read.ts";
import { ConfigError } from "../../../../errors.ts";
import { builtinText } from "../../builtin/shipped.ts";
import { builtinPrefix } from "./include.ts";

/** The beginning of a runbook. */
export interface RunbookHead {
  /** Its one line; empty when it has none. */
  readonly title: string;
  /** What it works on. */
  readonly per: "cluster" | "node";
}

/**
 * Reads the beginning of a runbook; the rest may be wrong.
 *
 * @param source Path of a file, or `builtin:name`.
 * @returns For programs, which would have to be run, only the name of the file.
 * @throws {ConfigError} If it cannot be read.
 */
export async function headOf(source: string): Promise<RunbookHead> {
  if (/\.[mc]?[jt]s$/.test(source)) return { title: "", per: "cluster" };
  const text = source.startsWith(builtinPrefix)
    ? builtinText(source.slice(builtinPrefix.length))
    : await readBoundedText({
      path: source,
      limitMib: 4,
      expected: "a runbook",
    });
  if (text === undefined) {
    throw new ConfigError(`Cannot read "${source}": no such file`);
  }
  const [document] = readDocuments(text, source, { mergeKeys: false })
    .documents;
  if (document === undefined) return { title: "", per: "cluster" };
  const at = cursorOf(document.root);
  return {
    title: at.get("title").text() ?? "",
    per: at.get("per").text() === "node" ? "node" : "cluster",
  };
}
