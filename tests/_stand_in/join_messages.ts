/** Join protocol between stand-in nodes and the first control plane: one line of JSON each way. */

import type { MachineType } from "../../simulator/state/node_identity.ts";

/** Port for join requests; the same as trustd of real nodes. */
export const joinPort = 50_001;

/** Join request of a node, which is a member while the connection is open. */
export interface JoinRequest {
  readonly token: string;
  readonly hostname: string;
  readonly address: string;
  readonly machineType: MachineType;
  readonly configuration: string;
}

/** Message to a node. */
export type JoinReply =
  | {
    /** Port on the leader that serves the node's API. */
    readonly port: number;
  }
  | {
    readonly off: true;
  };

/** Sends one message. */
export async function send(
  connection: Deno.Conn,
  message: JoinRequest | JoinReply,
): Promise<void> {
  const writer = connection.writable.getWriter();
  try {
    const line = `${JSON.stringify(message)}\n`;
    await writer.write(new TextEncoder().encode(line));
  } finally {
    writer.releaseLock();
  }
}

/** Maximum line length in characters: a configuration can contain manifests. */
const longest = 4_000_000;

/** Reads messages until the connection is closed; senders are authenticated by the content. */
export async function* messages<T>(connection: Deno.Conn): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const bytes of connection.readable) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(
        "\n",
      );
      rest = lines.pop() ?? "";
      if (rest.length > longest) return;
      // Both sides run the same build.
      for (const line of lines) yield JSON.parse(line) as T;
    }
  } catch (error) {
    // The other side disconnected, or does not speak this protocol.
    if (!isEnd(error)) throw error;
  }
}

/** True if an error only means that the connection was closed. */
export function isEnd(error: unknown): boolean {
  return error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.ConnectionRefused ||
    error instanceof Deno.errors.ConnectionAborted ||
    error instanceof Deno.errors.NotConnected ||
    error instanceof Deno.errors.BadResource ||
    error instanceof Deno.errors.Interrupted ||
    error instanceof SyntaxError;
}

/** Closes a connection, unless it is already closed. */
export function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!isEnd(error)) throw error;
  }
}
