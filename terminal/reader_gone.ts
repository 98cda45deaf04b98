/** Notices that the reader of a pipe is gone, without writing to it. */

/** The C library of each system. */
const libraries: Partial<Record<typeof Deno.build.os, string>> = {
  linux: "libc.so.6",
  darwin: "libSystem.B.dylib",
};

/** In milliseconds. */
const everyMs = 250;

/**
 * Calls back once when nothing reads any more what is written to a file descriptor.
 *
 * The runtime notices that only when it writes, and a quiet stream does not write.
 *
 * @param fd Descriptor of a pipe or socket; others have no reader to lose.
 * @returns Ends the watch.
 */
export function onReaderGone(fd: number, act: () => void): () => void {
  const poll = loadPoll();
  if (poll === undefined) return () => {};
  // A struct pollfd: the descriptor, then 16 bits of wanted events, of which there are none, and 16 of errors seen.
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
    return undefined; // a system with another C library, or no right to call it
  }
}
