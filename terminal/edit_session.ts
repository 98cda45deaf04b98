/** Editing a text until it is accepted; what was typed is never lost. */

import { removeIfThere, writeFileAtomic } from "../lib/files/atomic_file.ts";
import { temporaryFile } from "../lib/files/temporary.ts";
import { ConfigError, OsctlError } from "../errors.ts";
import type { Editor } from "./editor.ts";
import type { Environment } from "./environment.ts";

interface EditTask {
  readonly title: string;
  readonly body: string;
  /** Takes the edited text. Throws `OsctlError` if it cannot be taken. */
  readonly accept: (text: string) => Promise<void>;
  /** Reports whether the user can do something about a failure by editing further. */
  readonly correctable: (error: OsctlError) => boolean;
}

interface EditSurroundings {
  readonly editor: Editor;
  readonly environment: Pick<Environment, "now" | "os">;
  readonly note: (text: string) => void;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Asks the user to say when the file is saved; omitted where there is no terminal to ask on. */
  readonly untilSaved?: (question: string) => Promise<void>;
}

/** How editing ended. */
export type EditEnd = "accepted" | "unchanged" | "empty";

/** An editor that is back sooner, without a change, has probably not been seen by anybody. */
const atOnceMs = 1_000;

/**
 * Lets the user edit a text, again and again while there are errors in it, which are then shown on
 * top. It ends when the same error occurs twice in a row or is left as it is. Throws `OsctlError`: what the
 * text could not be taken for; the file with it is named and stays.
 */
export async function editText(
  task: EditTask,
  surroundings: EditSurroundings,
): Promise<EditEnd> {
  const path = await temporaryFile({
    prefix: "osctl-edit-",
    suffix: ".yaml",
  });
  try {
    const end = await editFile(path, task, surroundings);
    await Deno.remove(path);
    return end;
  } catch (error) {
    if (await isEdited(path, task)) {
      surroundings.note(`Your edit was saved to "${path}"`);
    } else await removeIfThere(path);
    throw error;
  }
}

/** Nothing is kept of an editor that failed before a change. */
async function isEdited(
  path: string,
  { title, body }: EditTask,
): Promise<boolean> {
  const text = await Deno.readTextFile(path).catch(() => "");
  const edited = withoutHeader(normal(text), formatHeader(title, undefined));
  return !isEmpty(edited) && edited !== normal(body);
}

async function editFile(
  path: string,
  { title, body, accept, correctable }: EditTask,
  surroundings: EditSurroundings,
): Promise<EditEnd> {
  const { environment, note } = surroundings;
  const clean = normal(body);
  let text = clean;
  let problem: string | undefined;
  for (;;) {
    const header = formatHeader(title, problem);
    const given = forSystem(header + text, environment.os);
    // At once, so that a full disk takes nothing of what was typed.
    await writeFileAtomic(path, given);
    const saved = await editedIn(path, given, surroundings);
    const edited = withoutHeader(normal(saved.text), header);
    if (isEmpty(edited)) return "empty";
    if (edited === clean) {
      if (saved.unseen !== undefined) note(`${saved.unseen}; ${wait}`);
      return "unchanged";
    }
    if (edited === text && problem !== undefined) throw unsolved(problem);
    try {
      await accept(edited);
      return "accepted";
    } catch (error) {
      if (!(error instanceof OsctlError) || !correctable(error)) throw error;
      const found = formatMessage(error);
      // The same error again: the user cannot correct it, or there is no user.
      if (found === problem) throw error;
      [text, problem] = [edited, found];
    }
  }
}

/** Lets the user edit; one whose editor continues in the background is waited for in another way. */
async function editedIn(
  path: string,
  given: string,
  { editor, environment, signal, untilSaved }: EditSurroundings,
): Promise<{ readonly text: string; readonly unseen?: string }> {
  const startedAt = environment.now().getTime();
  await editor.edit(path);
  signal.throwIfAborted();
  const text = await Deno.readTextFile(path);
  const isQuick = environment.now().getTime() - startedAt < atOnceMs;
  if (!isQuick || text !== given) return { text };
  const unseen = `The editor "${editor.command}" exited immediately`;
  if (untilSaved === undefined) return { text, unseen };
  await untilSaved(`${unseen}. Press Enter when the file is saved: `);
  return { text: await Deno.readTextFile(path) };
}

const wait =
  'if it runs in the background, make it wait, as in EDITOR="code --wait"';

function unsolved(problem: string): ConfigError {
  return new ConfigError(`Unchanged since the last attempt: ${problem}`, {
    hint: "Nothing was sent",
  });
}

function formatMessage(error: OsctlError): string {
  const { message } = error;
  if (!("failures" in error) || !(error.failures instanceof Map)) {
    return message;
  }
  return [...error.failures].map(([node, cause]) =>
    `${node}: ${cause instanceof Error ? cause.message : cause}`
  ).join("\n");
}

function formatHeader(title: string, problem: string | undefined): string {
  const errors = problem === undefined ? [] : [
    "",
    ...problem.trimEnd().split("\n"),
    "",
    "Line numbers start below this comment; an empty file cancels the edit",
  ];
  return [title, ...errors].map((line) => `# ${line}`.trimEnd() + "\n")
    .join("");
}

/** Comments of the user's own stay, also those at the top. */
function withoutHeader(text: string, header: string): string {
  if (text.startsWith(header)) return text.slice(header.length);
  const own = new Set(header.split("\n"));
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line === "" || !own.has(line));
  return lines.slice(Math.max(first, 0)).join("\n");
}

/** Line ends of one kind, and no mark of the encoding. */
function normal(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}

function forSystem(text: string, os: string): string {
  return os === "windows" ? text.replaceAll("\n", "\r\n") : text;
}

function isEmpty(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(#|$)/.test(line));
}
