/** Connections to servers of a test, and calls on them. */

import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import type {
  Connection,
  PendingCall,
} from "../../transport/connect/connection.ts";
import { dial } from "../../transport/connect/dial.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import { frameReader, maxMessage } from "../../transport/call/frames.ts";
import { newCa, toCaPem } from "./_certificates.ts";
import type { BareServer } from "./_http2_server.ts";

export const never = new AbortController().signal;
export const cluster = await newCa();
export const identity = { ca: toCaPem(cluster) };

export function connect({ endpoint }: { readonly endpoint: string }) {
  return dial({
    endpoint: parseEndpoint(endpoint),
    trust: { kind: "verified", identity },
    timeoutMs: 5_000,
    signal: never,
  });
}

export function ask(
  connection: Connection,
  request: Uint8Array | AsyncIterable<Uint8Array> = new Uint8Array([1, 2]),
  signal = never,
) {
  const metadata = { runtime: "Talos" };
  const call = { path: "/test/Call", metadata, request, signal };
  return readMessages(connection, call);
}

/** Messages of an answer one by one. */
export async function* readMessages(
  connection: Connection,
  call: PendingCall,
): AsyncGenerator<Uint8Array> {
  const batches = connection.read(call, frameReader(maxMessage));
  for await (const batch of batches) yield* batch;
}

export async function outcome(server: BareServer) {
  const connection = await connect(server);
  const values: number[][] = [];
  try {
    for await (const message of ask(connection)) values.push([...message]);
    return { values };
  } catch (error) {
    return { values, error };
  } finally {
    connection.close();
  }
}

export async function rpcError(server: BareServer): Promise<RpcError> {
  const { error } = await outcome(server);
  assert.ok(error instanceof RpcError, String(error));
  return error;
}
