/** Resolves the file of a `use`. */

import type { Cursor } from "../../../../config/documents/cursor.ts";
import type { SourcePosition } from "../../runbook.ts";

/** Prefix of built-in runbooks. */
export const builtinPrefix = "builtin:";

/** A `use` of a file. */
export interface Inclusion {
  /** Target: `./x.runbook.yaml`, `builtin:x`. */
  readonly target: string;
  readonly place: SourcePosition;
}

/** The resolved file, or an error. */
type ResolvedInclude =
  | {
    /** Path, or `builtin:name`; unique for each file. */
    readonly source: string;
  }
  | {
    /** Error message, upper case first, no period. */
    readonly message: string;
    readonly hint: string;
  };

/** Finds the runbooks that steps use. `around`: place of the file, for values without one. */
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

/** Resolves the file of a `use`. `from`: file that contains it: a path, or `builtin:name`. */
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
  return { source: joinPath(findFolder(from), target) };
}

/** Normalizes a path: removes `.` and `..`. */
export function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "." || (part === "" && parts.length > 0)) continue;
    const last = parts.at(-1);
    if (part === ".." && last !== undefined && last !== "..") {
      // The parent of the root is the root.
      if (last !== "") parts.pop();
    } else parts.push(part);
  }
  return parts.join("/") || ".";
}

function joinPath(folder: string, target: string): string {
  return plainPath(`${folder}${target}`);
}

function findFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
