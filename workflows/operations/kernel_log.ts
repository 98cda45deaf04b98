/** The kernel log of a node on standard error, while something goes on there. */

import { readBootId } from "../../transport/stream/boot_id.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { followLines } from "../../transport/stream/follow_lines.ts";
import { messageKeys } from "../../transport/stream/kernel_messages.ts";
import { pause } from "../../transport/pause.ts";
import { payload } from "../../transport/call/payload.ts";
import type { NodeEvent } from "./run.ts";
import { OsctlError } from "../../errors.ts";

import { gapLine } from "../../transport/stream/follow.ts";
import type { ProgressPlace } from "./node_progress.ts";

/** Longest wait for the log before the operation begins without it, in milliseconds. */
const patienceMs = 2_000;

/**
 * Passes on what happens, and shows the kernel log meanwhile: new lines only, after a reboot from the first one.
 *
 * @param events What happens on a node; nothing does before it is asked for.
 * @param client Client of the node.
 * @param place Where the lines go, and time.
 */
export async function* withKernelLog(
  events: AsyncIterable<NodeEvent>,
  client: NodeClient,
  place: ProgressPlace,
): AsyncGenerator<NodeEvent> {
  const ended = new AbortController();
  const found = new AbortController();
  const signal = AbortSignal.any([client.signal, ended.signal]);
  const shown = show({ ...client, signal }, place, () => found.abort());
  try {
    // Else the first lines would count as old ones.
    await pause(patienceMs, AbortSignal.any([client.signal, found.signal]));
    yield* events;
  } finally {
    ended.abort();
    await shown;
  }
}

async function show(
  client: NodeClient,
  { note, environment: { now } }: ProgressPlace,
  found: () => void,
): Promise<void> {
  const { node, machine, signal } = client;
  const seen = followLines({
    async *read({ follow, signal }) {
      yield* payload(machine.dmesg({ follow }, { signal }));
      if (!follow) found();
    },
    last: 0,
    lineKeys: messageKeys,
    bootId: readBootId(client),
    now,
    signal,
  });
  try {
    for await (const one of seen) {
      note(one.kind === "gap" ? gapLine(node, one) : `${node}: ${one.item}`);
    }
  } catch (error) {
    // The operation goes on without it.
    if (!(error instanceof OsctlError)) throw error;
    if (signal.aborted) return;
    note(
      `--- ${node}: no longer following the kernel log: ${error.message} ---`,
    );
  } finally {
    found();
  }
}
