/** Detects that the reader of a pipe is gone, without writing. */

/** The C library of each system. */
const libraries: Partial<Record<typeof Deno.build.os, string>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib",
};

/** Poll interval in milliseconds. */
const everyMs = 250;

/**
 * Calls back once when a file descriptor has lost its reader.
 *
 * The runtime detects that only on a write, and a quiet stream does not write.
 *
 * @param fd Descriptor of a pipe or socket; others have no reader.
 * @returns Stops the watch.
 */
export function onReaderGone(fd: number, act: () => void): () => void {
  const poll = loadPoll();
  if (poll === undefined) return () => {};
  // A struct pollfd: the descriptor, 16 bits of requested events (none), and 16 of returned errors.
  const polled = new Int32Array([fd, 0]);
  const timer = setInterval(() => {
    polled[1] = 0;
    if (poll(polled, 1n, 0) <= 0) return;
    clearInterval(timer);
    act();
  }, everyMs);
  Deno.unrefTimer(timer);
  return () => clearInterval(timer);
}

function loadPoll() {
  const library = libraries[Deno.build.os];
  if (library === undefined) return undefined;
  try {
    const { symbols } = Deno.dlopen(library, {
      poll: { parameters: ["buffer", "u64", "i32"], result: "i32" },
    });
    return symbols.poll;
  } catch {
    return undefined; // another C library, or no permission to call it
  }
}
