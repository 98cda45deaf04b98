/** The network side of a node: TLS on one address and port, gRPC inside. */

import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { inspectCertificate } from "../../pki/inspect.ts";
import { pause } from "../../transport/pause.ts";
import { serverIdentity } from "../cluster/identities.ts";
import { answeringNode } from "../cluster/node_address.ts";
import type { NodeNetwork, SimulatedNode } from "../node/node.ts";
import type { Roles } from "../node/roles.ts";
import { allRoutes } from "../services/mod.ts";
import { registerMethod } from "./grpc.ts";
import "./http2_close_workaround.ts";
import {
  type ListenAddress,
  type ListeningSocket,
  listenSilently,
  listenTls,
} from "./listening.ts";

/** A node's server. */
export interface NodeServer extends NodeNetwork {
  /** Port it listens on, once it was up. */
  readonly port: () => number;
  /** Stops for good. */
  readonly close: () => Promise<void>;
}

/** Makes the server of a node; it does not listen yet. */
export function createNodeServer(
  node: SimulatedNode,
  listener: ListenAddress,
): NodeServer {
  const peers = new Map<string, Roles>();
  const grpc = new Server({ "grpc.max_receive_message_length": 32 * 2 ** 20 });
  for (const route of allRoutes) {
    registerMethod(grpc, route, { node, rolesOf: (peer) => peers.get(peer) });
  }
  const injector = grpc.createConnectionInjector(
    ServerCredentials.createInsecure(),
  );
  const sockets = new Set<TLSSocket>();
  const begun = new Set<Socket>();
  let { port } = listener;
  let listening: ListeningSocket | undefined;
  let closed: Promise<void> | undefined;

  function serveSocket(socket: TLSSocket): void {
    const roles = clientRoles(node, socket);
    if (!roles) return void socket.destroy();
    const peer = peerName(socket);
    peers.set(peer, roles);
    injector.injectConnection(socket);
    socket.once("close", () => peers.delete(peer));
  }

  function begin(socket: Socket): void {
    begun.add(socket);
    socket.once("close", () => begun.delete(socket));
  }

  function accept(socket: TLSSocket): void {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    answeringNode(node).network.serve(socket);
  }

  function stopListening(): void {
    closed = listening?.close() ?? closed;
    listening = undefined;
  }

  /** Listens in a changed way, without waiting for those who are connected. */
  async function listenAnew(): Promise<void> {
    if (listening) {
      stopListening();
      // The place is free at once; connections go on as long as they like.
      closed = undefined;
    }
    await up();
  }

  async function listen(
    open: (listener: ListenAddress) => Promise<ListeningSocket>,
  ): Promise<void> {
    await closed;
    listening = await again(() => open(placeNow()));
    port = listening.port;
  }

  /** While a node was away, a client's socket may have been given its port for a moment. */
  async function again(
    open: () => Promise<ListeningSocket>,
  ): Promise<ListeningSocket> {
    for (let left = closed ? 100 : 0;; left--) {
      try {
        return await open();
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "EADDRINUSE" || left === 0) throw error;
        await pause(50);
      }
    }
  }

  async function up(): Promise<void> {
    if (node.faults.has("blackhole")) return await listen(listenSilently);
    const { host } = placeNow();
    const identity = await serverIdentity(answeringNode(node), host);
    try {
      await listen((place) =>
        listenTls(place, identity, { begun: begin, accept })
      );
    } catch (error) {
      // An address that this machine does not have leads nowhere.
      if (host === listener.host) throw error;
    }
  }

  /** A node that listens at its address does so at the one it has now. */
  function placeNow(): ListenAddress {
    const { origin, identity: { address } } = node;
    const host = listener.host === origin.address ? address : listener.host;
    return { host, port };
  }

  function disconnect(): void {
    // Those too whose handshake is not done: a server that stops waits for all.
    for (const socket of [...sockets, ...begun]) socket.destroy();
  }

  function down(): void {
    stopListening();
    disconnect();
  }

  return {
    port: () => port,
    up,
    down,
    disconnect,
    serve: serveSocket,
    async freeze() {
      for (const socket of sockets) socket.pause();
      await listenAnew();
    },
    async renew() {
      if (listening) await listenAnew();
    },
    async close() {
      down();
      injector.destroy();
      grpc.forceShutdown();
      await closed;
    },
  };
}

/** The other end of a connection, spelled as gRPC does: no brackets around an IPv6 address. */
function peerName({ remoteAddress, remotePort }: TLSSocket): string {
  return `${remoteAddress}:${remotePort}`;
}

/**
 * Finds out what a client may do.
 *
 * @param socket Handshake done; TLS has checked signatures and validity.
 * @returns Roles in its certificate; `undefined` when that is not for clients only: nodes end such a connection.
 */
export function clientRoles(
  node: SimulatedNode,
  socket: TLSSocket,
): Roles | undefined {
  if (!node.disk.configured) return maintenanceRoles;
  const { raw } = socket.getPeerCertificate();
  if (!raw) return undefined;
  const { extendedKeyUsage, subject } = inspectCertificate(raw);
  if (extendedKeyUsage?.join() !== "clientAuth") return undefined;
  return new Set(subject.organizations);
}

/** Roles of everybody while a node has no configuration. */
const maintenanceRoles: Roles = new Set(["os:reader"]);
