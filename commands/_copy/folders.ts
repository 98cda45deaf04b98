/** Directories below a target, entered only if they are not symlinks. */

import type { EntryRefusal } from "../../lib/archive/entry_check.ts";

/** Directories of an extraction. */
export interface Folders {
  /** Creates or reuses a directory. `mode`: permissions of a new one, set at the end. */
  readonly folder: (
    parts: readonly string[],
    mode: number,
  ) => Promise<EntryRefusal | void>;
  /**
   * Creates the parent directory of an entry.
   *
   * @param parts Names from the target down, validated; the last one is that of the entry.
   * @returns Path of the entry.
   */
  readonly parent: (parts: readonly string[]) => Promise<
    {
      readonly path: string;
    } | {
      readonly refused: EntryRefusal;
    }
  >;
  /** Records a file written here, up to a limit. */
  readonly wrote: (path: string) => void;
  /** Path of a file written here; `undefined` if it was not. */
  readonly written: (parts: readonly string[]) => string | undefined;
  /** Temporary path beside another, for incomplete files. */
  readonly partial: (path: string) => string;
  /** Sets the permissions of an entry written here. */
  readonly permit: (path: string, mode: number) => Promise<void>;
  /** Sets the permissions of the directories created here. */
  readonly finish: () => Promise<void>;
}

/** An existing or new directory that is not a symlink. */
interface Entered {
  readonly own: boolean;
}

const remembered = 100_000;

const writable = 0o700;

/** Directories below `target`. `os`: `linux`, `darwin` or `windows`. */
export function folders(target: string, os: string): Folders {
  const entered = new Map<string, Entered>([[target, { own: false }]]);
  const files = new Set<string>();
  const modes = new Map<string, number>();
  const run = crypto.randomUUID().slice(0, 8);
  let partials = 0;

  async function enter(path: string): Promise<EntryRefusal | void> {
    if (entered.has(path)) return undefined;
    try {
      await Deno.mkdir(path);
      entered.set(path, { own: true });
      return undefined;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    // A symlink to a directory counts as a symlink.
    const { isDirectory, isSymlink } = await Deno.lstat(path);
    if (isSymlink) return "passes through a link";
    if (!isDirectory) return "passes through something that is not a directory";
    entered.set(path, { own: false });
    return undefined;
  }

  async function enterAll(
    parts: readonly string[],
  ): Promise<EntryRefusal | void> {
    const whole = joinPath(parts);
    if (entered.has(whole)) return undefined;
    for (let depth = 1; depth <= parts.length; depth++) {
      const refused = await enter(joinPath(parts.slice(0, depth)));
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  function joinPath(parts: readonly string[]): string {
    return parts.length === 0 ? target : `${target}/${parts.join("/")}`;
  }

  async function permit(path: string, mode: number): Promise<void> {
    if (os !== "windows") await Deno.chmod(path, mode);
  }

  return {
    async folder(parts, mode) {
      const refused = await enterAll(parts.slice(0, -1));
      if (refused !== undefined) return refused;
      const path = joinPath(parts);
      if (await enter(path) !== undefined) return "already exists";
      if (entered.get(path)?.own) {
        await permit(path, mode | writable);
        if ((mode & writable) !== writable) modes.set(path, mode);
        else modes.delete(path);
      }
    },
    async parent(parts) {
      const refused = await enterAll(parts.slice(0, -1));
      return refused === undefined ? { path: joinPath(parts) } : { refused };
    },
    wrote(path) {
      if (files.size < remembered) files.add(path);
    },
    written: (parts) =>
      files.has(joinPath(parts)) ? joinPath(parts) : undefined,
    partial: (path) =>
      `${
        path.slice(0, path.lastIndexOf("/"))
      }/.osctl-${run}-${partials++}.partial`,
    permit,
    async finish() {
      // Deepest first: a directory without search permission hides those below
      // it.
      const deepest = [...modes].sort(([a], [b]) => b.length - a.length);
      for (const [path, mode] of deepest) {
        await permit(path, mode).catch(() => {}); // the content matters more
      }
    },
  };
}

/**
 * Reports whether a path exists, including a dangling symlink.
 *
 * @param path Its last part is not followed.
 */
export async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
