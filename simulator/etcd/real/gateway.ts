/** JSON calls to a real etcd through its gRPC gateway. */

import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { type RpcCode, rpcCode } from "../../../errors.ts";
import { EtcdError, notRunningError } from "../etcd_error.ts";

/** Calls to one server; 64-bit numbers are strings. */
export interface Gateway {
  /**
   * Makes a call.
   *
   * @param path Path of the method: `/v3/maintenance/status`.
   * @param options Cancellation, and whether it waits for a leader.
   * @throws {EtcdError} If etcd refuses or does not reply.
   */
  readonly call: (
    path: string,
    body: unknown,
    options?: GatewayCall,
  ) => Promise<unknown>;
  /** Makes a call with a streaming reply. */
  readonly stream: (path: string, body: unknown) => AsyncIterable<unknown>;
  readonly close: () => void;
}

/** Options of a call. */
export interface GatewayCall {
  readonly signal?: AbortSignal;
  /** True to fail immediately if the member has no leader, instead of waiting for one. */
  readonly needsLeader?: boolean;
  /** Timeout in milliseconds; default 10 s, as etcd itself times out after 7 s. */
  readonly limitMs?: number;
}

const defaultLimitMs = 10_000;

/** Makes a gateway to a server; it connects with the first call. */
export function gateway(options: {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}): Gateway {
  const { host, port, ca, certificate: cert, key } = options;
  // The runtime does not accept an IP address as a server name.
  const servername = "localhost";
  const agent = new Agent({ keepAlive: true, ca, cert, key, servername });

  function send(
    path: string,
    body: unknown,
    { signal, needsLeader = false }: GatewayCall = {},
  ): Promise<IncomingMessage> {
    const method = "POST";
    const headers = needsLeader ? { "Grpc-Metadata-hasleader": "true" } : {};
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const sent = request({ agent, host, port, path, method, headers });
      sent.on("response", resolve);
      sent.on("error", reject);
      // The runtime does not cancel a request by its signal.
      signal?.addEventListener("abort", () => {
        sent.destroy();
        reject(signal.reason);
      });
      sent.end(JSON.stringify(body));
    });
  }

  function failure(error: unknown, signal?: AbortSignal): EtcdError {
    if (error instanceof EtcdError) return error;
    return signal?.aborted
      ? new EtcdError("context deadline exceeded", "DEADLINE_EXCEEDED")
      : notRunningError(`${host}:${port}`);
  }

  return {
    async call(path, body, options = {}) {
      const limit = limitCall(options);
      const { signal } = limit;
      try {
        const answer = await send(path, body, { ...options, signal });
        const text = await readText(answer);
        if (answer.statusCode !== 200) throw refusal(text, answer.statusCode);
        return JSON.parse(text);
      } catch (error) {
        throw failure(error, signal);
      } finally {
        limit.clear();
      }
    },
    async *stream(path, body) {
      try {
        const answer = await send(path, body);
        if (answer.statusCode !== 200) {
          throw refusal(await readText(answer), answer.statusCode);
        }
        for await (const line of readLines(answer)) {
          const message = JSON.parse(line);
          if (message.error) throw refusal(JSON.stringify(message.error));
          yield message.result;
        }
      } catch (error) {
        throw failure(error);
      }
    },
    close: () => agent.destroy(),
  };
}

function limitCall({ signal, limitMs = defaultLimitMs }: GatewayCall) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  return {
    signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
    clear: () => clearTimeout(timer),
  };
}

async function readText(answer: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of answer) parts.push(part);
  return await new Blob(parts as Uint8Array<ArrayBuffer>[]).text();
}

async function* readLines(answer: IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const part of answer) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
  if (rest !== "") yield rest;
}

/** Parses an error; without JSON there is no such method. */
function refusal(text: string, status = 0): EtcdError {
  let said: { readonly message?: string; readonly code?: number };
  try {
    said = JSON.parse(text);
  } catch {
    return status === 404
      ? new EtcdError("unknown method", "UNIMPLEMENTED")
      : new EtcdError(text.trim(), "UNKNOWN");
  }
  const { message = text, code = 2 } = said;
  // Only errors of etcd itself are identified by their messages.
  if (message.startsWith("etcdserver: ")) return new EtcdError(message);
  const [name] = Object.entries(rpcCode).find(([, value]) => value === code) ??
    [];
  return new EtcdError(message, (name ?? "UNKNOWN") as RpcCode); // a key of the table
}
