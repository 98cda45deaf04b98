/** A gRPC server of another make than our client, over TLS, answering what a test says. */

import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerOptions,
} from "@grpc/grpc-js";
import { Buffer } from "node:buffer";
import { rpcCode, RpcError } from "../../errors.ts";
import {
  type CertificateAuthority,
  type Pair,
  toCaPem,
} from "./_certificates.ts";

/** One call as the server sees it. */
export interface Incoming {
  readonly requests: AsyncIterable<Uint8Array>;
  /** Request metadata by key, repeated values joined. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Aborts when the client ends the call. */
  readonly signal: AbortSignal;
}

/** Answers of a server by path; each value is one encoded message. */
export type Routes = Readonly<
  Record<string, (call: Incoming) => AsyncIterable<Uint8Array>>
>;

export interface ServerSpec {
  readonly pair: Pair;
  /** Whose clients are let in; omitted, anybody without a certificate. */
  readonly clients?: CertificateAuthority;
  readonly routes: Routes;
  /** Address to listen on, default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on, default a free one. */
  readonly port?: number;
  readonly options?: ServerOptions;
}

/** A running server. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** `host:port`. */
  readonly endpoint: string;
  /** Ends at once, calls under way too. */
  readonly stop: () => void;
}

export const versionPath = "/machine.MachineService/Version";
export const readPath = "/machine.MachineService/Read";

/** Starts a server on loopback. */
export async function startServer(spec: ServerSpec): Promise<TestServer> {
  const { pair, clients, routes, host = "127.0.0.1" } = spec;
  const server = new Server({
    "grpc-node.flow_control_window": 2 ** 23,
    ...spec.options,
  });
  for (const [path, answer] of Object.entries(routes)) {
    const identity = (bytes: Uint8Array) => Buffer.from(bytes);
    server.register(path, handle(answer), identity, identity, "bidi");
  }
  const credentials = ServerCredentials.createSsl(
    // Without any, this server would name all CAs of the system, which is too long for a handshake.
    Buffer.from(clients ? toCaPem(clients) : pair.crt),
    [{ cert_chain: Buffer.from(pair.crt), private_key: Buffer.from(pair.key) }],
    clients !== undefined,
  );
  const brackets = host.includes(":") ? `[${host}]` : host;
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync(
      `${brackets}:${spec.port ?? 0}`,
      credentials,
      (error, port) => error ? reject(error) : resolve(port),
    )
  );
  const stop = () => server.forceShutdown();
  return {
    port,
    endpoint: `${brackets}:${port}`,
    stop,
    [Symbol.asyncDispose]: () => Promise.resolve(stop()),
  };
}

function handle(answer: Routes[string]) {
  return async (call: ServerDuplexStream<Uint8Array, Uint8Array>) => {
    const controller = new AbortController();
    call.on("cancelled", () => controller.abort());
    try {
      const incoming = {
        requests: call.iterator({ destroyOnReturn: false }),
        metadata: flat(call.metadata),
        signal: controller.signal,
      };
      for await (const message of answer(incoming)) {
        if (call.write(message)) continue;
        await new Promise<void>((resolve) => {
          call.once("drain", resolve);
          controller.signal.addEventListener("abort", () => resolve());
        });
        if (controller.signal.aborted) return;
      }
      call.end();
    } catch (error) {
      const { code, message } = error instanceof RpcError
        ? error
        : new RpcError("INTERNAL", String(error));
      call.emit("error", { code: rpcCode[code], details: message });
    }
  };
}

function flat(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(
    Object.keys(metadata.getMap()).map((key) => [
      key,
      metadata.get(key).join(", "),
    ]),
  );
}

/** `VersionResponse` with one message whose tag is the given one. */
export function versionReply(tag: string): Uint8Array {
  const text = new TextEncoder().encode(tag);
  const info = [0x0a, text.length, ...text]; // VersionInfo.tag
  const version = [0x12, info.length, ...info]; // Version.version
  return new Uint8Array([0x0a, version.length, ...version]); // VersionResponse.messages
}

/** `Data` with the given bytes. */
export function dataReply(bytes: Uint8Array): Uint8Array {
  const length = [];
  for (let rest = bytes.length; rest > 0 || length.length === 0; rest >>>= 7) {
    length.push(rest > 127 ? rest & 127 | 128 : rest);
  }
  return new Uint8Array([0x12, ...length, ...bytes]);
}
