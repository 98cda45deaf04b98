/** The network side of a node: mutual TLS on one address and port, gRPC inside. */

import { Server, ServerCredentials } from "@grpc/grpc-js";
import {
  createServer,
  type Server as TlsServer,
  type TLSSocket,
} from "node:tls";
import { serve } from "./grpc.ts";
import type { NodeNetwork, SimulatedNode } from "./node.ts";
import { clientRoles } from "./peer.ts";
import type { Roles } from "./roles.ts";
import { allRoutes } from "./services/mod.ts";

/** Where a node listens. */
export interface Listener {
  /** Address or host name. */
  readonly host: string;
  /** Port; 0 for a free one, which the node keeps. */
  readonly port: number;
}

/** What the server presents, and whom it trusts; all PEM. */
export interface ServerIdentity {
  /** Certificate. */
  readonly certificate: string;
  /** Key of {@linkcode certificate}. */
  readonly key: string;
  /** Authorities whose clients are let in. */
  readonly clientAuthorities: string;
}

/** A node's server. */
export interface NodeServer extends NodeNetwork {
  /** Port it listens on, once it was up. */
  readonly port: () => number;
  /** Stops for good. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the server of a node; it does not listen yet.
 *
 * @param listener Where it will listen.
 * @param identify Gives certificates; asked whenever the server starts.
 */
export function createNodeServer(
  node: SimulatedNode,
  listener: Listener,
  identify: () => Promise<ServerIdentity>,
): NodeServer {
  const peers = new Map<string, Roles>();
  const grpc = new Server({ "grpc.max_receive_message_length": 32 * 2 ** 20 });
  for (const route of allRoutes) {
    serve(grpc, route, { node, rolesOf: (peer) => peers.get(peer) });
  }
  const injector = grpc.createConnectionInjector(
    ServerCredentials.createInsecure(),
  );
  const sockets = new Set<TLSSocket>();
  let port = listener.port;
  let tls: TlsServer | undefined;
  let closed: Promise<void> | undefined;

  function accept(socket: TLSSocket): void {
    const roles = clientRoles(socket);
    if (!roles) return void socket.destroy();
    const peer = peerName(socket);
    peers.set(peer, roles);
    sockets.add(socket);
    socket.once("close", () => {
      peers.delete(peer);
      sockets.delete(socket);
    });
    injector.injectConnection(socket);
  }

  function down(): void {
    closed = tls ? closedOf(tls) : closed;
    tls = undefined;
    for (const socket of sockets) socket.destroy();
  }

  return {
    port: () => port,
    async up() {
      await closed;
      const identity = await identify();
      tls = createServer({
        key: identity.key,
        cert: identity.certificate,
        ca: identity.clientAuthorities,
        requestCert: true,
        rejectUnauthorized: true,
        minVersion: "TLSv1.3",
        ALPNProtocols: ["h2"],
      }, accept);
      tls.on("tlsClientError", () => {}); // the client is told by TLS itself
      port = await listen(tls, { ...listener, port });
    },
    down,
    async close() {
      down();
      injector.destroy();
      grpc.forceShutdown();
      await closed;
    },
  };
}

function closedOf(tls: TlsServer): Promise<void> {
  return new Promise((resolve) => tls.close(() => resolve()));
}

function listen(tls: TlsServer, { host, port }: Listener): Promise<number> {
  return new Promise((resolve, reject) => {
    tls.once("error", reject);
    tls.listen(port, host, () => {
      tls.off("error", reject);
      const address = tls.address();
      resolve(typeof address === "object" ? address?.port ?? port : port);
    });
  });
}

/** The other end of a connection, spelled as gRPC does. */
function peerName({ remoteAddress = "", remotePort }: TLSSocket): string {
  const host = remoteAddress.includes(":")
    ? `[${remoteAddress}]`
    : remoteAddress;
  return `${host}:${remotePort}`;
}
