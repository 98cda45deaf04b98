import {
  createServer as createPlainServer,
  type Server,
  type Socket,
} from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";

/** Listen address of a node. */
export interface ListenAddress {
  readonly host: string;
  /** Port; 0 for a free one, which the node keeps. */
  readonly port: number;
}

/** Certificate of a server, and its accepted client CAs; all PEM. */
export interface ServerIdentity {
  readonly certificate: string;
  /** Key of {@linkcode certificate}. */
  readonly key: string;
  /** CAs of accepted clients; omitted, all clients are accepted. */
  readonly clientCas?: string;
}

/** A listening socket. */
export interface ListeningSocket {
  readonly port: number;
  /** Stops listening; open connections continue. */
  readonly close: () => Promise<void>;
}

/** Listens with TLS 1.3. Throws Error if the address is in use or not of this machine. */
export function listenTls(
  listener: ListenAddress,
  identity: ServerIdentity,
  { onConnect, accept }: {
    readonly onConnect?: (socket: Socket) => void;
    readonly accept: (socket: TLSSocket) => void;
  },
): Promise<ListeningSocket> {
  const { certificate, key, clientCas } = identity;
  const isMutual = clientCas !== undefined;
  const server = createTlsServer({
    key,
    cert: certificate,
    ...(isMutual ? { ca: clientCas } : {}),
    requestCert: isMutual,
    rejectUnauthorized: isMutual,
    minVersion: "TLSv1.3",
    ALPNProtocols: ["h2"],
  }, accept);
  server.on("connection", (socket) => {
    // As on nodes: otherwise the second of two small packets waits for the client's ACK of the first, 40 ms later.
    socket.setNoDelay(true);
    onConnect?.(socket);
  });
  server.on("tlsClientError", () => {}); // TLS itself reports it to the client
  return listen(server, listener);
}

/** Listens and accepts connections, but never sends data. */
export async function listenSilently(
  listener: ListenAddress,
): Promise<ListeningSocket> {
  const sockets = new Set<Socket>();
  const server = createPlainServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // the client has disconnected
    socket.once("close", () => sockets.delete(socket));
    socket.resume();
  });
  const { port, close } = await listen(server, listener);
  return {
    port,
    close() {
      for (const socket of sockets) socket.destroy();
      return close();
    },
  };
}

function listen(
  server: Server,
  { host, port }: ListenAddress,
): Promise<ListeningSocket> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      resolve({
        port: typeof address === "object" ? address?.port ?? port : port,
        close: () => new Promise((done) => server.close(() => done())),
      });
    });
  });
}
