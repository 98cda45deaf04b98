/** A malicious registry: wrong content, endless nesting, too much data, rejected logins, or logins over plain HTTP. */

import { createCa } from "../../pki/ca.ts";
import { issueCertificate } from "../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePkcs8 } from "../../pki/private_key.ts";
import type { Lab } from "./lab.ts";

const kinds = ["lies", "nests", "refuses", "floods", "overhears"] as const;

/** Caches an image of each kind of malicious registry, which must fail. */
export async function cacheFromHostile(lab: Lab): Promise<void> {
  for (const kind of kinds) await cacheFrom(kind, lab);
}

async function cacheFrom(
  kind: typeof kinds[number],
  lab: Lab,
): Promise<void> {
  if (kind === "overhears") return await mirrorFromListener(lab);
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => answer(kind, new URL(request.url).pathname),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const words = ["image", "cache-create", "--insecure"];
  words.push("--images", `${host}/team/app:v1`);
  words.push("--image-cache-path", `${lab.folder()}/cache`);
  await startWithLogin(lab, host, words);
}

/** Mirrors from a registry with TLS that wants the login at a server without it, which leaves what it hears in a file. */
async function mirrorFromListener(lab: Lab): Promise<void> {
  const heard: string[] = [];
  await using listener = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ headers }) => {
      const [, login = ""] = headers.get("authorization")?.split(" ") ?? [];
      heard.push(atob(login));
      return Response.json({ token: "t" });
    },
  );
  const realm = `Bearer realm="http://127.0.0.1:${listener.addr.port}/token"`;
  const ca = await createCa({ organizations: ["registry"] });
  const key = await generateKey();
  const certificate = await issueCertificate({
    ca,
    publicKey: await exportPublicSpki(key),
    subject: { organizations: ["registry"] },
    subjectAltNames: { ips: ["127.0.0.1"] },
  });
  await using server = Deno.serve({
    ...{ hostname: "127.0.0.1", port: 0, onListen() {} },
    cert: encodePem(pemLabel.certificate, certificate),
    key: encodePkcs8(key),
  }, () => {
    const headers = { "www-authenticate": realm };
    return new Response("", { status: 401, headers });
  });
  const host = `127.0.0.1:${server.addr.port}`;
  const home = lab.folder();
  await Deno.mkdir(home, { recursive: true });
  await Deno.writeTextFile(`${home}/list`, `${host}/team/app:v1\n`);
  const pem = encodePem(pemLabel.certificate, ca.certificate);
  await Deno.writeTextFile(`${home}/ca.crt`, pem);
  const words = ["airgap", "mirror", "--image-list", `${home}/list`];
  words.push("--to", `${home}/mirror`, "--ca-file", `${home}/ca.crt`);
  await startWithLogin(lab, host, words);
  await Deno.writeTextFile(`${home}/overheard.txt`, heard.join("\n"));
}

/** Runs a command that knows a login for the registry. */
async function startWithLogin(
  lab: Lab,
  host: string,
  words: readonly string[],
): Promise<void> {
  const docker = `${lab.folder()}/docker`;
  const password = crypto.randomUUID();
  lab.secrets.push(password);
  lab.disclosed.add("config.json");
  await Deno.mkdir(docker, { recursive: true });
  const auths = { [host]: { auth: btoa(`user:${password}`) } };
  await Deno.writeTextFile(`${docker}/config.json`, JSON.stringify({ auths }));
  const env = { DOCKER_CONFIG: docker };
  await lab.start(0, words, { env, longestMs: 60_000 }).ended;
}

async function answer(
  kind: typeof kinds[number],
  path: string,
): Promise<Response> {
  if (path === "/v2/") return new Response("{}");
  if (kind === "refuses" || path.startsWith("/token")) {
    const header = `Basic realm="${path}"`;
    return new Response("", {
      status: 401,
      headers: { "www-authenticate": header },
    });
  }
  if (!path.includes("/manifests/")) return content(kind);
  const platform = { os: "linux", architecture: "amd64" };
  const other = await digest(crypto.randomUUID());
  const mediaType = "application/vnd.oci.image.index.v1+json";
  const body = JSON.stringify(
    kind === "nests"
      ? {
        schemaVersion: 2,
        mediaType,
        manifests: [{ mediaType, digest: other, size: 200, platform }],
      }
      : {
        schemaVersion: 2,
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        config: { mediaType: "x", digest: other, size: 200 },
        layers: [{ mediaType: "x", digest: other, size: 200 }],
      },
  );
  const asked = /sha256:.*$/.exec(path)?.[0];
  return new Response(body, {
    headers: {
      "content-type": JSON.parse(body).mediaType,
      "docker-content-digest": asked ?? await digest(body),
    },
  });
}

/** Content that does not match its digest or size. */
function content(kind: typeof kinds[number]): Response {
  const chunk = new Uint8Array(64 * 1024);
  let left = kind === "floods" ? 4_000 : 1;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(stream) {
      if (left-- > 0) stream.enqueue(chunk);
      else stream.close();
    },
  });
  return new Response(body);
}

async function digest(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const hash = await crypto.subtle.digest("SHA-256", bytes);
  return `sha256:${new Uint8Array(hash).toHex()}`;
}
