/** Finds room in a pipe: a write that fits is not handed to another thread, which takes as long as the write. */

/** Commands of `fcntl` and `ioctl` on Linux. */
const setPipeSize = 1031;
const getPipeSize = 1032;
const countQueued = 0x541bn;

/** Largest pipe that the kernel lets users make by default, in bytes. */
const largestPipe = 1024 * 1024;

/**
 * Enlarges a pipe.
 *
 * @param fd Descriptor of its end for writing.
 * @returns Reports whether a write of this many bytes does not wait for the reader; `undefined` if it is no pipe, or the
 * system is not Linux.
 */
export function pipeRoom(
  fd: number,
): ((bytes: number) => boolean) | undefined {
  const calls = loadCalls();
  if (calls === undefined) return undefined;
  // Fails if the pipes of the user take too much memory; it stays as it is then.
  calls.fcntl(fd, setPipeSize, largestPipe);
  const size = calls.fcntl(fd, getPipeSize, 0);
  if (size <= 0) return undefined;
  const queued = new Int32Array(1);
  // A page may hold less than its size, but two of them more than one: half of the pipe is always usable.
  return (bytes) =>
    calls.ioctl(fd, countQueued, queued) === 0 &&
    2 * (queued[0]! + bytes) <= size;
}

function loadCalls() {
  if (Deno.build.os !== "linux") return undefined;
  try {
    return Deno.dlopen("libc.so.6", {
      fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
      ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
    }).symbols;
  } catch {
    return undefined; // another C library, or no permission to call it
  }
}
