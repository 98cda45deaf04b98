/** Detects a closed standard output at start. */

/** Shells open the null device only for writing, so one opened for reading too does not come from them. */
const shells = ["ash", "bash", "busybox", "dash", "fish", "ksh", "sh", "zsh"];

/**
 * Reports whether standard output was closed, as with `>&-`. The runtime then opens the null device in its place, for
 * reading and writing, so output would be lost. Some programs start others with such a device: only a parent that is a
 * shell, or has no standard output either, proves a closed one.
 *
 * @returns False also if unknown: on systems other than Linux, and for a parent of another user.
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

/** Access mode bits in the flags of an open file, and their value for reading and writing. */
const accessMode = 0o3;
const readAndWrite = 0o2;
