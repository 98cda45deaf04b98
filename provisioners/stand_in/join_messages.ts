/** What stand-in nodes say to the first control plane of their cluster: one line of JSON each way. */

import type { MachineType } from "../../simulator/state/node_identity.ts";

/** Port on which nodes ask to join; that of the trust service of real nodes, for the same purpose. */
export const joinPort = 50_001;

/** A node that asks to join; it is part of the cluster for as long as the connection lasts. */
export interface JoinRequest {
  readonly token: string;
  readonly hostname: string;
  readonly address: string;
  readonly machineType: MachineType;
  readonly configuration: string;
}

/** What a node is told. */
export type JoinReply =
  | {
    /** Port of the leader on which calls to the node are answered. */
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

/** Longest line, in characters: a configuration has its manifests in it. */
const longest = 4_000_000;

/** Reads messages until the connection ends; whoever sends them is checked by what is in them. */
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
      // Both sides are of one build.
      for (const line of lines) yield JSON.parse(line) as T;
    }
  } catch (error) {
    // The other side has gone, or is none that speaks this.
    if (!isEnd(error)) throw error;
  }
}

/** Whether a connection has only ended. */
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

/** Closes a connection that may have ended by itself. */
export function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!isEnd(error)) throw error;
  }
}
