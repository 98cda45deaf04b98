/** Registries for tests: one that has every image there may be, and Debian's, with TLS and logins. */

import { createHash } from "node:crypto";
import { withFolder } from "./_folder.ts";
import type { Program } from "./_needs.ts";

/** A registry in place of all others. */
export interface Upstream extends AsyncDisposable {
  readonly host: string;
  /** Blobs that were asked for: repository and digest. */
  readonly blobs: string[];
  /** Repositories, and images with their tag, it says it does not have. */
  readonly missing: Set<string>;
  /** Digest of the index of an image: `team/app:v1`. */
  readonly findDigest: (image: string) => string;
  /** Digest of the layer that all images have. */
  readonly layer: string;
  cuts: number;
}

/** Machines every image is made for. */
const architectures = ["amd64", "arm64"];

function sha(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Starts a registry on loopback that makes up every image it is asked for, with an index and a layer all share. */
export function upstream(): Upstream {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  const add = (content: string | Uint8Array<ArrayBuffer>, kind: string) => {
    const bytes = typeof content === "string"
      ? new TextEncoder().encode(content)
      : content;
    const digest = sha(bytes);
    contents.set(digest, bytes);
    const mediaType = `application/vnd.oci.image.${kind}`;
    return { mediaType, digest, size: bytes.length };
  };
  const layerKind = "layer.v1.tar";
  const shared = add(
    Uint8Array.from({ length: 50_000 }, (_, i) => i * 7),
    layerKind,
  );
  const make = (image: string) => {
    const manifests = architectures.map((architecture) => {
      const own = add(`${image} for ${architecture}`, layerKind);
      const rootfs = { type: "layers", diff_ids: [shared.digest, own.digest] };
      const config = { architecture, os: "linux", rootfs };
      const kind = "manifest.v1+json";
      const manifest = {
        schemaVersion: 2,
        mediaType: `application/vnd.oci.image.${kind}`,
        config: add(JSON.stringify(config), "config.v1+json"),
        layers: [shared, own],
      };
      return {
        ...add(JSON.stringify(manifest), kind),
        platform: { os: "linux", architecture },
      };
    });
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const index = JSON.stringify({ schemaVersion: 2, mediaType, manifests });
    return add(index, "index.v1+json").digest;
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url, method }) => {
      const [, repository = "", kind, name = ""] =
        /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(new URL(url).pathname) ??
          [];
      const isMissing = state.missing.has(repository) ||
        state.missing.has(`${repository}:${name}`);
      if (kind === undefined || isMissing) {
        return new Response("unknown", { status: 404 });
      }
      if (kind === "blobs" && method === "GET") {
        state.blobs.push(`${repository} ${name}`);
      }
      const digest = name.startsWith("sha256:")
        ? name
        : make(`${repository}:${name}`);
      const bytes = contents.get(digest);
      if (bytes === undefined) return new Response("unknown", { status: 404 });
      if (kind === "blobs" && state.cuts-- > 0) {
        return new Response(bytes.slice(0, bytes.length / 2));
      }
      return new Response(method === "HEAD" ? null : bytes);
    },
  );
  const state: Upstream = {
    host: `127.0.0.1:${server.addr.port}`,
    blobs: [],
    missing: new Set(),
    findDigest: make,
    layer: shared.digest,
    cuts: 0,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return state;
}

/** Debian's `docker-registry`, with TLS and a login. */
export interface DebianRegistry {
  readonly host: string;
  /** Folder of the test: `ca.crt`, and `config.json` with the login. */
  readonly folder: string;
  /** Flags by which `osctl` reaches it. */
  readonly flags: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs `skopeo` on it, with its CA and login. */
  readonly skopeo: (...args: string[]) => Promise<string>;
}

export const registryPrograms = [
  "docker-registry",
  "htpasswd",
  "openssl",
  "skopeo",
] as const satisfies readonly Program[];

const [user, password] = ["operator", "not-a-secret"];

/** Runs a test against Debian's registry. */
export async function withDebianRegistry(
  test: (registry: DebianRegistry) => Promise<void>,
): Promise<void> {
  await withFolder({}, async (folder) => {
    await certificates(folder);
    const login = await run("htpasswd", ["-BbnC", "4", user, password]);
    await Deno.writeTextFile(`${folder}/htpasswd`, login);
    await Deno.writeTextFile(`${folder}/registry.yaml`, configuration(folder));
    await using server = new Deno.Command("docker-registry", {
      args: ["serve", `${folder}/registry.yaml`],
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const host = await readHost(server.stderr);
    const auth = { auth: btoa(`${user}:${password}`) };
    const config = JSON.stringify({ auths: { [host]: auth } });
    await Deno.writeTextFile(`${folder}/config.json`, config);
    await test({
      host,
      folder,
      flags: `--ca-file ${folder}/ca.crt`,
      env: { DOCKER_CONFIG: folder },
      skopeo: (...args) =>
        run("skopeo", args, {
          SSL_CERT_FILE: `${folder}/ca.crt`,
          REGISTRY_AUTH_FILE: `${folder}/config.json`,
        }),
    });
  });
}

/** Makes a CA in a folder, and a certificate of it for servers at 127.0.0.1 and for clients: `ca.crt`, `tls.crt`, `tls.key`. */
export async function certificates(folder: string): Promise<void> {
  const at = (name: string) => `${folder}/${name}`;
  const key =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
  const issue = (name: string, ...more: readonly string[]) => {
    const files = ["-keyout", at(`${name}.key`), "-out", at(`${name}.crt`)];
    const words = [...key.split(" "), "-subj", `/CN=${name}`, ...files];
    return run("openssl", [...words, ...more]);
  };
  const extension = (text: string) => ["-addext", text];
  await issue("ca");
  await issue(
    "tls",
    ...extension("subjectAltName=IP:127.0.0.1"),
    ...extension("basicConstraints=critical,CA:FALSE"),
    ...["-CA", at("ca.crt"), "-CAkey", at("ca.key")],
  );
}

function configuration(folder: string): string {
  return `version: 0.1
log: {level: info, formatter: text, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: ${folder}/storage}, delete: {enabled: true}}
auth: {htpasswd: {realm: test, path: ${folder}/htpasswd}}
http:
  addr: 127.0.0.1:0
  secret: test
  tls: {certificate: ${folder}/tls.crt, key: ${folder}/tls.key}
`;
}

/** Reads where it listens, and goes on reading, so that it never waits for a reader. */
async function readHost(log: ReadableStream<Uint8Array>): Promise<string> {
  const found = Promise.withResolvers<string>();
  let said = "";
  const reading = async () => {
    for await (const text of log.pipeThrough(new TextDecoderStream())) {
      said = `${said}${text}`.slice(-2000);
      const [, host] = /listening on (127\.0\.0\.1:\d+)/.exec(said) ?? [];
      if (host !== undefined) found.resolve(host);
    }
    found.reject(new Error(`docker-registry ended: ${said}`));
  };
  reading().catch(found.reject);
  return await found.promise;
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    env,
  }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(`${program} ${args.join(" ")}: ${decoder.decode(stderr)}`);
}
