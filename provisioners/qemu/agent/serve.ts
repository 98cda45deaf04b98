/** The agent: adds nodes to its tunnel, and receives their events and kernel logs. */

import { createSocket } from "node:dgram";
import { randomBytes } from "node:crypto";
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import {
  eventSinkMethod,
  tunnelHeader,
  tunnelMethods,
} from "../../../talos.ts";
import { RpcError } from "../../../errors.ts";
import {
  type ServedStream,
  serveHttp2,
} from "../../../simulator/wire/http2_server.ts";
import {
  answerMessages,
  answerUnary,
  serveUnary,
} from "../../../simulator/wire/unary.ts";
import { hostPort } from "../../../lib/ip.ts";
import { serveJsonLogs } from "../servers/json_logs.ts";
import { bind, close, serveTcp } from "../../sockets.ts";
import { type AgentPlan, joinToken } from "./plan.ts";
import { openWireguard, type WireguardInterface } from "./wireguard.ts";

interface AgentSinks {
  /** Receives an event as a line of JSON. */
  readonly event: (line: string) => Promise<void>;
  /** Receives a kernel log message as a line of JSON. */
  readonly log: (line: string) => Promise<void>;
  /** Receives a line of the agent's own log. */
  readonly note: (line: string) => void;
}

/** Port of virtual node addresses in a gRPC tunnel; nothing listens on it. */
const virtualPort = 50_888;

/** Maximum packet size in bytes. */
const longest = 64 * 1024;

/**
 * Starts the agent. Returns a function to stop it. Throws Error if the interface cannot be created, or a port
 * is in use.
 */
export async function serveAgent(
  plan: AgentPlan,
  sinks: AgentSinks,
): Promise<() => void> {
  const wireguard = await openWireguard(plan);
  const stops: (() => void)[] = [() => void wireguard.close().catch(() => {})];
  const stop = () => stops.toReversed().forEach((one) => one());
  try {
    const allowed = new Set<string>();
    const api = serveTcp(
      {
        host: plan.host,
        port: plan.ports.api,
        tls: plan.certificate,
      },
      (connection) =>
        serveHttp2(openBytes(connection), async (stream) => {
          const path = stream.fields.find(([name]) => name === ":path")?.[1];
          if (path === tunnelMethods.stream) {
            return await relay(stream, plan, allowed);
          }
          await answerUnary(stream, async (path, request) => {
            if (path !== tunnelMethods.provision) throw unknownMethod();
            return await provision(request, {
              plan,
              wireguard,
              allowed,
              sinks,
            });
          });
        }),
    );
    stops.push(api.close);
    const events = serveTcp(
      { host: plan.address, port: plan.ports.events },
      (connection) => {
        const { hostname } = connection.remoteAddr as Deno.NetAddr;
        return serveUnary(openBytes(connection), async (path, request) => {
          if (path !== eventSinkMethod) throw unknownMethod();
          await sinks.event(`${parseEvent(request, hostname)}\n`);
          return new Uint8Array();
        });
      },
    );
    stops.push(events.close);
    const logs = serveJsonLogs({
      host: plan.address,
      port: plan.ports.logs,
      write: sinks.log,
    });
    stops.push(logs.close);
    return stop;
  } catch (error) {
    stop();
    throw error;
  }
}

function openBytes(connection: Deno.Conn) {
  return {
    read: (into: Uint8Array) => connection.read(into).catch(() => null),
    write: (from: Uint8Array) => connection.write(from),
    close: () => close(connection),
  };
}

function unknownMethod(): RpcError {
  return new RpcError("UNIMPLEMENTED", "unknown method");
}

interface Provisioning {
  readonly plan: AgentPlan;
  readonly wireguard: WireguardInterface;
  readonly allowed: Set<string>;
  readonly sinks: AgentSinks;
}

