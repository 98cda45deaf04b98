/** Notices that the process was started with a closed standard output. */

/** They open the null device for writing only, so that one opened for reading too is not from them. */
const shells = ["ash", "bash", "busybox", "dash", "fish", "ksh", "sh", "zsh"];

/**
 * Tells whether standard output was closed, as with `>&-`. The runtime opens the null device in its place, for reading
 * and writing, so what is printed would be lost. Some programs give such a device to those that they start: only a
 * parent that is a shell, or has no standard output either, tells one from the other.
 *
 * @returns False also where nothing can be told: on other systems than Linux, and where the parent is another user's.
 */
export function isOutputClosed(): boolean {
  if (Deno.build.os !== "linux") return false;
  try {
    if (!isNullDevice("/dev/stdout") || !isReadable("self")) return false;
    const parent = String(Deno.ppid);
    const name = Deno.readTextFileSync(`/proc/${parent}/comm`).trim();
    const open = [...Deno.readDirSync(`/proc/${parent}/fd`)];
    if (open.every(({ name }) => name !== "1")) return true;
    const isInherited = isNullDevice(`/proc/${parent}/fd/1`) &&
      isReadable(parent);
    return shells.includes(name) && !isInherited;
  } catch {
    return false;
  }
}

function isNullDevice(path: string): boolean {
  const { isCharDevice, rdev } = Deno.statSync(path);
  return isCharDevice === true && rdev === Deno.statSync("/dev/null").rdev;
}

function isReadable(process: string): boolean {
  const info = Deno.readTextFileSync(`/proc/${process}/fdinfo/1`);
  const [, flags = ""] = /^flags:\s*([0-7]+)$/m.exec(info) ?? [];
  return (parseInt(flags, 8) & accessMode) === readAndWrite;
}

/** Bits of the flags of an open file, and their value for reading and writing. */
const accessMode = 0o3;
const readAndWrite = 0o2;
