/** Logs: `Logs`, `LogsContainers` and `Dmesg`. */

import { RpcError } from "../../errors.ts";
import { ContainerDriver } from "../../transport/gen/common.ts";
import type { LogsRequest } from "../../transport/gen/machine.ts";
import { containerLog } from "../node/containers.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { KernelMessage } from "../state/node_boot.ts";
import type { MachineHandlers } from "./handlers.ts";
import { type HistoryBuffer, overrun } from "../wire/history_buffer.ts";
import { readUntilShutdown } from "../node/shutdown_streams.ts";
import { chunks } from "./byte_stream.ts";

/** `Logs`, `LogsContainers` and `Dmesg`. */
export const logs: MachineHandlers = {
  async *logs(request, { node, signal }) {
    const { follow, tailLines } = request;
    const log = findLog(node, request);
    const from = tailLines < 0
      ? log.first()
      : Math.max(log.first(), log.end() - tailLines);
    yield* chunks(node, streamLog(log, { from, follow, signal }));
  },
  logsContainers: (_, { node }) => ({
    messages: [{ ids: [...node.boot.logs.keys()].sort() }],
  }),
  async *dmesg({ follow, tail }, { node, signal }) {
    const { boot: { kernelLog } } = node;
    let read = 0;
    const reading = { follow, signal };
    const from = tail ? kernelLog.end() : kernelLog.first();
    for await (
      const message of readUntilShutdown(node, kernelLog, from, reading)
    ) {
      if (message === overrun) return;
      yield {
        bytes: encoder.encode(kernelLine(message, lateUs(node, read++))),
      };
    }
  },
};

const encoder = new TextEncoder();

/** Sends existing lines together; later ones as they come. */
async function* streamLog(
  log: HistoryBuffer<string>,
  { from, follow, signal }: {
    readonly from: number;
    readonly follow: boolean;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Uint8Array> {
  let position = Math.max(from, log.first());
  while (!signal.aborted) {
    while (position < log.end() && !signal.aborted) {
      const end = Math.min(log.end(), position + 1000);
      let text = "";
      for (; position < end; position++) text += `${log.at(position)}\n`;
      yield encoder.encode(text);
      position = Math.max(position, log.first());
    }
    if (!follow) return;
    // Follow mode waits for the next line.
    await log.waitFor(position, signal);
  }
}

function findLog(
  node: SimulatedNode,
  { id, namespace, driver }: LogsRequest,
): HistoryBuffer<string> {
  if (namespace === "system" || id === "kubelet") {
    const log = node.boot.logs.get(id);
    if (!log) throw new RpcError("UNKNOWN", `log "${id}" was not registered`);
    return log;
  }
  if (driver === ContainerDriver.CRI && namespace !== "k8s.io") {
    throw new RpcError(
      "UNKNOWN",
      "CRI inspector is supported only for K8s namespace",
    );
  }
  const log = containerLog(node, namespace, id);
  if (!log) throw new RpcError("UNKNOWN", `container "${id}" not found`);
  return log;
}

/**
 * Error of the boot time in a read of the kernel log, in microseconds; positive is late.
 *
 * The kernel counts from the boot. For each message a node recomputes the boot time from the current time and the
 * uptime in whole seconds: the same message has another time in each read, and so do intervals between messages.
 */
function lateUs(
  { clock, boot: { startedAt } }: SimulatedNode,
  read: number,
): number {
  return ((clock.now() - startedAt) * 1_000 + read * usPerMessage) % 1_000_000;
}

/** Time to read a message, measured with the library that nodes use. */
const usPerMessage = 3;

function kernelLine(
  { facility, priority, time, text }: KernelMessage,
  lateUs: number,
): string {
  const at = new Date(time + Math.floor(lateUs / 1_000)).toISOString();
  const us = String(lateUs % 1_000).padStart(3, "0");
  const written = `${at.slice(0, -1)}${us}`.replace(/\.?0*$/, "Z");
  return `${facility}: ${priority.padStart(7)}: [${written}]: ${text}\n`;
}
