/** Lines that say what a command waits for. */

export function withoutWaits(err: string): string {
  return err.replaceAll(
    /^(waiting for .*|receiving .*|(starting|stopping) nodes|creating (network \S+|disks)|generating (a key|keys)|looking for problems)(, \d+s)?\n/gm,
    "",
  );
}
