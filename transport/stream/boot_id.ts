/** Boot id of a node, to distinguish reboots from lost connections. */

import { RpcError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { failureKind } from "../call/retryable.ts";

/**
 * Reads the current boot id.
 *
 * Returns `undefined` if access is denied; throws if the node is unreachable.
 */
export type ReadBootId = (signal: AbortSignal) => Promise<string | undefined>;

/** File of the Linux kernel with a new UUID for each boot. */
const path = "/proc/sys/kernel/random/boot_id";

/** Timeout in milliseconds for a node that may be down. */
const deadlineMs = 10_000;

/**
 * Creates a reader for the boot id of a node. Source: `MachineService.Read`, which needs the admin role.
 *
 * @param client Only its `machine.read` is used.
 * @returns Reader that returns `undefined` if the node denies access.
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
  /** Waits between two checks; returns early when `signal` aborts. */
  readonly pause: () => Promise<void>;
  /** Aborts when the stream is no longer needed. */
  readonly signal: AbortSignal;
  /** Called once, when the node has rebooted. */
  readonly rebooted: () => void;
}

/** Reboot detection for a node. */
export interface BootWatch {
  /** True if the node has answered, even with an error. */
  readonly reached: () => boolean;
  /**
   * Reads the boot id again. Returns true if the node rebooted since the last {@linkcode BootWatch.keep};
   * false if unknown.
   */
  readonly compare: (
    signal: AbortSignal,
  ) => Promise<"node rebooted" | "connection lost">;
  /** Uses the last read boot id for later comparisons. */
  readonly keep: () => void;
  readonly watch: (stream: WatchedStream) => void;
}

/**
 * Starts reboot detection; the first read starts at once, in the background.
 *
 * @param read Reader; without it no reboot is detected.
 * @param signal Aborts the first read.
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
  }, () => {}); // reported by the stream itself

  async function compare(signal: AbortSignal) {
    compared = true;
    seen = await read?.(signal);
    const rebooted = differs(seen, kept);
    return rebooted ? "node rebooted" : "connection lost";
  }

  async function watch({ pause, signal, rebooted }: WatchedStream) {
    while (true) {
      // Sequential on purpose.
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
