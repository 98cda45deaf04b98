import { ConfigError } from "../../errors.ts";
import {
  addressFamily,
  canonicalAddress,
  contains,
  parseNetwork,
} from "../../lib/ip.ts";
import { type Endpoint, endpointAt } from "./endpoint.ts";
import type { BasicCredentials } from "../call/metadata.ts";

/** A proxy on the way to an endpoint. */
export interface Proxy {
  /** How it is spoken to; `https` is `http` inside TLS. */
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

/** What decides about a proxy. */
export interface ProxySettings {
  /** Environment; upper-case names are looked up before lower-case ones. */
  readonly env: ReadEnv;
  /** Proxy of the context, or `direct`; default what the environment says. */
  readonly proxyUrl?: string | undefined;
}

/** Names no proxy in a context, whatever the environment says. */
const directly = "direct";

/**
 * Chooses the proxy for an endpoint: that of the context, otherwise from `HTTPS_PROXY` and `NO_PROXY`.
 *
 * By the environment loopback is never reached through a proxy. Host names are resolved by the proxy.
 *
 * @returns Nothing when the endpoint is to be reached directly.
 * @throws {ConfigError} If the value is not a URL of a proxy.
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
 * Reads the URL of a proxy; without a scheme it is `http://`. Throws `ConfigError` if it is not a URL, or
 * of an unknown kind; the message holds no password.
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

/** Makes sure that a context can name a proxy by this. Throws `ConfigError` if it cannot. */
export function checkProxyUrl(text: string): void {
  if (text !== directly) parseProxy(text);
}

/** The URL of a proxy as it may be shown: without credentials. */
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
    return undefined; // a percent sign that starts no character
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" ||
    addressFamily(host) === 4 && host.startsWith("127.");
}

/** Whether one of the comma-separated exceptions names the endpoint. */
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
