/** File modes as nodes send them: the bit layout of Go's `fs.FileMode`, not that of the kernel. */

/** Letters for the kinds, from the highest bit down. */
const letters = "dalTLDpSugct?";

/** Kinds by bit; several may be set, the first one counts. */
export const kinds = [
  [31, "directory"],
  [27, "symlink"],
  [25, "pipe"],
  [24, "socket"],
  [26, "device"],
  [19, "other"],
] as const;

/** What a file is. */
export type FileKind = "file" | (typeof kinds)[number][1];

/**
 * Writes a mode as the peer prints it.
 *
 * @param mode Bits as sent.
 * @returns Text such as `-rw-r--r--`, `drwxr-xr-x`, `Lrwxrwxrwx`, `Dcrw-rw-rw-`, `dtrwxrwxrwx`.
 */
export function modeText(mode: number): string {
  const kind = [...letters].filter((_, i) => hasBit(mode, 31 - i)).join("");
  const permissions = [..."rwxrwxrwx"].map((letter, i) =>
    hasBit(mode, 8 - i) ? letter : "-"
  );
  return (kind || "-") + permissions.join("");
}

/**
 * Permissions in octal, set-user, set-group and sticky bits included.
 *
 * @param mode Bits as sent.
 * @returns Four digits: `0644`, `4755`.
 */
export function octalMode(mode: number): string {
  const special = (hasBit(mode, 23) ? 4 : 0) + (hasBit(mode, 22) ? 2 : 0) +
    (hasBit(mode, 20) ? 1 : 0);
  return `${special}${(mode & 0o777).toString(8).padStart(3, "0")}`;
}

/**
 * Tells what a file is.
 *
 * @param mode Bits as sent.
 */
export function fileKind(mode: number): FileKind {
  return kinds.find(([bit]) => hasBit(mode, bit))?.[1] ?? "file";
}

function hasBit(mode: number, bit: number): boolean {
  return (mode >>> bit & 1) === 1;
}
