/** Requests to registries, with TLS or plain HTTP, logins and tokens. */

import { OsctlError } from "../../errors.ts";
import {
  fetchReason,
  isUntrusted,
} from "../../transport/connect/fetch_reason.ts";
import { working } from "../../transport/call/open_calls.ts";
import type { ImageReference } from "./reference.ts";
import type { FindLogin, RegistryLogin } from "./registry_logins.ts";

/** A registry refused; a retry does not help. */
export class RegistryRefusal extends OsctlError {}

interface RegistryRequest {
  /** Headers; default none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `GET`. */
  readonly method?: "GET" | "HEAD" | "POST" | "PATCH" | "PUT";
  readonly body?: Uint8Array<ArrayBuffer>;
  /** True to return a 404 response instead of throwing. */
  readonly missing?: boolean;
}

/**
 * Sends a request about an image.
 *
 * @param path Relative to the repository: `manifests/v1`; or a URL returned by the registry.
 * @returns A successful response.
 * @throws {RegistryRefusal} If the registry refuses. Other failures may be temporary.
 */
type RegistrySession = (
  image: ImageReference,
  path: string,
  request?: RegistryRequest,
) => Promise<Response>;

export interface RegistryOptions {
  /** True to allow plain HTTP. */
  readonly insecure: boolean;
  /** Finds logins; called once for each host that requires one. */
  readonly login: FindLogin;
  /** HTTP client with further CAs; default those of the system. The caller closes it. */
  readonly client?: Deno.HttpClient;
  readonly signal: AbortSignal;
}

/** Creates a session that caches tokens and schemes. */
export function registrySession(options: RegistryOptions): RegistrySession {
  const session = new Session(options);
  return (image, path, request) => session.request(image, path, request);
}

class Session {
  readonly #options: RegistryOptions;
  readonly #tokens = new Map<string, string>();
  readonly #schemes = new Map<string, string>();
  readonly #logins = new Map<string, ReturnType<FindLogin>>();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  async request(
    image: ImageReference,
    path: string,
    { headers = {}, method = "GET", body, missing = false }: RegistryRequest =
      {},
  ): Promise<Response> {
    const { client, signal } = this.#options;
    const { host, repository } = image;
    const actions = method === "GET" || method === "HEAD"
      ? "pull"
      : "pull,push";
    const scope = `${host}/${repository}:${actions}`;
    const ask = async (scheme: string) => {
      const base = `${scheme}://${host}/v2/${repository}/`;
      const url = new URL(path, base);
      // Never send the token to another host: uploads may be redirected.
      const token = url.origin === new URL(base).origin
        ? this.#tokens.get(scope)
        : undefined;
      return await fetch(url, {
        method,
        headers: { ...headers, ...token && { authorization: token } },
        ...body && { body },
        ...client && { client },
        signal,
      });
    };
    const asked = () =>
      working(
        `waiting for registry ${host}`,
        () => this.#requestFirst(image, ask),
      );
    let answer = await asked();
    if (answer.status === 401) {
      await answer.body?.cancel();
      this.#tokens.set(scope, await this.#authorize(image, actions, answer));
      answer = await asked();
    }
    if (answer.ok || missing && answer.status === 404) return answer;
    const said = (await readBeginning(answer)).slice(0, 300)
      .replace(/\s+/g, " ").trim();
    const subject = /^(?:\/|https?:)/.test(path) ? "uploads" : path;
    const text =
      `${host} returned HTTP ${answer.status} for ${repository}/${subject}${
        said === "" ? "" : `: ${said}`
      }`;
    throw answer.status < 500 && answer.status !== 429
      ? new RegistryRefusal(text)
      : new OsctlError(text);
  }

  /** Tries TLS, then plain HTTP if allowed. */
  async #requestFirst(
    { host, scheme }: ImageReference,
    ask: (scheme: string) => Promise<Response>,
  ): Promise<Response> {
    const { client, insecure, signal } = this.#options;
    const known = scheme ?? this.#schemes.get(host);
    const candidates = known !== undefined
      ? [known]
      : client === undefined && isLoopback(host)
      ? ["http"]
      : insecure
      ? ["https", "http"]
      : ["https"];
    let failure: unknown;
    for (const scheme of candidates) {
      try {
        const answer = await ask(scheme);
        this.#schemes.set(host, scheme);
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        failure ??= error;
      }
    }
    throw unreachable(host, failure);
  }

  /** Gets the authorization for a registry's challenge. */
  async #authorize(
    { host, repository, scheme }: ImageReference,
    actions: string,
    { headers }: Response,
  ): Promise<string> {
    const challenge = headers.get("www-authenticate") ?? "";
    const login = await this.#findLogin(host);
    if (/^basic/i.test(challenge) && login?.kind === "basic") {
      return `Basic ${login.basic}`;
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
    const url = tokenUrl(realm, host, scheme ?? this.#schemes.get(host));
    const service = field("service");
    const wanted = {
      ...service !== undefined && { service },
      scope: `repository:${repository}:${actions}`,
    };
    return await this.#fetchToken(
      tokenRequest(url, wanted, login),
      `${host}/${repository}`,
    );
  }

  async #fetchToken(request: Request, subject: string): Promise<string> {
    const { client, signal } = this.#options;
    const { host } = new URL(request.url);
    const answer = await fetch(request, {
      signal,
      // Credentials are only for the URL named by the registry.
      redirect: "manual",
      ...client && { client },
    })
      .catch((error) => {
        signal.throwIfAborted();
        throw unreachable(host, error);
      });
    if (!answer.ok) {
      await answer.body?.cancel();
      throw new RegistryRefusal(
        `${host} returned HTTP ${answer.status} for a token for ${subject}`,
      );
    }
    const said = parseToken(await readBeginning(answer));
    if (said === undefined) {
      throw new OsctlError(`${host} sent a token that cannot be read`);
    }
    const token = said?.token ?? said?.access_token;
    if (typeof token === "string") return `Bearer ${token}`;
    throw new RegistryRefusal(`${host} sent no token for ${subject}`);
  }

  #findLogin(host: string): ReturnType<FindLogin> {
    const found = this.#logins.get(host) ?? this.#options.login(host);
    this.#logins.set(host, found);
    return found;
  }
}

/** Checks the URL of a registry's challenge. */
function tokenUrl(
  realm: string,
  host: string,
  scheme: string | undefined,
): URL {
  const url = URL.parse(realm);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RegistryRefusal(
      `${host} names no URL to get tokens from: "${realm}"`,
    );
  }
  if (scheme !== "http" && url.protocol === "http:") {
    throw new RegistryRefusal(
      `${host} uses TLS and names a URL without it to get tokens from, which would show credentials to others: "${realm}"`,
    );
  }
  return url;
}

/**
 * Requests a token; by OAuth 2.0 with a refresh token of the user (distribution specification, "Token
 * Authentication").
 */
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

/** Maximum size of a text response, in bytes. */
const longestText = 1024 * 1024;

/** Reads a text response, truncated at the maximum size. */
async function readBeginning({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  // Leaving the loop early cancels the response.
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > longestText) break;
  }
  return text;
}

function parseToken(
  json: string,
): { token?: unknown; access_token?: unknown } | null | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Error for an unreachable registry. `cause`: error of the runtime. */
export function unreachable(host: string, cause: unknown): OsctlError {
  const text = `Cannot reach registry ${host}: ${fetchReason(cause)}`;
  return isUntrusted(cause)
    ? new RegistryRefusal(text, { cause })
    : new OsctlError(text, { cause });
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/.test(host);
}
