import { untilAborted } from "../clock/clock.ts";
import { RpcError } from "../../errors.ts";
import {
  callFailed,
  connectionBroken,
  type FaultName,
  triggerFault,
} from "../state/faults.ts";
import type { MethodRoute } from "../services/handlers.ts";
import type { SimulatedNode } from "../state/node.ts";
import { powerCycle } from "../boot/power.ts";

interface FaultyCall {
  readonly node: SimulatedNode;
  readonly route: MethodRoute;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Applies the faults of a node to a reply. Returns messages, or bytes that
 * are not a message. Throws `RpcError`: UNAVAILABLE if a fault breaks the connection.
 */
export async function* applyCallFaults(
  asked: FaultyCall,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  const { node, route: { definition }, signal } = asked;
  const slow = triggerFault(node, "slow", definition.name);
  if (slow) await node.clock.sleep(slow.ms ?? 500, signal);
  if (triggerFault(node, "wrong-protobuf", definition.name)) {
    return yield noMessage;
  }
  const failing = triggerFault(node, "call-fails", definition.name);
  if (failing) throw callFailed(failing.code);
  const kinds = definition.responseStream ? streamFaults : unaryFaults;
  yield* kinds.reduce((inner, spoil) => spoil(asked, inner), messages);
}

/** Invalid message: the length is too large. */
const noMessage: Uint8Array = Uint8Array.fromHex("0affffffff07");

type CallFault = (
  asked: FaultyCall,
  messages: AsyncIterable<unknown>,
) => AsyncIterable<unknown>;

const streamFaults: readonly CallFault[] = [
  endAfter("stream-drop", () => connectionBroken()),
  endAfter("truncated-copy", () => undefined),
  endAfter("reboot-mid-stream", ({ node }) => {
    node.work(powerCycle(node));
    return connectionBroken();
  }),
  cutLine,
  silenceStream,
  blackhole,
];

const unaryFaults: readonly CallFault[] = [
  replyLost("reply-lost"),
  replyLost("bootstrap-unrecorded"),
  replyLost("member-change-ambiguous"),
  startStreamSilence,
  blackhole,
  requestLost,
];

/** Ends a stream after some messages, with or without an error. */
function endAfter(
  name: FaultName,
  end: (asked: FaultyCall) => RpcError | undefined,
): CallFault {
  return async function* (asked, messages) {
    const fault = triggerFault(asked.node, name, asked.route.definition.name);
    let left = fault?.afterMessages ?? 1;
    for await (const message of messages) {
      if (fault && left-- === 0) {
        const error = end(asked);
        if (error) throw error;
        return;
      }
      yield message;
    }
  };
}

async function* cutLine(
  { node, route }: FaultyCall,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  const fault = triggerFault(node, "log-cut-mid-line", route.definition.name);
  let left = fault?.afterMessages ?? 0;
  for await (const message of messages) {
    if (fault && left-- === 0) {
      // Only byte streams have lines.
      const { bytes } = message as { bytes: Uint8Array };
      const lineEnd = bytes.lastIndexOf(10);
      yield { bytes: bytes.subarray(0, Math.max(1, lineEnd - 3)) };
      throw connectionBroken();
    }
    yield message;
  }
}

function replyLost(name: FaultName): CallFault {
  return async function* ({ node, route }, messages) {
    for await (const message of messages) {
      if (triggerFault(node, name, route.definition.name)) {
        node.network.disconnect();
        throw connectionBroken();
      }
      yield message;
    }
  };
}

async function* requestLost(
  { node, route }: FaultyCall,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  const fault = triggerFault(node, "request-lost", route.definition.name);
  if (fault) {
    node.network.disconnect();
    if (fault.ms !== undefined) node.work(arrive(node, fault.ms, messages));
    throw connectionBroken();
  }
  // Nothing is executed until the reply is read.
  yield* messages;
}

/** Executes a request that was in flight when the connection broke. */
async function arrive(
  { clock }: SimulatedNode,
  ms: number,
  messages: AsyncIterable<unknown>,
): Promise<void> {
  await clock.sleep(ms);
  try {
    await Array.fromAsync(messages);
  } catch (error) {
    // The caller is disconnected, so a refusal is dropped.
    if (!(error instanceof RpcError)) throw error;
  }
}

/** Methods that `stream-silence-after-ack` waits for. */
const accepted: ReadonlySet<string> = new Set([
  "Reboot",
  "Reset",
  "Rollback",
  "Shutdown",
  "Upgrade",
]);

async function* startStreamSilence(
  { node, route }: FaultyCall,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  for await (const message of messages) {
    const fault = node.faults.get("stream-silence-after-ack");
    if (fault && accepted.has(route.definition.name)) fault.triggered = true;
    yield message;
  }
}

/** Once silent, a stream neither sends nor ends. */
async function* silenceStream(
  { node, route, signal }: FaultyCall,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  const fault = triggerFault(
    node,
    "stream-silence-after-ack",
    route.definition.name,
  );
  try {
    for await (const message of messages) {
      if (fault?.triggered) break;
      yield message;
    }
  } catch (error) {
    if (!fault?.triggered) throw error;
  }
  if (fault?.triggered) await untilAborted(signal);
}

async function* blackhole(
  { node, signal }: FaultyCall,
  messages: AsyncIterable<unknown>,
): AsyncGenerator<unknown> {
  for await (const message of messages) {
    if (node.faults.has("blackhole")) return await untilAborted(signal);
    yield message;
  }
}
