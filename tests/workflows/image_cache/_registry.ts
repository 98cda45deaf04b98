/** A registry with one image, which can be made to misbehave. */

import { createHash } from "node:crypto";

/** The registry. */
export interface TestRegistry extends AsyncDisposable {
  readonly host: string;
  /** Requests so far: method, path and range. */
  readonly requests: string[];
  /** Digest of the layer that both machines have. */
  readonly layer: string;
  /** Size of it in bytes. */
  readonly size: number;
  cuts: number;
  /** True to send something else in its place. */
  lies: boolean;
  /** Login that is wanted, in base64; empty for none. */
  login: string;
}

function sha(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Starts it on loopback, with `team/app:v1` for linux/amd64 and linux/arm64. */
export function testRegistry(): TestRegistry {
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  const add = (content: string | Uint8Array<ArrayBuffer>) => {
    const bytes = typeof content === "string"
      ? new TextEncoder().encode(content)
      : content;
    const digest = sha(bytes);
    blobs.set(digest, bytes);
    return { digest, size: bytes.length, mediaType: "x" };
  };
  const layer = add(Uint8Array.from({ length: 200_000 }, (_, i) => i * 7));
  const manifests = ["amd64", "arm64"].map((architecture) => ({
    ...add(JSON.stringify({
      schemaVersion: 2,
      config: add(JSON.stringify({ architecture, os: "linux" })),
      layers: [layer, add(`only ${architecture}`)],
    })),
    platform: { os: "linux", architecture },
  }));
  const index = add(JSON.stringify({ schemaVersion: 2, manifests }));
  const requests: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/token") return await tokenFor(request);
      const range = request.headers.get("range");
      requests.push(`${pathname.slice(4)}${range === null ? "" : ` ${range}`}`);
      const wanted = request.headers.get("authorization");
      if (registry.login !== "" && wanted !== "Bearer secret") {
        const realm = `http://${registry.host}/token`;
        return new Response("", {
          status: 401,
          headers: { "www-authenticate": `Bearer realm="${realm}"` },
        });
      }
      const [, kind, name = ""] =
        /^\/v2\/team\/app\/(manifests|blobs)\/(.+)$/.exec(pathname) ?? [];
      const digest = kind === "manifests" && name === "v1"
        ? index.digest
        : name;
      const bytes = blobs.get(digest);
      if (bytes === undefined) return new Response("no", { status: 404 });
      if (digest !== layer.digest) return new Response(bytes);
      if (registry.lies) return new Response(new Uint8Array(bytes.length));
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
      const end = registry.cuts-- > 0 ? from + 70_000 : bytes.length;
      return new Response(bytes.slice(from, end), {
        status: range === null ? 200 : 206,
      });
    },
  );
  const tokenFor = async (request: Request) => {
    const form = request.method === "POST"
      ? new URLSearchParams(await request.text())
      : new URLSearchParams();
    const [kind, login] = (request.headers.get("authorization") ??
      `Refresh ${form.get("refresh_token")}`).split(" ");
    const isRight = login === registry.login &&
      (kind === "Basic" || form.get("grant_type") === "refresh_token");
    return isRight
      ? Response.json({
        [kind === "Basic" ? "token" : "access_token"]: "secret",
      })
      : new Response("", { status: 401 });
  };
  const registry: TestRegistry = {
    host: `127.0.0.1:${server.addr.port}`,
    requests,
    layer: layer.digest,
    size: layer.size,
    cuts: 0,
    lies: false,
    login: "",
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return registry;
}
