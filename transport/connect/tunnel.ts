import type { Socket } from "node:net";
import { ConnectError } from "../../errors.ts";
import { addressBytes } from "../../lib/ip.ts";
import type { Endpoint } from "./endpoint.ts";
import { basic } from "../call/metadata.ts";
import type { Proxy } from "./proxy.ts";
import { ClosedError, untilEvent } from "./until_event.ts";

/** Maximum response header of CONNECT, in bytes. */
const maxHeader = 16 * 1024;

interface TunnelRequest {
  readonly socket: Socket;
  readonly proxy: Proxy;
  readonly endpoint: Endpoint;
  /** Aborts the wait for the proxy. */
  readonly signal: AbortSignal;
}

/**
 * Turns a connection to a proxy into one to the endpoint.
 *
 * Reads nothing beyond the proxy's response.
 *
 * @throws {ConnectError} With reason `proxy` if the proxy refuses.
 */
export async function tunnel(request: TunnelRequest): Promise<void> {
  try {
    await (request.proxy.kind === "socks5" ? socks : httpConnect)(request);
  } catch (error) {
    if (!(error instanceof ClosedError)) throw error;
    throw refusal(request, "it closed the connection");
  }
}

/** RFC 9110, 9.3.6. */
async function httpConnect(request: TunnelRequest): Promise<void> {
  const { socket, proxy: { auth }, endpoint: { text } } = request;
  const credentials = auth ? [`Proxy-Authorization: ${basic(auth)}`] : [];
  const lines = [`CONNECT ${text} HTTP/1.1`, `Host: ${text}`, ...credentials];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const header = await readHeader(request);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(header)?.[1];
  if (status?.startsWith("2")) return;
  const seen = status ? `HTTP status ${status}` : "something other than HTTP";
  throw refusal(request, `it answers with ${seen}`);
}

async function readHeader(request: TunnelRequest): Promise<string> {
  let header = "";
  while (!header.endsWith("\r\n\r\n")) {
    if (header.length > maxHeader) {
      throw refusal(request, "its response header is too long");
    }
    header += String.fromCharCode(...await readBytes(request, 1));
  }
  return header;
}

const socksVersion = 5;
const noAuth = 0;
const passwordAuth = 2;

/** RFC 1928. */
async function socks(request: TunnelRequest): Promise<void> {
  const { socket, proxy: { auth }, endpoint } = request;
  const method = auth ? passwordAuth : noAuth;
  socket.write(new Uint8Array([socksVersion, 1, method]));
  const [version, chosen] = await readBytes(request, 2);
  if (version !== socksVersion) {
    throw refusal(request, "it is not a SOCKS5 proxy");
  }
  if (chosen !== method) {
    throw refusal(request, `it ${auth ? "takes no" : "wants"} credentials`);
  }
  if (auth) await socksPassword(request);
  socket.write(socksConnect(endpoint));
  const [, reply = 0, , kind] = await readBytes(request, 4);
  if (reply !== 0) {
    throw refusal(request, socksReplies[reply] ?? `SOCKS5 error ${reply}`);
  }
  await skipAddress(request, kind);
}

/** RFC 1929. */
async function socksPassword(request: TunnelRequest): Promise<void> {
  const { username, password } = request.proxy.auth!; // only called with credentials
  const parts = [username, password].map((part) => withLength(request, part));
  request.socket.write(new Uint8Array([1, ...parts.flat()]));
  const [, status] = await readBytes(request, 2);
  if (status !== 0) throw refusal(request, "it rejects the credentials");
}

function withLength(request: TunnelRequest, text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= 255) return [bytes.length, ...bytes];
  throw refusal(request, "its user name or password is longer than 255 bytes");
}

function socksConnect({ host, port }: Endpoint): Uint8Array {
  const tail = [port >> 8, port & 255];
  return new Uint8Array([socksVersion, 1, 0, ...socksAddress(host), ...tail]);
}

function socksAddress(host: string): readonly number[] {
  const bytes = addressBytes(host);
  if (bytes !== undefined) return [bytes.length === 4 ? 1 : 4, ...bytes];
  const name = new TextEncoder().encode(host);
  return [3, name.length, ...name];
}

const socksReplies: Readonly<Record<number, string>> = {
  1: "it failed",
  2: "its rules forbid the connection",
  3: "the network is unreachable from there",
  4: "the host is unreachable from there",
  5: "the endpoint refuses the connection",
  6: "the connection timed out",
  7: "it cannot connect",
  8: "it does not support this kind of address",
};

/** Reads the bound address, which is not used. */
async function skipAddress(
  request: TunnelRequest,
  kind: number | undefined,
): Promise<void> {
  const [length = 0] = kind === 3 ? await readBytes(request, 1) : [
    kind === 4 ? 16 : 4,
  ];
  await readBytes(request, length + 2);
}

async function readBytes(
  { socket, signal }: TunnelRequest,
  size: number,
): Promise<Uint8Array> {
  while (true) {
    signal.throwIfAborted();
    const bytes: Uint8Array | null = socket.read(size);
    if (bytes?.length === size) return bytes;
    if (bytes || socket.readableEnded || socket.destroyed) {
      throw new ClosedError();
    }
    await untilReadable(socket, signal);
  }
}

function untilReadable(socket: Socket, signal: AbortSignal): Promise<void> {
  return untilEvent(socket, "readable", signal);
}

function refusal(
  { proxy, endpoint }: TunnelRequest,
  why: string,
): ConnectError {
  return new ConnectError(
    "proxy",
    `Proxy "${proxy.endpoint.text}" does not connect to "${endpoint.text}": ${why}`,
    { hint: "Check proxy-url of the context, or HTTPS_PROXY and NO_PROXY" },
  );
}
