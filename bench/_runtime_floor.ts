/** The least that a program on this runtime takes: what osctl cannot be faster than. */

import { runtimeFlags } from "../provisioners/own_command.ts";
import type { FastServer } from "./_fast_server.ts";

/**
 * Writes a program that does nothing.
 *
 * @param folder Where to.
 * @returns Arguments with which the runtime starts it.
 */
export async function nothing(folder: string): Promise<readonly string[]> {
  const path = `${folder}/nothing.js`;
  await Deno.writeTextFile(path, "Deno.exit(0);\n");
  return [...runtimeFlags, path];
}

/**
 * Writes a program that makes one call without arguments, with as little code as that takes.
 *
 * @param folder Where to.
 * @param server Whom it calls.
 * @param method Path of the method.
 * @returns Arguments with which the runtime starts it.
 */
export async function oneCall(
  folder: string,
  { endpoint, identity }: FastServer,
  method: string,
): Promise<readonly string[]> {
  const path = `${folder}/one_call.js`;
  const values = [endpoint, identity, method].map((value) =>
    JSON.stringify(value)
  );
  await Deno.writeTextFile(
    path,
    `await (${call})(${values});\nDeno.exit(0);\n`,
  );
  return [...runtimeFlags, path];
}

/** Runs in a process of its own, so it uses nothing from outside. */
async function call(
  endpoint: string,
  { ca, crt, key }: FastServer["identity"],
  method: string,
): Promise<void> {
  const [hostname = "", port] = endpoint.split(":");
  const connection = await Deno.connectTls({
    hostname,
    port: Number(port),
    caCerts: [ca],
    cert: crt,
    key,
    alpnProtocols: ["h2"],
  });
  if (Deno.build.os === "linux") {
    // Small packets are sent at once, on whichever descriptor the connection has.
    const { setsockopt } = Deno.dlopen("libc.so.6", {
      setsockopt: {
        parameters: ["i32", "i32", "i32", "buffer", "u32"],
        result: "i32",
      },
    }).symbols;
    for (let descriptor = 3; descriptor < 64; descriptor++) {
      setsockopt(descriptor, 6, 1, new Int32Array([1]), 4);
    }
  }
  const text = new TextEncoder();
  const frame = (type: number, flags: number, id: number, body: number[]) => [
    ...[0, body.length >> 8, body.length & 255, type, flags],
    ...[0, 0, 0, id, ...body],
  ];
  const field = (name: string, value: string) =>
    [name, value].flatMap((word) => [word.length, ...text.encode(word)]);
  const fields = [
    ...[":method", "POST", ":scheme", "https", ":path", method],
    ...[":authority", endpoint, "te", "trailers"],
    ...["content-type", "application/grpc"],
  ];
  const headers: number[] = [];
  for (let i = 0; i < fields.length; i += 2) {
    headers.push(0, ...field(fields[i]!, fields[i + 1]!));
  }
  await connection.write(
    new Uint8Array([
      ...text.encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
      ...frame(4, 0, 0, []),
      ...frame(1, 4, 1, headers),
      ...frame(0, 1, 1, [0, 0, 0, 0, 0]),
    ]),
  );
  const buffer = new Uint8Array(65_536);
  let filled = 0;
  for (let at = 0;;) {
    const size = buffer[at + 1]! * 256 + buffer[at + 2]!;
    if (at + 9 > filled || at + 9 + size > filled) {
      const count = await connection.read(buffer.subarray(filled));
      if (count === null) throw new Error("No answer");
      filled += count;
      continue;
    }
    const isLast = buffer[at + 3] === 1 && (buffer[at + 4]! & 1) === 1;
    // The end of the call, and of the text of its answer.
    if (isLast) return void Deno.stdout.writeSync(buffer.subarray(0, at));
    at += 9 + size;
  }
}
