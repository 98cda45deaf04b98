/** Merges replies of many nodes into one: `metadata` has the node and its error. */

import { type RpcCode, rpcCode, RpcError } from "../../errors.ts";

/** Common fields of the messages of a node. */
interface NodeMessage {
  readonly metadata?: {
    /** Node as spelled by the caller. */
    readonly hostname: string;
    /** Empty without an error. */
    readonly error: string;
    readonly status: unknown;
  };
}

interface UnaryReply {
  readonly messages: readonly NodeMessage[];
}

type OpenReply = (node: string) => AsyncIterable<unknown>;

/**
 * Calls all nodes in parallel and merges the messages into one reply.
 *
 * @param nodes Nodes as spelled by the caller.
 * @returns One reply; messages in order of arrival.
 */
export async function* mergeUnary(
  nodes: readonly string[],
  open: OpenReply,
): AsyncGenerator<UnaryReply> {
  const messages: NodeMessage[] = [];
  for await (const { node, message } of askAll(nodes, open)) {
    // Replies of all methods that support multiple nodes have this shape.
    const { messages: own = [message] } = message as Partial<UnaryReply>;
    messages.push(...own.map((one) => withHostname(one, node)));
  }
  yield { messages };
}

/** Calls all nodes in parallel. `nodes`: as spelled by the caller. Yields messages in order of arrival. */
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

/** Yields all messages of the nodes in order of arrival; errors are messages too. */
async function* askAll(
  nodes: readonly string[],
  open: OpenReply,
): AsyncGenerator<NodeReply> {
  const { readable, writable } = new TransformStream<NodeReply>();
  const writer = writable.getWriter();
  const pump = async (node: string) => {
    try {
      for await (const message of open(node)) {
        // All messages may have metadata, or contain messages that have.
        await writer.write({ node, message: message as NodeMessage });
      }
    } catch (error) {
      await writer.write({ node, message: failure(error) });
    }
  };
  const pumps = Promise.all(nodes.map(pump))
    .then(() => writer.close())
    .catch(() => {}); // the caller is disconnected
  try {
    for await (const arrival of readable) {
      checkMessage(arrival);
      yield arrival;
    }
  } finally {
    await pumps;
  }
}

/** Refuses invalid messages, to which a node name cannot be added. */
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
