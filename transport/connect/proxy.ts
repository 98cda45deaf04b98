import { ConfigError } from "../../errors.ts";
import {
  addressFamily,
  canonicalAddress,
  contains,
  parseNetwork,
} from "../../lib/ip.ts";
import { type Endpoint, endpointAt } from "./endpoint.ts";
import type { BasicCredentials } from "../call/metadata.ts";

/** A proxy to an endpoint. */
export interface Proxy {
  /** Protocol; `https` is `http` over TLS. */
  readonly kind: "http" | "https" | "socks5";
  readonly endpoint: Endpoint;
  readonly auth?: BasicCredentials;
}

/** Looks up an environment variable. */
export type ReadEnv = (name: string) => string | undefined;

const kinds: Readonly<
  Record<string, { readonly kind: Proxy["kind"]; readonly port: number }>
> = {
  "http:": { kind: "http", port: 80 },
  "https:": { kind: "https", port: 443 },
  "socks5:": { kind: "socks5", port: 1080 },
  "socks5h:": { kind: "socks5", port: 1080 },
};

/** Sources of the proxy setting. */
export interface ProxySettings {
  /** Environment variables; upper-case names take precedence. */
  readonly env: ReadEnv;
  /** Proxy of the context, or `direct`; default from the environment. */
  readonly proxyUrl?: string | undefined;
}

/** Value for no proxy in a context, overriding the environment. */
const directly = "direct";

/**
 * Returns the proxy for an endpoint: from the context, otherwise from `HTTPS_PROXY` and `NO_PROXY`.
 *
 * A proxy of the environment is never used for loopback. Host names are resolved by the proxy.
 *
 * @returns `undefined` for a direct connection.
 * @throws {ConfigError} If the value is not a proxy URL.
 */
export function proxyFor(
  endpoint: Endpoint,
  { env, proxyUrl }: ProxySettings,
): Proxy | undefined {
  if (proxyUrl === directly) return undefined;
  if (proxyUrl) return parseProxy(proxyUrl);
  const url = env("HTTPS_PROXY") || env("https_proxy");
  if (!url || isLoopback(endpoint.host)) return undefined;
  const exceptions = env("NO_PROXY") || env("no_proxy") || "";
  return isExcepted(endpoint, exceptions) ? undefined : parseProxy(url);
}

/**
 * Parses a proxy URL; the default scheme is `http://`. Throws `ConfigError` if it is invalid or the scheme is
 * not supported; the message contains no password.
 */
export function parseProxy(text: string): Proxy {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const known = url ? kinds[url.protocol] : undefined;
  const auth = url ? credentials(url) : undefined;
  if (!url || !known || !auth || url.hostname === "") {
    throw new ConfigError(
      `Cannot use proxy "${shownProxy(text)}"`,
      { hint: "Write it as http://, https:// or socks5://HOST:PORT" },
    );
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    kind: known.kind,
    endpoint: endpointAt(host, url.port ? Number(url.port) : known.port),
    ...auth.username ? { auth } : {},
  };
}

/** Validates the proxy of a context. Throws `ConfigError` if it is invalid. */
export function checkProxyUrl(text: string): void {
  if (text !== directly) parseProxy(text);
}

/** Returns a proxy URL without credentials, for output. */
export function shownProxy(text: string): string {
  return text.replace(/^([a-z0-9+.-]+:\/\/)?.*@/is, "$1***@");
}

function credentials(
  { username, password }: URL,
): BasicCredentials | undefined {
  try {
    return {
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
    };
  } catch {
    return undefined; // invalid percent-encoding
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" ||
    addressFamily(host) === 4 && host.startsWith("127.");
}

/** Checks the comma-separated exceptions of `NO_PROXY`. */
function isExcepted(endpoint: Endpoint, exceptions: string): boolean {
  return exceptions.split(",").some((exception) =>
    matches(endpoint, exception.trim().toLowerCase())
  );
}

function matches({ host, port }: Endpoint, exception: string): boolean {
  if (exception === "") return false;
  if (exception === "*") return true;
  if (exception.includes("/")) {
    const network = parseNetwork(exception);
    return network !== undefined && contains(network, host);
  }
  const { name, portOnly } = splitPort(exception);
  if (portOnly !== undefined && portOnly !== port) return false;
  const address = canonicalAddress(host);
  const named = canonicalAddress(name);
  if (address !== undefined || named !== undefined) return address === named;
  const suffix = name.replace(/^\*?\./, "");
  const lower = host.toLowerCase();
  return lower.endsWith(`.${suffix}`) ||
    lower === suffix && !name.startsWith(".") && !name.startsWith("*.");
}

function splitPort(
  exception: string,
): { readonly name: string; readonly portOnly?: number } {
  const match = /^(?:\[(.*)\]|([^:]*)):(\d+)$/.exec(exception);
  if (!match) return { name: exception.replace(/^\[(.*)\]$/, "$1") };
  return { name: match[1] ?? match[2] ?? "", portOnly: Number(match[3]) };
}
