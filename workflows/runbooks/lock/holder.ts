/** Who holds a cluster: one process of one run, which no copy of its files can pass for. */

/** A process that holds a cluster, as a Lease names it. */
export interface Holder {
  /** Id of the run; empty for nobody. */
  readonly run: string;
  /** For people: `20261120-7k2f @ alice@laptop, process 4711 since 2026-11-20T19:00:00.000Z`. */
  readonly shown: string;
}

/**
 * Names this process: its number, its start and a random word.
 *
 * The word is in the memory of the process and in the Lease, and in no file: who copies the files of a run, even
 * to a machine of the same name, is another holder.
 */
export function newProcess(): string {
  const start = new Date(performance.timeOrigin).toISOString();
  return `${Deno.pid} ${start} ${crypto.randomUUID()}`;
}

/** Names a holder as a Lease does. */
export function holderIdentity(
  run: string,
  operator: string,
  process: string,
): string {
  return `${run} @ ${operator} # ${process}`;
}

/**
 * Reads the holder of a Lease.
 *
 * @param identity Its `holderIdentity`; also one of another version, or of someone else.
 * @returns Without the random word, so that it can be shown and written down.
 */
export function holderOf(identity: string): Holder {
  const [who = "", process] = identity.split(" # ");
  const [run = ""] = who.split(" @ ");
  if (process === undefined) return { run, shown: who };
  const [number, start] = process.split(" ");
  return { run, shown: `${who}, process ${number} since ${start}` };
}
