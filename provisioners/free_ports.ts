/** Ports of this machine that nothing listens on. */

/**
 * Finds ports that are free now, each another one.
 *
 * @param hostname Address to listen on; default all.
 */
export function freePorts(count: number, hostname = "0.0.0.0"): number[] {
  // All are held until all are found: they have to differ.
  using held = new DisposableStack();
  return Array.from(
    { length: count },
    () => held.use(Deno.listen({ hostname, port: 0 })).addr.port,
  );
}
