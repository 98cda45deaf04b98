/** Answers of many nodes as one reply: `metadata` says which node, and what went wrong there. */

import { type RpcCode, rpcCode, RpcError } from "../errors.ts";

interface NodeMessage {
  readonly metadata?: {
    readonly hostname: string;
    readonly error: string;
    readonly status: unknown;
  };
}

interface UnaryReply {
  readonly messages: readonly NodeMessage[];
}

/** Opens the answer of one node. */
export type Open = (node: string) => AsyncIterable<unknown>;

/**
 * Asks all nodes at once; the messages of their replies become one reply.
 *
 * @param nodes Nodes as the caller spelled them.
 * @returns One reply; messages in order of arrival.
 */
export async function* mergeUnary(
  nodes: readonly string[],
  open: Open,
): AsyncGenerator<UnaryReply> {
  const messages: NodeMessage[] = [];
  await Promise.all(nodes.map(async (node) => {
    try {
      for await (const reply of open(node)) {
        // Replies of all methods that can be asked of many nodes look like this.
        const { messages: own } = reply as UnaryReply;
        messages.push(...own.map((message) => named(message, node)));
      }
    } catch (error) {
      messages.push(failure(error, node));
    }
  }));
  yield { messages };
}

/**
 * Asks all nodes at once.
 *
 * @param nodes Nodes as the caller spelled them.
 * @returns Messages in order of arrival.
 */
export async function* mergeStreams(
  nodes: readonly string[],
  open: Open,
): AsyncGenerator<NodeMessage> {
  const { readable, writable } = new TransformStream<NodeMessage>();
  const writer = writable.getWriter();
  const pumps = Promise.all(nodes.map(async (node) => {
    try {
      for await (const message of open(node)) {
        // Streamed messages carry their metadata themselves.
        await writer.write(named(message as NodeMessage, node));
      }
    } catch (error) {
      await writer.write(failure(error, node)).catch(() => {});
    }
  })).then(() => writer.close()).catch(() => {}); // nobody listens any more
  try {
    yield* readable;
  } finally {
    await pumps;
  }
}

function named(message: NodeMessage, hostname: string): NodeMessage {
  const { error = "", status } = message.metadata ?? {};
  return { ...message, metadata: { hostname, error, status } };
}

function failure(error: unknown, hostname: string): NodeMessage {
  const code = error instanceof RpcError ? error.code : "UNKNOWN";
  const message = error instanceof Error ? error.message : String(error);
  return {
    metadata: {
      hostname,
      error: `rpc error: code = ${spelled(code)} desc = ${message}`,
      status: { code: rpcCode[code], message, details: [] },
    },
  };
}

/** Name of a code in error texts: `PermissionDenied`. */
function spelled(code: RpcCode): string {
  if (code === "CANCELLED") return "Canceled";
  return code.toLowerCase().replaceAll(
    /(?:^|_)(\w)/g,
    (_, letter: string) => letter.toUpperCase(),
  );
}
