/** Pages help that is longer than the screen. The output of commands is not paged. */

import type { Environment, Sink } from "./environment.ts";

/** Standard output, possibly through a pager. */
interface PagedOutput {
  readonly sink: Sink;
  /** Flushes the text and waits until the user quits the pager. */
  readonly end: () => Promise<void>;
}

/**
 * Selects the pager: `OSCTL_PAGER`, else `PAGER`, else `less`; `undefined` if text is not paged.
 *
 * @param environment Standard output must be a terminal, and starting a pager must be possible.
 * @param isWanted False with `--no-pager`.
 */
export function choosePager(
  { stdout, env, pager }: Pick<Environment, "stdout" | "env" | "pager">,
  isWanted: boolean,
): string | undefined {
  const command = env("OSCTL_PAGER") ?? env("PAGER") ?? "less";
  const isOff = !isWanted || pager === undefined || !stdout.terminal ||
    stdout.rows === undefined || env("TERM") === "dumb";
  // An empty value and `cat` mean none, as in git.
  return isOff || ["", "cat"].includes(command.trim()) ? undefined : command;
}

/**
 * Buffers text until it exceeds a screen, then sends it to a pager.
 *
 * @param environment Standard output, and the starter of pagers.
 * @param command Pager in shell syntax; `undefined` for none.
 */
export function openPager(
  { stdout, pager }: Pick<Environment, "stdout" | "pager">,
  command: string | undefined,
): PagedOutput {
  if (command === undefined || pager === undefined) {
    return { sink: stdout, end: () => Promise.resolve() };
  }
  const start = pager;
  const kept: Uint8Array[] = [];
  let lines = 0;
  let reader: ReturnType<typeof start> | undefined;

  async function write(bytes: Uint8Array): Promise<void> {
    if (reader !== undefined) return await reader.write(bytes);
    kept.push(bytes.slice());
    for (const byte of bytes) if (byte === lineEnd) lines++;
    if (lines < (stdout.rows?.() ?? Infinity)) return;
    reader = start(command ?? "");
    for (const part of kept.splice(0)) await reader.write(part);
  }

  async function end(): Promise<void> {
    if (reader !== undefined) return await reader.close();
    for (const part of kept.splice(0)) await stdout.write(part);
  }

  return { sink: { ...stdout, write }, end };
}

const lineEnd = 10;
