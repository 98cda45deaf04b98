/** Registries of container images (OCI distribution specification 1.1). */

import { OsctlError } from "../../errors.ts";
import { fetchReason } from "../../transport/connect/fetch_reason.ts";
import type { ImageReference } from "./reference.ts";
import { working } from "../../transport/call/open_calls.ts";
import type { FindLogin, RegistryLogin } from "./registry_logins.ts";

/** What a manifest or an index refers to. */
export interface Descriptor {
  /** Kind of content. */
  readonly mediaType: string;
  /** `sha256:` and 64 digits. */
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
  /** Machine it is for; in indexes only. */
  readonly platform?: {
    readonly os: string;
    readonly architecture: string;
    readonly variant?: string;
  };
}

/** A registry refused, and asking again does not help. */
export class RegistryRefusal extends OsctlError {}

/** Access to registries. */
export interface Registry {
  /** Reads a manifest or index. `reference`: tag or digest. */
  readonly manifest: (
    image: ImageReference,
    reference: string,
  ) => Promise<Uint8Array<ArrayBuffer>>;
  /** Reads a blob from a byte on. Returns its parts, and whether they begin there: else they begin at 0. */
  readonly blob: (
    image: ImageReference,
    digest: string,
    from: number,
  ) => Promise<
    { readonly resumed: boolean; readonly body: AsyncIterable<Uint8Array> }
  >;
}

/** How registries are reached. */
export interface RegistryOptions {
  /** True to take plain HTTP from those without TLS. */
  readonly insecure: boolean;
  /** Finds logins; asked once for each host that requires one. */
  readonly login: FindLogin;
  /** Ends every request. */
  readonly signal: AbortSignal;
}

const manifestTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** Largest manifest that is read, in bytes; registries have the same limit. */
const largestManifest = 4 * 1024 * 1024;

/** Makes access to registries, with tokens and schemes that are asked for once. */
export function registryClient(
  { insecure, login, signal }: RegistryOptions,
): Registry {
  const tokens = new Map<string, string>();
  const schemes = new Map<string, string>();
  const logins = new Map<string, ReturnType<FindLogin>>();

  function loginOf(host: string): ReturnType<FindLogin> {
    const found = logins.get(host) ?? login(host);
    logins.set(host, found);
    return found;
  }

  async function request(
    { host, repository }: ImageReference,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const scope = `${host}/${repository}`;
    const ask = async (scheme: string) => {
      const token = tokens.get(scope);
      return await fetch(`${scheme}://${host}/v2/${repository}/${path}`, {
        headers: { ...headers, ...token && { authorization: token } },
        signal,
      });
    };
    const asked = () =>
      working(`waiting for registry ${host}`, () => firstOf(host, ask));
    let answer = await asked();
    if (answer.status === 401) {
      await answer.body?.cancel();
      tokens.set(scope, await tokenFor(host, repository, answer));
      answer = await asked();
    }
    if (answer.ok) return answer;
    const said = (await answer.text()).slice(0, 300).replace(/\s+/g, " ");
    const text = `${host} answers ${answer.status} for ${repository}/${path}${
      said === "" ? "" : `: ${said}`
    }`;
    throw answer.status < 500 && answer.status !== 429
      ? new RegistryRefusal(text)
      : new OsctlError(text);
  }

  /** Asks with TLS, or without where that is allowed. */
  async function firstOf(
    host: string,
    ask: (scheme: string) => Promise<Response>,
  ): Promise<Response> {
    const known = schemes.get(host);
    const candidates = known !== undefined
      ? [known]
      : isLoopback(host)
      ? ["http"]
      : insecure
      ? ["https", "http"]
      : ["https"];
    let failure: unknown;
    for (const scheme of candidates) {
      try {
        const answer = await ask(scheme);
        schemes.set(host, scheme);
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error;
      }
    }
    throw unreachable(host, failure);
  }

  /** What a registry wants to see, by its challenge. */
  async function tokenFor(
    host: string,
    repository: string,
    { headers: challenged }: Response,
  ): Promise<string> {
    const challenge = challenged.get("www-authenticate") ?? "";
    const own = await loginOf(host);
    if (/^basic/i.test(challenge) && own?.kind === "basic") {
      return `Basic ${own.basic}`;
    }
    const field = (name: string) =>
      new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
    const realm = field("realm");
    if (!/^bearer/i.test(challenge) || realm === undefined) {
      throw new RegistryRefusal(
        `${host} requires credentials for ${repository}`,
        {
          hint:
            "Log in with docker, or another tool that writes its config.json",
        },
      );
    }
    const url = new URL(realm);
    const service = field("service");
    const wanted = {
      ...service !== undefined && { service },
      scope: `repository:${repository}:pull`,
    };
    const request = tokenRequest(url, wanted, own);
    const answer = await fetch(request, { signal }).catch((error) => {
      signal.throwIfAborted();
      throw unreachable(url.host, error);
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      throw new RegistryRefusal(
        `${url.host} answers ${answer.status} for a token for ${host}/${repository}`,
      );
    }
    const { token, access_token } = await answer.json().catch((cause) => {
      throw new OsctlError(`${url.host} sent a token that cannot be read`, {
        cause,
      });
    });
    return `Bearer ${token ?? access_token}`;
  }

  /** What is in an answer, which a registry may break off. */
  async function* contentOf(
    host: string,
    { body }: Response,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      if (body !== null) yield* body;
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(host, error);
    }
  }

  return {
    async manifest(image, reference) {
      const path = `manifests/${reference}`;
      const answer = await request(image, path, { accept: manifestTypes });
      const chunks = await Array.fromAsync(contentOf(image.host, answer));
      const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer());
      if (bytes.length <= largestManifest) return bytes;
      throw new RegistryRefusal(
        `The manifest of ${image.text} has ${bytes.length} bytes`,
      );
    },
    async blob(image, digest, from) {
      const headers = from > 0 ? { range: `bytes=${from}-` } : {};
      const answer = await request(image, `blobs/${digest}`, headers);
      return {
        resumed: answer.status === 206,
        body: contentOf(image.host, answer),
      };
    },
  };
}

/** Asks for a token; with a token of the user by OAuth 2.0 (distribution specification, "Token Authentication"). */
function tokenRequest(
  url: URL,
  wanted: Readonly<Record<string, string>>,
  login: RegistryLogin | undefined,
): Request {
  if (login?.kind === "refresh-token") {
    const body = new URLSearchParams({
      ...wanted,
      grant_type: "refresh_token",
      client_id: "osctl",
      refresh_token: login.token,
    });
    return new Request(url, { method: "POST", body });
  }
  for (const [name, value] of Object.entries(wanted)) {
    url.searchParams.set(name, value);
  }
  const headers = login && { authorization: `Basic ${login.basic}` };
  return new Request(url, headers && { headers });
}

function unreachable(host: string, cause: unknown): OsctlError {
  const why = fetchReason(cause);
  return new OsctlError(`Cannot reach registry ${host}: ${why}`, { cause });
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/.test(host);
}
