/** Edits a text until it is accepted, without losing the user's input. */

import { writeFileAtomic } from "../lib/files/atomic_file.ts";
import { temporaryFile, temporaryFolder } from "../lib/files/temporary.ts";
import { CancelledError, ConfigError, OsctlError } from "../errors.ts";
import type { Editor } from "./editor.ts";
import type { Environment } from "./environment.ts";

interface EditTask {
  readonly title: string;
  readonly body: string;
  /** Accepts the edited text. Throws `OsctlError` if it is invalid. */
  readonly accept: (text: string) => Promise<void>;
  /** Reports whether further editing can fix an error. */
  readonly correctable: (error: OsctlError) => boolean;
}

interface EditSurroundings {
  readonly editor: Pick<Editor, "command" | "edit">;
  readonly environment: Pick<Environment, "now" | "os">;
  readonly note: (text: string) => void;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** Asks the user to confirm that the file is saved; omitted without a terminal. */
  readonly untilSaved?: (question: string) => Promise<void>;
}

/** Result of editing. */
export type EditEnd = "accepted" | "unchanged" | "empty";

/** An editor that exits sooner without a change was probably never visible. */
const atOnceMs = 1_000;

/**
 * Opens a text in the editor until it has no errors; errors are shown at the top. Stops when the same error occurs
 * twice in a row or the text is not changed. Throws `OsctlError` with the last error; it names the file with the
 * text, which is kept.
 */
export async function editText(
  task: EditTask,
  surroundings: EditSurroundings,
): Promise<EditEnd> {
  using hangUp = watchTerminal(surroundings.environment.os);
  const signal = AbortSignal.any([surroundings.signal, hangUp.signal]);
  // Editors write copies beside the file, with the same secrets.
  await using folder = await temporaryFolder("osctl-edit-");
  const path = `${folder.path}/edit.yaml`;
  try {
    return await editFile(path, task, { ...surroundings, signal });
  } catch (error) {
    if (await isEdited(path, task)) {
      const kept = await temporaryFile({
        prefix: "osctl-edit-",
        suffix: ".yaml",
      });
      await Deno.rename(path, kept);
      surroundings.note(`Your edit was saved to "${kept}"`);
    }
    throw error;
  }
}

/** Aborts when the terminal is closed, which otherwise ends this process at once, with the file left behind. */
function watchTerminal(
  os: string,
): Disposable & { readonly signal: AbortSignal } {
  const closed = new AbortController();
  const close = () => closed.abort(new CancelledError("SIGTERM"));
  if (os !== "windows") Deno.addSignalListener("SIGHUP", close);
  return {
    signal: closed.signal,
    [Symbol.dispose]() {
      if (os !== "windows") Deno.removeSignalListener("SIGHUP", close);
    },
  };
}

/** Deletes the file of an editor that failed before a change. */
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
    // Written at once, so that a full disk loses no input.
    await writeFileAtomic(path, given);
    const saved = await editedIn(path, given, surroundings);
    const edited = withoutHeader(normal(saved.text), header);
    if (isEmpty(edited)) return "empty";
    if (edited === clean) {
      if (saved.unseen !== undefined) note(`${saved.unseen}; ${wait}`);
      return "unchanged";
    }
    if (edited === text && problem !== undefined) throw unchangedError(problem);
    try {
      await accept(edited);
      return "accepted";
    } catch (error) {
      if (!(error instanceof OsctlError) || !correctable(error)) throw error;
      const found = formatMessage(error);
      // The same error again: the user cannot fix it, or there is no user.
      if (found === problem) throw error;
      [text, problem] = [edited, found];
    }
  }
}

/** Edits the text; waits for a confirmation when the editor continues in the background. */
async function editedIn(
  path: string,
  given: string,
  { editor, environment, signal, untilSaved }: EditSurroundings,
): Promise<{ readonly text: string; readonly unseen?: string }> {
  const startedAt = environment.now().getTime();
  await editor.edit(path, signal);
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

function unchangedError(problem: string): ConfigError {
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

/** Keeps the user's own comments, also at the top. */
function withoutHeader(text: string, header: string): string {
  if (text.startsWith(header)) return text.slice(header.length);
  const own = new Set(header.split("\n"));
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line === "" || !own.has(line));
  return lines.slice(Math.max(first, 0)).join("\n");
}

/** Normalizes line ends and removes a byte order mark. */
function normal(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}

function forSystem(text: string, os: string): string {
  return os === "windows" ? text.replaceAll("\n", "\r\n") : text;
}

function isEmpty(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(#|$)/.test(line));
}
