/** Free ports of this machine. */

/**
 * Finds distinct free ports.
 *
 * @param hostname Address to listen on; default all.
 */
export function freePorts(count: number, hostname = "0.0.0.0"): number[] {
  // Held until all are found, so that they are distinct.
  using held = new DisposableStack();
  return Array.from(
    { length: count },
    () => held.use(Deno.listen({ hostname, port: 0 })).addr.port,
  );
}
