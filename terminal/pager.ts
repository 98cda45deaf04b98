/** Long text for people, through a pager as git does it. */

import type { Environment, Sink } from "./environment.ts";

/** Standard output that may lead to a pager. */
interface PagedOutput {
  readonly sink: Sink;
  /** Writes out what was kept, and waits until the reader has left the pager. */
  readonly end: () => Promise<void>;
}

/**
 * The pager that is meant: `OSCTL_PAGER`, else `PAGER`, else `less`; `undefined` where text is not paged.
 *
 * @param environment Standard output has to be a terminal, and there has to be a way to start a pager.
 * @param isWanted False with `--no-pager`.
 */
export function choosePager(
  { stdout, env, pager }: Pick<Environment, "stdout" | "env" | "pager">,
  isWanted: boolean,
): string | undefined {
  const command = env("OSCTL_PAGER") ?? env("PAGER") ?? "less";
  const isOff = !isWanted || pager === undefined || !stdout.terminal ||
    stdout.rows === undefined || env("TERM") === "dumb";
  // An empty one and `cat` mean none, as for git.
  return isOff || ["", "cat"].includes(command.trim()) ? undefined : command;
}

/**
 * Keeps text until it is more than a screen, and gives it to a pager then.
 *
 * @param environment Standard output, and how pagers are started.
 * @param command Pager as the user's shell reads it; `undefined` for none.
 */
export function paged(
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
