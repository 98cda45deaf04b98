/**
 * A node that joins an agent as nodes do, with a gRPC client that is not ours, and sends an event and a line of a log; or
 * one that another program plays once it has joined, whose command line is `plays`.
 *
 * @module
 */

import { createSocket } from "node:dgram";
import { Buffer } from "node:buffer";
import grpc from "@grpc/grpc-js";
import { run } from "../../../../provisioners/qemu/run.ts";

/** Prints a line. */
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const { host, port, uuid, token, byGrpc, ca, events, logs, plays } = JSON
  .parse(Deno.args[0] ?? "");

const same = (bytes: Buffer) => bytes;

/** One field of a message, which is text or bytes. */
function field(number: number, content: string | Uint8Array): number[] {
  const bytes = Buffer.from(content as string);
  return [number * 8 + 2, ...encodeLength(bytes.length), ...bytes];
}

function encodeLength(length: number): number[] {
  return length < 128
    ? [length]
    : [length % 128 + 128, Math.floor(length / 128)];
}

/** Fields of a message that has only texts. */
function textsIn(message: Buffer): Map<number, string> {
  const found = new Map<number, string>();
  for (let at = 0; at < message.length;) {
    const number = (message[at] ?? 0) >> 3;
    const size = message[at + 1] ?? 0;
    found.set(number, message.subarray(at + 2, at + 2 + size).toString());
    at += 2 + size;
  }
  return found;
}

function openClient(target: string, credentials: grpc.ChannelCredentials) {
  // This client knows no certificates for addresses; another test verifies that.
  const options = { "grpc.ssl_target_name_override": "agent" };
  return new grpc.Client(target, credentials, options);
}

function call(client: grpc.Client, path: string, fields: number[]) {
  return new Promise<Buffer>((resolve, reject) =>
    client.makeUnaryRequest(
      path,
      same,
      same,
      Buffer.from(fields),
      (error, reply) =>
        error ? reject(error) : resolve(reply ?? Buffer.alloc(0)),
    )
  );
}

const privateKey = await run(["wg", "genkey"]);
const publicKey = await run(["wg", "pubkey"], { input: privateKey });
const api = openClient(
  `${host}:${port}`,
  ca
    ? grpc.credentials.createSsl(Buffer.from(ca), null, null, {
      checkServerIdentity: () => undefined,
    })
    : grpc.credentials.createInsecure(),
);
let answer: Map<number, string>;
try {
  answer = textsIn(
    await call(api, "/sidero.link.ProvisionService/Provision", [
      ...field(1, uuid),
      ...field(2, publicKey),
      ...field(3, token),
      ...byGrpc ? [48, 1] : [],
    ]),
  );
} catch (error) {
  say(`refused: ${(error as grpc.ServiceError).details}`);
  Deno.exit(0);
}
const server = answer.get(5) ?? "";
let endpoint = answer.get(1) ?? "";
const virtual = answer.get(6);
if (virtual !== undefined) {
  const metadata = new grpc.Metadata();
  metadata.set("x-siderolink-ipv6-addr", virtual);
  const stream = api.makeBidiStreamRequest(
    "/sidero.link.WireGuardOverGRPCService/CreateStream",
    same,
    same,
    metadata,
  );
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  let interfacePort = 0;
  socket.on("message", (packet: Uint8Array, from: { port: number }) => {
    interfacePort = from.port;
    stream.write(Buffer.from(field(2, packet)));
  });
  stream.on("data", (message: Buffer) => {
    const size = (message[1] ?? 0) < 128 ? 2 : 3;
    socket.send(message.subarray(size), interfacePort, "127.0.0.1");
  });
  endpoint = `127.0.0.1:${socket.address().port}`;
}
const env = { WG_I_PREFER_BUGGY_USERSPACE_TO_POLISHED_KMOD: "1" };
await run(["wireguard-go", "wgn"], { env });
await run(["wg", "set", "wgn", "private-key", "/dev/stdin"], {
  input: privateKey,
});
const [address = ""] = (answer.get(4) ?? "").split("/");
await run(["ip", "addr", "add", answer.get(4) ?? "", "dev", "wgn", "nodad"]);
await run(["ip", "link", "set", "wgn", "mtu", "1280", "up"]);
await run([
  ...["wg", "set", "wgn", "peer", answer.get(3) ?? "", "endpoint", endpoint],
  ...["allowed-ips", `${server}/128`, "persistent-keepalive", "1"],
]);

if (plays !== undefined) {
  const [program, ...args] = plays;
  const { code } = await new Deno.Command(program, { args }).spawn().status;
  Deno.exit(code);
}

// Nodes in maintenance mode listen here.
const listener = Deno.listen({ hostname: address, port: 50_000 });
const sink = openClient(
  `[${server}]:${events}`,
  grpc.credentials.createInsecure(),
);
const content = [
  ...field(1, "type.example/machine.PhaseEvent"),
  ...field(2, "x"),
];
await call(sink, "/events.EventSinkService/Publish", [
  ...field(1, Uint8Array.from(content)),
  ...field(2, "event-1"),
]);
const log = await Deno.connect({ hostname: server, port: logs });
await log.write(new TextEncoder().encode('{"msg":"Linux version 6"}\n'));
const connection = await listener.accept();
await connection.write(new TextEncoder().encode("maintenance"));
await connection.closeWrite();
await connection.read(new Uint8Array(1));
await run(["ip", "link", "delete", "wgn"]);
Deno.exit(0);