/** Adds a node to the tunnel. Returns its tunnel settings. */
async function provision(
  request: Uint8Array,
  { plan, wireguard, allowed, sinks }: Provisioning,
): Promise<Uint8Array> {
  const { uuid, publicKey, token, byGrpc } = parseRequest(request);
  if (token !== joinToken) {
    throw new RpcError("PERMISSION_DENIED", "invalid join token");
  }
  if (!/^[A-Za-z0-9+/]{43}=$/.test(publicKey)) {
    throw new RpcError("INVALID_ARGUMENT", "invalid public key");
  }
  const address = plan.nodes[uuid];
  if (address === undefined) {
    throw new RpcError("PERMISSION_DENIED", "the node is not of this cluster");
  }
  await wireguard.add({ publicKey, address });
  const virtual = byGrpc ? virtualAddress() : undefined;
  if (virtual !== undefined) allowed.add(virtual);
  sinks.note(`node ${uuid} joins as ${address}${byGrpc ? " by gRPC" : ""}`);
  const answer = new BinaryWriter()
    .uint32(10).string(
      virtual ?? hostPort(plan.host, plan.ports.wireguard),
    )
    .uint32(26).string(plan.publicKey)
    .uint32(34).string(`${address}/64`)
    .uint32(42).string(plan.address);
  if (virtual !== undefined) answer.uint32(50).string(virtual);
  return answer.finish();
}

function parseRequest(request: Uint8Array) {
  const fields = new BinaryReader(request);
  const found = { uuid: "", publicKey: "", token: "", byGrpc: false };
  while (fields.pos < fields.len) {
    const tag = fields.uint32();
    if (tag === 10) found.uuid = fields.string();
    else if (tag === 18) found.publicKey = fields.string();
    else if (tag === 26) found.token = fields.string();
    else if (tag === 48) found.byGrpc = fields.bool();
    else fields.skip(tag & 7);
  }
  return found;
}

/** Creates a random address that identifies the stream of a node; packets are never sent to it. */
function virtualAddress(): string {
  const groups = randomBytes(12).toString("hex").match(/.{4}/g) ?? [];
  const end = groups.map((group) => group.replace(/^0+(?=.)/, "")).join(":");
  return hostPort(`fd00:cafe:${end}`, virtualPort);
}

/** Relays packets between the stream of a node and the interface, until the node disconnects. */
async function relay(
  stream: ServedStream,
  { ports }: AgentPlan,
  allowed: ReadonlySet<string>,
): Promise<void> {
  const name = stream.fields.find(([name]) => name === tunnelHeader)?.[1] ?? "";
  await answerMessages(stream, longest, async (received, send) => {
    if (!allowed.has(name)) {
      throw new RpcError("PERMISSION_DENIED", "peer not allowed");
    }
    // One socket per stream, as each is a WireGuard peer.
    const socket = createSocket("udp4");
    try {
      await bind(socket, 0, "127.0.0.1");
      socket.on("message", (packet: Uint8Array) => {
        // Drop packets if the queue is full, as any network does.
        if (stream.outgoing.length > 100) return;
        send(new BinaryWriter().uint32(18).bytes(packet).finish());
      });
      for await (const message of received) {
        const packet = parsePacket(message);
        if (packet === undefined) continue;
        socket.send(packet, ports.wireguard, "127.0.0.1");
      }
    } finally {
      socket.close();
    }
  });
}

function parsePacket(message: Uint8Array): Uint8Array | undefined {
  const fields = new BinaryReader(message);
  while (fields.pos < fields.len) {
    const tag = fields.uint32();
    if (tag === 18) return fields.bytes().slice();
    fields.skip(tag & 7);
  }
  return undefined;
}

/** Formats an event as a line of JSON; its payload is a message of the node API. */
function parseEvent(request: Uint8Array, node: string): string {
  const fields = new BinaryReader(request);
  const event = { node, id: "", type: "", value: "" };
  while (fields.pos < fields.len) {
    const tag = fields.uint32();
    if (tag === 10) {
      const content = new BinaryReader(fields.bytes());
      while (content.pos < content.len) {
        const tag = content.uint32();
        if (tag === 10) event.type = content.string();
        else if (tag === 18) event.value = content.bytes().slice().toBase64();
        else content.skip(tag & 7);
      }
    } else if (tag === 18) event.id = fields.string();
    else fields.skip(tag & 7);
  }
  return JSON.stringify(event);
}
