/** A gRPC server in Go that answers with prepared messages, so that the client is what is measured. */

import { createCa } from "../pki/ca.ts";
import {
  type CertificateAuthority,
  issueCertificate,
} from "../pki/certificate.ts";
import { generateKey, publicSpkiOf } from "../pki/key.ts";
import { encodePem, pemLabel } from "../pki/pem.ts";
import { encodePkcs8 } from "../pki/private_key.ts";

/** What a method is answered with. */
export interface Reply {
  /** Encoded messages. */
  readonly messages: readonly Uint8Array[];
  /** How often they are sent, one time after the other; default once. */
  readonly repeat?: number;
}

/** A running server. */
export interface GoServer {
  /** `host:port`. */
  readonly endpoint: string;
  /** Certificates that let a client in, PEM. */
  readonly identity: {
    /** Authority of both sides. */
    readonly ca: string;
    /** Client certificate. */
    readonly crt: string;
    /** Its key. */
    readonly key: string;
  };
  /** Ends it. */
  readonly stop: () => Promise<void>;
}

/**
 * Builds the server.
 *
 * @param folder Where to.
 * @returns The program; `undefined` where Go is not installed.
 * @throws {Error} If Go is there and cannot build it.
 */
export async function buildGoServer(
  folder: string,
): Promise<string | undefined> {
  const source = new URL("_grpc_go/", import.meta.url).pathname;
  for (const name of ["main.go", "go.mod"]) {
    await Deno.copyFile(source + name, `${folder}/${name}`);
  }
  const args = ["build", "-mod=mod", "-o", "server", "."];
  try {
    const { success, stderr } = await new Deno.Command("go", {
      args,
      cwd: folder,
    }).output();
    if (success) return `${folder}/server`;
    throw new Error(new TextDecoder().decode(stderr));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Starts the server on loopback.
 *
 * @param program What {@linkcode buildGoServer} made.
 * @param replies Answers by path of the method.
 */
export async function startGoServer(
  program: string,
  replies: Readonly<Record<string, Reply>>,
): Promise<GoServer> {
  const folder = await Deno.makeTempDir();
  const ca = await createCa({ organizations: ["bench"] });
  const node = await issue(ca, "serverAuth");
  const admin = await issue(ca, "clientAuth");
  const files: Record<string, { file: string; repeat: number }> = {};
  for (const [index, [path, reply]] of Object.entries(replies).entries()) {
    const file = `${folder}/${index}`;
    await Deno.writeFile(file, prefixed(reply.messages));
    files[path] = { file, repeat: reply.repeat ?? 1 };
  }
  const authority = encodePem(pemLabel.certificate, ca.certificate);
  const config = { ...node, ca: authority, replies: files };
  await Deno.writeTextFile(`${folder}/config`, JSON.stringify(config));
  const server = new Deno.Command(program, {
    args: [`${folder}/config`],
    stdout: "piped",
  }).spawn();
  let endpoint = "";
  const decoder = new TextDecoder();
  for await (const chunk of server.stdout.values({ preventCancel: true })) {
    endpoint += decoder.decode(chunk);
    if (endpoint.endsWith("\n")) break;
  }
  return {
    endpoint: endpoint.trim(),
    identity: { ca: authority, ...admin },
    async stop() {
      server.kill("SIGKILL");
      await server.stdout.cancel();
      await server.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Each message after its length in four bytes. */
function prefixed(messages: readonly Uint8Array[]): Uint8Array {
  const size = messages.reduce((sum, { length }) => sum + length + 4, 0);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const message of messages) {
    view.setUint32(at, message.length);
    bytes.set(message, at + 4);
    at += message.length + 4;
  }
  return bytes;
}

async function issue(
  ca: CertificateAuthority,
  use: "clientAuth" | "serverAuth",
) {
  const key = await generateKey("Ed25519");
  const certificate = await issueCertificate({
    ca,
    publicKey: await publicSpkiOf(key),
    subject: { organizations: ["os:admin"] },
    subjectAltNames: { ips: ["127.0.0.1"], dns: [] },
    extendedKeyUsage: [use],
  });
  return {
    crt: encodePem(pemLabel.certificate, certificate),
    key: encodePkcs8(key),
  };
}
