/** Whether an entry of an archive may be written below a folder; nothing is read or written here. */

/** Why an entry is not written; completes the sentence "the entry …". */
export type EntryRefusal = string;

type CheckedName =
  | {
    /** Names from the target folder down; empty for the folder itself. */
    readonly parts: readonly string[];
  }
  | {
    readonly refused: EntryRefusal;
  };

/** Longest name of one file or folder in bytes (`NAME_MAX` of Linux). */
const longestPart = 255;

/** Longest path in bytes (`PATH_MAX` of Linux, without the end mark). */
const longestPath = 4095;

/** Characters and names that mean something else to Windows. */
const windowsCharacters = /[\\:*?"<>|]|[. ]$/;
const windowsDevices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Checks the name of an entry. `os`: operating system the entry is written on: `linux`, `darwin`, `windows`. */
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
 * Checks the text of a symbolic link; where it leads is not looked at, since it is never followed.
 *
 * @returns Why it is refused, `undefined` when it is not.
 */
export function checkLinkText(target: string): EntryRefusal | undefined {
  if (target === "") return "is a link without a target";
  if (target.includes("\0")) return "is a link with a NUL byte in its target";
  return new TextEncoder().encode(target).length > longestPath
    ? `has a link target of more than ${longestPath} bytes`
    : undefined;
}

/**
 * Permissions an extracted file gets.
 *
 * Set-user and set-group bits are dropped: they speak of an owner that is not kept.
 */
export function fileMode(mode: number): number {
  return Number.isInteger(mode) ? mode & 0o777 : 0o644;
}

/** Permissions an extracted folder gets in the end; the sticky bit is kept. */
export function folderMode(mode: number): number {
  return Number.isInteger(mode) ? mode & 0o1777 : 0o755;
}
