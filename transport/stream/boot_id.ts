/** The identity of a node's boot, by which reboots are distinguished from lost connections. */

import { RpcError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { failureKind } from "../call/retryable.ts";

/**
 * Reads the identity of the present boot.
 *
 * Gives `undefined` when it may not be read, and throws when the node cannot be reached.
 */
export type ReadBootId = (signal: AbortSignal) => Promise<string | undefined>;

/** File of the Linux kernel with a UUID that every boot makes anew. */
const path = "/proc/sys/kernel/random/boot_id";

/** Longest time for the answer of a node that may be gone. */
const deadlineMs = 10_000;

/**
 * Makes a reader of a node's boot identity. Source: `MachineService.Read`, which needs the admin role.
 *
 * @param client Only its `machine.read` is used.
 * @returns Reader; what the node refuses to tell is `undefined`, not an error.
 */
export function readBootId(client: Pick<NodeClient, "machine">): ReadBootId {
  return async (signal) => {
    const decoder = new TextDecoder();
    let text = "";
    try {
      const chunks = client.machine.read({ path }, { signal, deadlineMs });
      for await (const { bytes } of chunks) {
        text += decoder.decode(bytes, { stream: true });
      }
    } catch (error) {
      if (error instanceof RpcError && failureKind(error) !== "away") {
        return undefined;
      }
      throw error;
    }
    return text.trim() || undefined;
  };
}

/** A stream that may not notice that its node rebooted. */
interface WatchedStream {
  /** Waits between two questions; does so no longer when `signal` aborts. */
  readonly pause: () => Promise<void>;
  /** Aborts when nobody listens any more. */
  readonly signal: AbortSignal;
  /** Called once, when the node has rebooted. */
  readonly rebooted: () => void;
}

/** What is known of a node's boots. */
export interface BootWatch {
  /** True when the node has answered, be it with a refusal. */
  readonly reached: () => boolean;
  /**
   * Asks the node again. Returns whether it rebooted since the last {@linkcode BootWatch.keep}; not
   * knowing counts as no.
   */
  readonly compare: (
    signal: AbortSignal,
  ) => Promise<"node rebooted" | "connection lost">;
  /** Takes the boot seen last as the one to compare with from now on. */
  readonly keep: () => void;
  readonly watch: (stream: WatchedStream) => void;
}

/**
 * Starts to watch a node's boots; the first question is asked at once and not waited for.
 *
 * @param read Reader; omitted, nothing is ever known.
 * @param signal Ends the first question.
 */
export function bootWatch(
  read: ReadBootId | undefined,
  signal: AbortSignal,
): BootWatch {
  let kept: string | undefined;
  let seen: string | undefined;
  let compared = false;
  let reached = false;
  read?.(signal).then((id) => {
    reached = true;
    if (!compared) kept = seen = id;
  }, () => {}); // the stream itself tells what is wrong

  async function compare(signal: AbortSignal) {
    compared = true;
    seen = await read?.(signal);
    const rebooted = differs(seen, kept);
    return rebooted ? "node rebooted" : "connection lost";
  }

  async function watch({ pause, signal, rebooted }: WatchedStream) {
    while (true) {
      // One question after the other on purpose.
      await pause();
      if (signal.aborted) return;
      const id = await read?.(signal).catch(() => undefined);
      if (differs(id, seen)) return rebooted();
    }
  }

  return {
    reached: () => reached,
    compare,
    keep: () => kept = seen ?? kept,
    watch: (stream) => void (read && watch(stream)),
  };
}

function differs(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}
