import { toCursor } from "../../config/documents/cursor.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { filesIn } from "../../lib/files/exists.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { ConfigError } from "../../errors.ts";
import {
  builtinNames,
  builtinText,
} from "../../workflows/runbooks/builtin/builtin_runbooks.ts";
import { builtinPrefix } from "../../workflows/runbooks/language/loading/include.ts";
import { type Command, optionalWord, table, type Values } from "../_kit/mod.ts";

/** A runbook in the list. */
interface RunbookRow {
  /** Argument for other commands: a path, or `builtin:name`. */
  readonly runbook: string;
  /** Scope: `node` for parts that only run inside a `forEach`. */
  readonly per: "cluster" | "node";
  /** Title; empty if the file cannot be read. */
  readonly title: string;
}

const inputs = {
  folder: optionalWord("directory; default the current one", {
    complete: "directories",
  }),
};

export const command = {
  summary: "List runbooks",
  description:
    `Lists the builtin runbooks, and the files in a directory that end in .runbook.yaml or .runbook.ts. Files are not
checked; use "runbook check".`,
  aliases: ["runbook ls"],
  inputs,
  examples: ["runbook list", "runbook list ops/ -o json"],
  view: table({
    RUNBOOK: ({ runbook }) => runbook,
    SCOPE: ({ per }) => per,
    TITLE: { cell: ({ title }) => title, prose: true },
  }),
  async *run({ input: { folder = "." }, note }) {
    for (const name of builtinNames) {
      const runbook = `${builtinPrefix}${name}`;
      yield { runbook, ...await readHead(runbook) };
    }
    const isRunbook = (name: string) => /\.runbook\.(ya?ml|ts)$/.test(name);
    // One at a time, so that problems are reported in order.
    for (const runbook of await filesIn(folder, isRunbook)) {
      try {
        yield { runbook, ...await readHead(runbook) };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        note(error.message);
        yield { runbook, per: "cluster", title: "" };
      }
    }
  },
} satisfies Command<RunbookRow, Values<typeof inputs>>;

/**
 * Reads the head of a runbook; the rest may be invalid.
 *
 * @param source Path of a file, or `builtin:name`.
 * @returns Only the file name for TypeScript runbooks, which are not run.
 * @throws {ConfigError} If it cannot be read.
 */
export async function readHead(
  source: string,
): Promise<Omit<RunbookRow, "runbook">> {
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
  const at = toCursor(document.root);
  return {
    title: at.get("title").text() ?? "",
    per: at.get("per").text() === "node" ? "node" : "cluster",
  };
}
