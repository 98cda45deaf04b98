/** Servers that answer with prepared messages, so that the client is what is measured. */

import { renderOsconfig } from "../config/osconfig/osconfig_file.ts";
import { createCa } from "../pki/ca.ts";
import {
  type CertificateAuthority,
  issueCertificate,
} from "../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../pki/key.ts";
import { encodePem, pemLabel } from "../pki/pem.ts";
import { encodePkcs8 } from "../pki/private_key.ts";

export interface Reply {
  /** Encoded messages. */
  readonly messages: readonly Uint8Array[];
  /** Number of repetitions, one after the other; default one. */
  readonly repeat?: number;
  /** Encoded messages that are sent once, before the others; our own server knows them. */
  readonly first?: readonly Uint8Array[];
}

/** A running server. */
export interface FastServer {
  /** `host:port`. */
  readonly endpoint: string;
  /** Certificates that let a client in, PEM. */
  readonly identity: {
    /** CA of both sides. */
    readonly ca: string;
    /** Client certificate. */
    readonly crt: string;
    /** Its key. */
    readonly key: string;
  };
  /** Ends it. */
  readonly stop: () => Promise<void>;
}

/** Far away, so that no client warns. */
const notAfter = new Date(Date.now() + 365 * 24 * 3_600_000);

/** Our own server. */
export const replayServer: readonly string[] = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-check",
  new URL("_replay.ts", import.meta.url).pathname,
];

export const goPrograms = ["go", "/usr/local/go/bin/go"];

/** Longest time that fetching modules and building may take, in milliseconds. */
const buildMs = 120_000;

/**
 * Builds a grpc-go server.
 *
 * @param folder Where to.
 * @returns Its command line, or why there is none: Go or its modules are not to be had.
 */
export async function goServer(
  folder: string,
): Promise<readonly string[] | string> {
  const source = new URL("_grpc_go/", import.meta.url).pathname;
  for (const name of ["main.go", "go.mod"]) {
    await Deno.copyFile(source + name, `${folder}/${name}`);
  }
  const args = ["build", "-mod=mod", "-o", "server", "."];
  const signal = AbortSignal.timeout(buildMs);
  for (const program of goPrograms) {
    try {
      const options = { args, cwd: folder, signal };
      const { success, stderr } = await new Deno.Command(program, options)
        .output();
      if (success) return [`${folder}/server`];
      const [why] = new TextDecoder().decode(stderr).trim().split("\n")
        .slice(-1);
      return `Go cannot build it: ${why}`;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return "Go is not installed";
}

/** Settings of a server beside its answers; default those of grpc-go. */
export interface ServerLimits {
  /** Age at which it says good-bye to a connection, in milliseconds. */
  readonly maxAgeMs?: number;
  /** Window of a stream and of a connection, in bytes. */
  readonly window?: number;
  /** Streams it serves at once on a connection. */
  readonly maxStreams?: number;
}

interface ReplyFiles {
  readonly file: string;
  readonly repeat: number;
  first?: string;
}

/**
 * Starts a server on loopback.
 *
 * @param command {@linkcode replayServer} or what {@linkcode goServer} gave.
 * @param replies Answers by path of the method.
 */
export async function startServer(
  [program = "", ...args]: readonly string[],
  replies: Readonly<Record<string, Reply>>,
  limits: ServerLimits = {},
): Promise<FastServer> {
  const folder = await Deno.makeTempDir();
  const ca = await createCa({ organizations: ["bench"], notAfter });
  const node = await issue(ca, "serverAuth");
  const admin = await issue(ca, "clientAuth");
  const files: Record<string, ReplyFiles> = {};
  for (const [index, [path, reply]] of Object.entries(replies).entries()) {
    const file = `${folder}/${index}`;
    await Deno.writeFile(file, prefix(reply.messages));
    files[path] = { file, repeat: reply.repeat ?? 1 };
    if (reply.first === undefined) continue;
    files[path].first = `${file}-first`;
    await Deno.writeFile(`${file}-first`, prefix(reply.first));
  }
  const caPem = encodePem(pemLabel.certificate, ca.certificate);
  const config = { ...node, ca: caPem, replies: files, ...limits };
  await Deno.writeTextFile(`${folder}/config`, JSON.stringify(config));
  const server = new Deno.Command(program, {
    args: [...args, `${folder}/config`],
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
    identity: { ca: caPem, ...admin },
    async stop() {
      server.kill("SIGKILL");
      await server.stdout.cancel();
      await server.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/**
 * Writes a client configuration that osctl and talosctl read.
 *
 * @param folder Where to.
 * @param server Where to connect, and as whom.
 * @returns Its path.
 */
export async function configure(
  folder: string,
  { endpoint, identity: { ca, crt, key } }: Pick<
    FastServer,
    "endpoint" | "identity"
  >,
): Promise<string> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const path = `${folder}/config`;
  const text = await renderOsconfig({
    current: "bench",
    contexts: new Map([["bench", {
      endpoints: [endpoint],
      nodes: ["10.5.0.2"],
      ca: base64(ca),
      crt: base64(crt),
      key: base64(key),
    }]]),
  });
  await Deno.writeTextFile(path, text);
  return path;
}

/** Each message after its length in four bytes. */
function prefix(messages: readonly Uint8Array[]): Uint8Array {
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
    notAfter,
    publicKey: await exportPublicSpki(key),
    subject: { organizations: ["os:admin"] },
    subjectAltNames: { ips: ["127.0.0.1"], dns: [] },
    extendedKeyUsage: [use],
  });
  return {
    crt: encodePem(pemLabel.certificate, certificate),
    key: encodePkcs8(key),
  };
}
