/** Which file a `use` names. */

import type { Cursor } from "../../../../config/documents/cursor.ts";
import type { SourcePosition } from "../../runbook.ts";

/** Begins the name of a runbook that is part of this program. */
export const builtinPrefix = "builtin:";

/** A `use` of a file. */
export interface Inclusion {
  /** What it names: `./x.runbook.yaml`, `builtin:x`. */
  readonly target: string;
  readonly place: SourcePosition;
}

/** The file that is named, or what is wrong with the name. */
type ResolvedInclude =
  | {
    /** Path, or `builtin:name`; the same file has the same one. */
    readonly source: string;
  }
  | {
    /** What is wrong, upper case first, no period. */
    readonly message: string;
    readonly hint: string;
  };

/** Finds the runbooks that steps use. `around`: place of the file, for what has none. */
export function inclusionsIn(
  lists: readonly Cursor[],
  around: SourcePosition,
): readonly Inclusion[] {
  return lists.flatMap((list) => list.items()).flatMap((step) => {
    const use = step.get("use");
    const target = use.text();
    const own = target === undefined
      ? []
      : [{ target, place: use.node?.at ?? around }];
    const within = ["steps", "block", "rescue", "always"]
      .map((key) => step.get(key));
    return [...own, ...inclusionsIn(within, around)];
  });
}

/** Finds the file that a `use` names. `from`: file it is in: a path, or `builtin:name`. */
export function resolveUse(target: string, from: string): ResolvedInclude {
  if (target.startsWith(builtinPrefix)) return { source: target };
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    return {
      message: `"${target}" is not a file next to this one`,
      hint: "Only files and builtin runbooks can be included, not URLs",
    };
  }
  if (!/^\.\.?\//.test(target)) {
    return {
      message: `"${target}" is neither a file nor a builtin runbook`,
      hint: `Write ./${
        target.replace(/^\/+/, "")
      } for a file next to this one, ${builtinPrefix}name for a builtin runbook`,
    };
  }
  if (from.startsWith(builtinPrefix)) {
    return {
      message: `"${target}" is a file, and a builtin runbook cannot use files`,
      hint: `Use ${builtinPrefix}name`,
    };
  }
  return { source: joined(findFolder(from), target) };
}

/** Writes a path without steps that lead back. */
export function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "." || (part === "" && parts.length > 0)) continue;
    const last = parts.at(-1);
    if (part === ".." && last !== undefined && last !== "..") {
      // What is above the root is the root.
      if (last !== "") parts.pop();
    } else parts.push(part);
  }
  return parts.join("/") || ".";
}

function joined(folder: string, target: string): string {
  return plainPath(`${folder}${target}`);
}

function findFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
