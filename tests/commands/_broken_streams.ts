/** Nodes whose streams break. */

import { CancelledError } from "../../errors.ts";

/** Content of `/proc/sys/kernel/random/boot_id`, by which reboots are recognized. */
export function boots(...ids: readonly string[]) {
  let at = 0;
  return async function* (): AsyncGenerator<{ bytes: Uint8Array }> {
    await Promise.resolve();
    const id = ids[Math.min(at++, ids.length - 1)] ?? "";
    yield { bytes: new TextEncoder().encode(`${id}\n`) };
  };
}

/** Messages with one text each. */
export async function* texts(
  ...all: readonly string[]
): AsyncGenerator<{ bytes: Uint8Array }> {
  for (const text of all) {
    await Promise.resolve();
    yield { bytes: new TextEncoder().encode(text) };
  }
}

/** A user who interrupts. */
export function user() {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    interrupt: () => controller.abort(new CancelledError()),
  };
}

/** Waits until no listener is left. */
export function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A kernel log with one old line, and a new one when something happens. */
export interface KernelLog {
  /** Handler of `Dmesg`. */
  readonly dmesg: (
    request: { readonly follow: boolean },
    signal?: AbortSignal,
  ) => AsyncGenerator<{ bytes: Uint8Array }>;
  /** Tells the new line; resolves when it has been taken. */
  readonly happen: () => Promise<void>;
}

/**
 * Makes a kernel log.
 *
 * @param line The new line.
 */
export function kernelLog(line: string): KernelLog {
  const startedAt = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  return {
    async *dmesg({ follow }, signal) {
      yield* texts("kern: old\n");
      if (!follow) return;
      await startedAt.promise;
      yield* texts(`${line}\n`);
      taken.resolve();
      await untilAborted(signal);
    },
    async happen() {
      startedAt.resolve();
      await taken.promise;
    },
  };
}
