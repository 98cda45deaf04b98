/** Key management service (KMS) that seals disk keys of nodes, by gRPC without TLS. */

import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { kmsService } from "../../../talos.ts";
import { RpcError } from "../../../errors.ts";
import { serveUnary } from "../../../simulator/wire/unary.ts";
import { close, type RunningServer, serveTcp } from "../../sockets.ts";

interface KmsOptions {
  readonly host: string;
  readonly port: number;
  /** Key of 32 bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
}

/** Sizes in bytes: of a disk key, and of the prefix and suffix of a sealed key. */
const keySize = 32;
const nonceSize = 12;
const tagSize = 16;

/** Starts the service. Throws Error if the port is in use or not permitted. */
export async function serveKms(
  { host, port, key }: KmsOptions,
): Promise<RunningServer> {
  const secret = await crypto.subtle.importKey("raw", key, "AES-GCM", false, [
    "encrypt",
    "decrypt",
  ]);
  return serveTcp({ host, port }, (connection) =>
    serveUnary({
      read: (into) => connection.read(into).catch(() => null),
      write: (from) => connection.write(from),
      close: () => close(connection),
    }, (path, request) => answer(path, request, secret)));
}

async function answer(
  path: string,
  request: Uint8Array,
  secret: CryptoKey,
): Promise<Uint8Array> {
  const seal = path === `${kmsService}Seal`;
  if (!seal && path !== `${kmsService}Unseal`) {
    throw new RpcError("UNIMPLEMENTED", "unknown method");
  }
  const { node, data } = parseRequest(request);
  if (data.length !== (seal ? keySize : nonceSize + keySize + tagSize)) {
    throw new RpcError("INVALID_ARGUMENT", "incorrect data length");
  }
  const output = seal
    ? await sealKey(data, secret, node)
    : await unseal(data, secret, node);
  return new BinaryWriter().uint32(10).bytes(output).finish();
}

function parseRequest(request: Uint8Array) {
  const fields = new BinaryReader(request);
  let node = "";
  let data = new Uint8Array();
  while (fields.pos < fields.len) {
    const tag = fields.uint32();
    if (tag === 10) node = fields.string();
    else if (tag === 18) data = fields.bytes().slice();
    else fields.skip(tag & 7);
  }
  return { node, data };
}

/** Seals a key together with the node, so that no node can unseal the key of another. */
async function sealKey(
  data: Uint8Array<ArrayBuffer>,
  secret: CryptoKey,
  node: string,
): Promise<Uint8Array> {
  const iv = crypto.getRandomValues(new Uint8Array(nonceSize));
  const additionalData = new TextEncoder().encode(node);
  const ciphered = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData },
    secret,
    data,
  );
  return Uint8Array.from([...iv, ...new Uint8Array(ciphered)]);
}

/** Unseals a key; on failure returns a random key, to reveal nothing. */
async function unseal(
  data: Uint8Array<ArrayBuffer>,
  secret: CryptoKey,
  node: string,
): Promise<Uint8Array> {
  const iv = data.slice(0, nonceSize);
  const additionalData = new TextEncoder().encode(node);
  try {
    const plain = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv, additionalData },
      secret,
      data.slice(nonceSize),
    );
    return new Uint8Array(plain);
  } catch {
    return crypto.getRandomValues(new Uint8Array(keySize));
  }
}
