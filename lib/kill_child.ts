/** Sends a signal to a child process, which may have exited by itself. */
export function killChild(
  child: Deno.ChildProcess,
  signal: Deno.Signal,
): void {
  try {
    child.kill(signal);
  } catch (error) {
    // It has exited already.
    if (!(error instanceof TypeError)) throw error;
  }
}
