/** Forwards DNS queries of machines to the name servers of the host, over UDP and TCP (RFC 1035). */

import { createSocket } from "node:dgram";
import { bind, close, type RunningServer, serveTcp } from "../../sockets.ts";

interface DnsOptions {
  readonly host: string;
  /** Port, usually 53; 0 for a free one. */
  readonly port: number;
  /** Returns the name servers, `address` or `address:port`, in order of use; called for each query. */
  readonly upstreams: () => Promise<readonly string[]>;
  /** Timeout for each name server, in milliseconds; default 2 s. */
  readonly timeoutMs?: number;
}

const servfail = 2;
const refused = 5;

/** Starts the server. Throws Error if the port is in use or not permitted. */
export async function serveDns(options: DnsOptions): Promise<RunningServer> {
  const { host, port } = options;
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  socket.on("message", async (query, client) => {
    const reply = await forward(new Uint8Array(query), options, askUdp);
    if (!closed) socket.send(reply, client.port, client.address);
  });
  let closed = false;
  await bind(socket, port, host);
  // A stopped machine causes a network error.
  socket.on("error", () => {});
  const bound = socket.address().port;
  const tcp = serveTcp(
    { host, port: bound },
    (connection) => serveQueries(connection, options),
  );
  return {
    port: bound,
    close() {
      closed = true;
      socket.close();
      tcp.close();
    },
  };
}

/** Parses the name servers of a `resolv.conf`. */
export function nameserversIn(text: string): string[] {
  const found = text.matchAll(/^\s*nameserver\s+(\S+)/gm);
  return [...found].map(([, address = ""]) => address);
}

type Ask = (
  query: Uint8Array,
  upstream: Deno.NetAddr,
  timeoutMs: number,
) => Promise<Uint8Array | undefined>;

/** Tries one name server after the other until one answers. */
async function forward(
  query: Uint8Array,
  { upstreams, timeoutMs = 2_000 }: DnsOptions,
  ask: Ask,
): Promise<Uint8Array> {
  let last: Uint8Array | undefined;
  for (const upstream of await upstreams()) {
    const reply = await ask(query, parseAddress(upstream), timeoutMs);
    if (reply === undefined) continue;
    last = reply;
    const code = (reply[3] ?? 0) & 15;
    if (code !== servfail && code !== refused) return reply;
  }
  return last ?? failure(query);
}

function parseAddress(upstream: string): Deno.NetAddr {
  const [, host = upstream, port] =
    /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(upstream) ?? [];
  const isBare = upstream.split(":").length > 2 && !upstream.startsWith("[");
  return {
    transport: "udp",
    hostname: isBare ? upstream : host,
    port: isBare ? 53 : Number(port ?? 53),
  };
}

function askUdp(
  query: Uint8Array,
  { hostname, port }: Deno.NetAddr,
  timeoutMs: number,
): Promise<Uint8Array | undefined> {
  const socket = createSocket(hostname.includes(":") ? "udp6" : "udp4");
  return new Promise((resolve) => {
    const done = (reply?: Uint8Array) => {
      clearTimeout(timer);
      socket.close();
      resolve(reply);
    };
    const timer = setTimeout(done, timeoutMs);
    socket.on("error", () => done());
    socket.on("message", (reply) => {
      const isReply = reply[0] === query[0] && reply[1] === query[1];
      if (isReply) done(new Uint8Array(reply));
    });
    // Each query uses a new port, known only to the server.
    socket.send(query, port, hostname);
  });
}

async function askTcp(
  query: Uint8Array,
  { hostname, port }: Deno.NetAddr,
  timeoutMs: number,
): Promise<Uint8Array | undefined> {
  let connection: Deno.Conn | undefined;
  const timer = setTimeout(() => connection && close(connection), timeoutMs);
  try {
    connection = await Deno.connect({ hostname, port });
    await writeMessage(connection, query);
    return await readMessage(connection);
  } catch {
    // Try the next name server.
    return undefined;
  } finally {
    clearTimeout(timer);
    if (connection) close(connection);
  }
}

async function serveQueries(
  connection: Deno.Conn,
  options: DnsOptions,
): Promise<void> {
  while (true) {
    const query = await readMessage(connection);
    if (query === undefined) return;
    await writeMessage(connection, await forward(query, options, askTcp));
  }
}

async function readMessage(
  connection: Deno.Conn,
): Promise<Uint8Array | undefined> {
  const head = await readBytes(connection, 2);
  if (head === undefined) return undefined;
  return await readBytes(connection, (head[0] ?? 0) * 256 + (head[1] ?? 0));
}

async function readBytes(
  connection: Deno.Conn,
  size: number,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(size);
  for (let have = 0; have < size;) {
    const count = await connection.read(bytes.subarray(have));
    if (count === null) return undefined;
    have += count;
  }
  return bytes;
}

async function writeMessage(
  connection: Deno.Conn,
  message: Uint8Array,
): Promise<void> {
  const bytes = Uint8Array.from([
    message.length >>> 8,
    message.length & 255,
    ...message,
  ]);
  for (let sent = 0; sent < bytes.length;) {
    sent += await connection.write(bytes.subarray(sent));
  }
}

/** Builds a SERVFAIL reply to a query. */
function failure(query: Uint8Array): Uint8Array {
  const reply = query.slice();
  reply[2] = (reply[2] ?? 0) | 0x80;
  reply[3] = 0x80 | servfail;
  return reply;
}
