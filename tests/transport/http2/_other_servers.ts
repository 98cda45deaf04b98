/** Servers of other makes that all answer the same, for the client to be held against. */

import {
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import {
  type FastServer,
  goPrograms,
  goServer,
  type ServerLimits,
  startServer as startPrepared,
} from "../../../bench/_fast_server.ts";
import { RpcError } from "../../../errors.ts";
import { frame } from "../../../transport/call/frames.ts";
import { findProgram, type Need, optional } from "../../_needs.ts";
import {
  clientIdentity,
  newCa,
  serverPair,
  toCaPem,
} from "../_certificates.ts";
import { type Incoming, startServer } from "../_server.ts";

export const ended = { code: "NOT_FOUND", message: "ended: 100 % ✓" } as const;

/** The message that ends a call. */
export const end: Uint8Array = new TextEncoder().encode("end");

/** A kind of server; `/test/Echo` repeats messages, `/test/Hold` sends one and ends with the request. */
export interface Make {
  readonly name: string;
  readonly wants: readonly Need[];
  /** Smallest window it can be reported to have. */
  readonly smallestWindow: number;
  readonly start: (limits: ServerLimits) => Promise<FastServer>;
}

const ca = await newCa();
const { crt = "", key = "" } = await clientIdentity(ca);
const identity = { ca: toCaPem(ca), crt, key };

const modules = Deno.env.get("GOMODCACHE") ??
  `${Deno.env.get("GOPATH") ?? `${Deno.env.get("HOME")}/go`}/pkg/mod`;

const go = optional(
  "Go with google.golang.org/grpc",
  "its modules come from elsewhere",
  () =>
    goPrograms.some((program) => findProgram(program) !== undefined) &&
    findProgram(`${modules}/google.golang.org/grpc@v1.85.0/go.mod`) !==
      undefined,
);

let built: Promise<readonly string[] | string> | undefined;

/** Builds the server, once. */
async function startGo(limits: ServerLimits): Promise<FastServer> {
  built ??= Deno.makeTempDir().then((folder) => {
    globalThis.addEventListener(
      "unload",
      () => Deno.removeSync(folder, { recursive: true }),
    );
    return goServer(folder);
  });
  const command = await built;
  if (typeof command === "string") throw new Error(command);
  return await startPrepared(command, {}, limits);
}

export const makes: readonly Make[] = [
  { name: "node:http2", wants: [], smallestWindow: 1, start: startNode },
  { name: "grpc-js", wants: [], smallestWindow: 65_535, start: startJs },
  { name: "grpc-go", wants: [go], smallestWindow: 65_535, start: startGo },
];

async function startNode(
  { window, maxStreams, maxAgeMs }: ServerLimits,
): Promise<FastServer> {
  const { crt: cert, key } = await serverPair(ca);
  const server = createSecureServer({
    cert,
    key,
    settings: {
      initialWindowSize: window ?? 65_535,
      maxConcurrentStreams: maxStreams ?? 1_000,
    },
  });
  const sessions = new Set<Http2Session>();
  server.on("session", (session: Http2Session) => {
    sessions.add(session);
    session.on("error", () => {});
    if (maxAgeMs !== undefined) setTimeout(() => session.close(), maxAgeMs);
  });
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    // Among streams that are cancelled, the runtime would crash.
    if (window === undefined && maxStreams === undefined) changeWindow(stream);
    answer(stream, headers);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    identity,
    async stop() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const head = { ":status": 200, "content-type": "application/grpc" };
const failure = {
  "grpc-status": "5",
  "grpc-message": encodeURIComponent(ended.message).replaceAll("%20", " "),
};

/** Allows less than is under way when content comes, and more later. */
function changeWindow(stream: ServerHttp2Stream): void {
  let size = 0;
  stream.on("data", (bytes: Uint8Array) => {
    const before = size;
    size += bytes.length;
    const { session } = stream;
    if (before === 0) session?.settings({ initialWindowSize: 1_000 });
    if (before < 1e5 && size >= 1e5) {
      session?.settings({ initialWindowSize: 1e6 });
    }
  });
}

/** Answers in bytes, since a message that is repeated needs not be read. */
function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
  const holds = headers[":path"] === "/test/Hold";
  let trailers: Record<string, string> = { "grpc-status": "0" };
  stream.on("error", () => {});
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  const begin = () => {
    if (!stream.headersSent) stream.respond(head, { waitForTrailers: true });
  };
  if (holds) {
    begin();
    stream.write(frame(new Uint8Array([1])));
  }
  stream.on("data", (bytes: Uint8Array) => {
    if (holds) return;
    if (bytes.length === 8 && bytes.subarray(5).every((b, i) => b === end[i])) {
      if (!stream.headersSent) {
        return stream.respond({ ...head, ...failure }, { endStream: true });
      }
      trailers = failure;
      return stream.end();
    }
    begin();
    if (stream.write(bytes)) return;
    stream.pause();
    stream.once("drain", () => stream.resume());
  });
  stream.on("end", () => {
    begin();
    stream.end();
  });
}

async function startJs(
  { window, maxStreams, maxAgeMs }: ServerLimits,
): Promise<FastServer> {
  const server = await startServer({
    pair: await serverPair(ca),
    clients: ca,
    routes: { "/test/Echo": echo, "/test/Hold": hold },
    options: {
      "grpc.max_receive_message_length": 2 ** 25,
      ...window === undefined ? {} : {
        "grpc-node.flow_control_window": window,
      },
      ...maxStreams === undefined ? {} : {
        "grpc.max_concurrent_streams": maxStreams,
      },
      ...maxAgeMs === undefined ? {} : {
        "grpc.max_connection_age_ms": maxAgeMs,
        "grpc.max_connection_age_grace_ms": 60_000,
      },
    },
  });
  const stop = () => Promise.resolve(server.stop());
  return { endpoint: server.endpoint, identity, stop };
}

async function* echo({ requests }: Incoming): AsyncGenerator<Uint8Array> {
  for await (const message of requests) {
    if (
      message.length === end.length && message.every((b, i) => b === end[i])
    ) {
      throw new RpcError(ended.code, ended.message);
    }
    yield message;
  }
}

async function* hold({ requests }: Incoming): AsyncGenerator<Uint8Array> {
  yield new Uint8Array([1]);
  for await (const _ of requests);
}
