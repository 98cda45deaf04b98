/** Checks for archive entries before they are written below a folder; does no I/O. */

/** Reason for refusing an entry; completes the sentence "the entry …". */
export type EntryRefusal = string;

type CheckedName =
  | {
    /** Path segments below the target folder; empty for the folder itself. */
    readonly parts: readonly string[];
  }
  | {
    readonly refused: EntryRefusal;
  };

/** Longest name of one file or folder in bytes (`NAME_MAX` of Linux). */
const longestPart = 255;

/** Longest path in bytes (`PATH_MAX` of Linux, without the end mark). */
const longestPath = 4095;

/** Characters and names with a special meaning on Windows. */
const windowsCharacters = /[\\:*?"<>|]|[. ]$/;
const windowsDevices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Checks the name of an entry. `os`: operating system of the target: `linux`, `darwin`, `windows`. */
export function checkName(name: string, os: string): CheckedName {
  if (name.startsWith("/")) return { refused: "has an absolute path" };
  if (name.includes("\0")) return { refused: "has a NUL byte in its name" };
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) {
    return { refused: "leaves the folder through '..'" };
  }
  const size = (text: string) => new TextEncoder().encode(text).length;
  if (parts.some((part) => size(part) > longestPart)) {
    return { refused: `has a name of more than ${longestPart} bytes` };
  }
  if (size(name) > longestPath) {
    return { refused: `has a path of more than ${longestPath} bytes` };
  }
  if (os === "windows" && parts.some(unfitForWindows)) {
    return { refused: "has a name that Windows does not allow" };
  }
  return { parts };
}

function unfitForWindows(part: string): boolean {
  return windowsCharacters.test(part) || windowsDevices.test(part);
}

/**
 * Checks the text of a symbolic link; its target is not checked, since links are never followed.
 *
 * @returns Reason for refusing it, else `undefined`.
 */
export function checkLinkText(target: string): EntryRefusal | undefined {
  if (target === "") return "is a link without a target";
  if (target.includes("\0")) return "is a link with a NUL byte in its target";
  return new TextEncoder().encode(target).length > longestPath
    ? `has a link target of more than ${longestPath} bytes`
    : undefined;
}

/**
 * Permissions of an extracted file.
 *
 * Set-user and set-group bits are dropped: they refer to an owner that is not kept.
 */
export function fileMode(mode: number): number {
  return Number.isInteger(mode) ? mode & 0o777 : 0o644;
}

/** Final permissions of an extracted folder; the sticky bit is kept. */
export function folderMode(mode: number): number {
  return Number.isInteger(mode) ? mode & 0o1777 : 0o755;
}
