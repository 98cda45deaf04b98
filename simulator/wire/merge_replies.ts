/** Answers of many nodes as one reply: `metadata` says which node, and what went wrong there. */

import { type RpcCode, rpcCode, RpcError } from "../../errors.ts";

/** What every message of a node may carry. */
interface NodeMessage {
  /** Who said it, and what went wrong there. */
  readonly metadata?: {
    /** Node as the caller spelled it. */
    readonly hostname: string;
    /** What went wrong; empty when nothing did. */
    readonly error: string;
    readonly status: unknown;
  };
}

interface UnaryReply {
  readonly messages: readonly NodeMessage[];
}

type OpenReply = (node: string) => AsyncIterable<unknown>;

/**
 * Asks all nodes at once; the messages of their replies become one reply.
 *
 * @param nodes Nodes as the caller spelled them.
 * @returns One reply; messages in order of arrival.
 */
export async function* mergeUnary(
  nodes: readonly string[],
  open: OpenReply,
): AsyncGenerator<UnaryReply> {
  const messages: NodeMessage[] = [];
  for await (const { node, message } of askAll(nodes, open)) {
    // Replies of all methods that can be asked of many nodes look like this.
    const { messages: own = [message] } = message as Partial<UnaryReply>;
    messages.push(...own.map((one) => withHostname(one, node)));
  }
  yield { messages };
}

/** Asks all nodes at once. `nodes`: nodes as the caller spelled them. Returns messages in order of arrival. */
export async function* mergeStreams(
  nodes: readonly string[],
  open: OpenReply,
): AsyncGenerator<NodeMessage> {
  for await (const { node, message } of askAll(nodes, open)) {
    yield withHostname(message, node);
  }
}

interface NodeReply {
  readonly node: string;
  readonly message: NodeMessage;
}

/** Everything the nodes say in order of arrival; what went wrong there is a message too. */
async function* askAll(
  nodes: readonly string[],
  open: OpenReply,
): AsyncGenerator<NodeReply> {
  const { readable, writable } = new TransformStream<NodeReply>();
  const writer = writable.getWriter();
  const pump = async (node: string) => {
    try {
      for await (const message of open(node)) {
        // All messages may carry metadata, or hold messages that do.
        await writer.write({ node, message: message as NodeMessage });
      }
    } catch (error) {
      await writer.write({ node, message: failure(error) });
    }
  };
  const pumps = Promise.all(nodes.map(pump))
    .then(() => writer.close())
    .catch(() => {}); // the caller is gone
  try {
    for await (const arrival of readable) {
      checkMessage(arrival);
      yield arrival;
    }
  } finally {
    await pumps;
  }
}

/** Bytes that are no message cannot be given a node's name. */
function checkMessage({ node, message }: NodeReply): void {
  if (!(message instanceof Uint8Array)) return;
  throw new RpcError(
    "UNKNOWN",
    `error appending info for ${node}: unexpected EOF`,
  );
}

function withHostname(message: NodeMessage, hostname: string): NodeMessage {
  const { error = "", status } = message.metadata ?? {};
  return { ...message, metadata: { hostname, error, status } };
}

function failure(error: unknown): NodeMessage {
  const code = error instanceof RpcError ? error.code : "UNKNOWN";
  const message = error instanceof Error ? error.message : String(error);
  return {
    metadata: {
      hostname: "",
      error: `rpc error: code = ${rpcCodeName(code)} desc = ${message}`,
      status: { code: rpcCode[code], message, details: [] },
    },
  };
}

/** Name of a code in error texts: `PermissionDenied`. */
export function rpcCodeName(code: RpcCode): string {
  if (code === "CANCELLED") return "Canceled";
  return code.toLowerCase().replaceAll(
    /(?:^|_)(\w)/g,
    (_, letter: string) => letter.toUpperCase(),
  );
}
