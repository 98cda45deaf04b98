/** The network side of a node: TLS on one address and port, gRPC inside. */

import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { inspectCertificate } from "../../pki/inspect.ts";
import { socketStream } from "../../transport/connect/diagnostic_dial.ts";
import type { ByteStream } from "../../transport/http2/byte_stream.ts";
import { pause } from "../../lib/pause.ts";
import { issueKeyPair, serverIdentity, yearFrom } from "../state/identities.ts";
import { answeringNode } from "../state/node_address.ts";
import type { NodeNetwork, SimulatedNode } from "../state/node.ts";
import { maintenanceRoles, type Roles } from "../state/roles.ts";
import { putAll } from "../node/contents/content.ts";
import { apiCertificates } from "../node/contents/secrets.ts";
import { serveCall } from "./grpc.ts";
import { serveHttp2 } from "../wire/http2_server.ts";
import {
  type ListenAddress,
  type ListeningSocket,
  listenSilently,
  listenTls,
  type ServerIdentity,
} from "../wire/listen.ts";

interface NodeServer extends NodeNetwork {
  /** Port it listens on, after its first start. */
  readonly port: () => number;
  readonly close: () => Promise<void>;
}

/** Makes the server of a node, not listening yet. */
export function createNodeServer(
  node: SimulatedNode,
  listener: ListenAddress,
): NodeServer {
  const sockets = new Set<TLSSocket>();
  const frozen = new WeakSet<TLSSocket>();
  const handshaking = new Set<Socket>();
  let { port } = listener;
  let listening: ListeningSocket | undefined;
  let closed: Promise<void> | undefined;
  // It keeps its port from then on.
  let hasListened = false;

  function serveSocket(socket: TLSSocket): void {
    const roles = clientRoles(node, socket);
    if (!roles) return void socket.destroy();
    serveHttp2(
      openStream(socket, frozen),
      (stream) => serveCall(stream, node, roles),
    );
  }

  function track(socket: Socket): void {
    handshaking.add(socket);
    socket.once("close", () => handshaking.delete(socket));
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

  /** Restarts the listener with changed options, without waiting for open connections. */
  async function listenAnew(): Promise<void> {
    if (listening) {
      stopListening();
      // The address is free at once; open connections continue.
      closed = undefined;
    }
    await up();
  }

  async function listen(
    open: (listener: ListenAddress) => Promise<ListeningSocket>,
  ): Promise<void> {
    await closed;
    // While a node was not listening, a client's socket may have got its port temporarily.
    listening = await retryInUse(() => open(placeNow()), hasListened ? 100 : 0);
    hasListened = true;
    port = listening.port;
  }

  async function up(): Promise<void> {
    if (node.faults.has("blackhole")) return await listen(listenSilently);
    const { host } = placeNow();
    const identity = await serverIdentity(answeringNode(node), host);
    try {
      await listen((place) =>
        listenTls(place, identity, { onConnect: track, accept })
      );
      await showCertificates(node, identity);
    } catch (error) {
      // An address that is not of this machine is unreachable.
      if (host === listener.host) throw error;
    }
  }

  function placeNow(): ListenAddress {
    const { origin, identity: { address } } = node;
    const host = listener.host === origin.address ? address : listener.host;
    return { host, port };
  }

  function disconnect(): void {
    // Including unfinished handshakes: a closing server waits for all sockets.
    for (const socket of [...sockets, ...handshaking]) socket.destroy();
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
      for (const socket of sockets) frozen.add(socket);
      await listenAnew();
    },
    async renew() {
      if (listening) await listenAnew();
    },
    async close() {
      down();
      await closed;
    },
  };
}

async function retryInUse<T>(
  open: () => Promise<T>,
  retries: number,
): Promise<T> {
  for (let left = retries;; left--) {
    try {
      return await open();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EADDRINUSE" || left === 0) throw error;
      await pause(50);
    }
  }
}

/** Publishes the server certificate as a resource. */
async function showCertificates(
  node: SimulatedNode,
  server: ServerIdentity,
): Promise<void> {
  const { disk: { configured }, identity: { machineType }, trust } = node;
  if (!configured || trust.issuer === undefined) return;
  const client = machineType === "worker" ? undefined : await issueKeyPair({
    ca: trust.issuer,
    subject: { organizations: ["os:impersonator"] },
    extendedKeyUsage: ["clientAuth"],
    ...yearFrom(node.clock.now()),
  });
  putAll(node, [apiCertificates(node, { server, client })]);
}

/** Reads and writes a socket until it is frozen: then both block forever. */
function openStream(
  socket: TLSSocket,
  frozen: { has(socket: TLSSocket): boolean },
): ByteStream {
  const bytes = socketStream(socket);
  const thawed = () =>
    frozen.has(socket) ? new Promise<never>(() => {}) : undefined;
  return {
    async read(into) {
      const count = await bytes.read(into);
      await thawed();
      return count;
    },
    async write(content) {
      await thawed();
      return await bytes.write(content);
    },
    close: bytes.close,
  };
}

/**
 * Finds the roles of a client.
 *
 * @param socket After the handshake; TLS has verified signatures and validity.
 * @returns Roles in its certificate; `undefined` if the certificate is not for clients only: nodes close such a connection.
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
