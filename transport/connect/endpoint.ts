/** Parsing of endpoints: host and port. */

import { ConfigError } from "../../errors.ts";
import { addressFamily, hostPort } from "../../lib/ip.ts";

/** Port of the node API. */
export const apiPort = 50000;

const httpsPort = 443;

/** An address to connect to. */
export interface Endpoint {
  /** Host name, IPv4 address, or IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** `host:port`, an IPv6 address in brackets. */
  readonly text: string;
}

/**
 * Parses an endpoint: `host`, `host:port`, `[v6]:port`, `v6`, or a URL.
 *
 * The default port is 443 for `https://`, else 50000; other schemes are dropped.
 *
 * @throws {ConfigError} If the host is missing or the port is invalid.
 */
export function parseEndpoint(text: string): Endpoint {
  const trimmed = text.trim();
  const [, scheme, rest] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(
    trimmed,
  )!; // matches any text
  const authority = (rest ?? "").replace(/[/?#].*$/s, "");
  const { host, port } = authority.includes("@")
    ? { host: authority, port: undefined }
    : split(authority);
  if (!isHost(host)) {
    throw endpointError(
      text,
      host === "" ? "it has no host" : `"${host}" is not a host`,
    );
  }
  const fallback = scheme?.toLowerCase() === "https" ? httpsPort : apiPort;
  return endpointAt(host, port === undefined ? fallback : toPort(text, port));
}

/** Creates an endpoint. `host`: name or address, an IPv6 address without brackets. */
export function endpointAt(host: string, port: number): Endpoint {
  return { host, port, text: hostPort(host, port) };
}

function split(authority: string): { host: string; port: string | undefined } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/s.exec(authority);
  if (bracketed) return { host: bracketed[1] ?? "", port: bracketed[2] };
  if (addressFamily(authority) === 6) {
    return { host: authority, port: undefined };
  }
  const colon = authority.lastIndexOf(":");
  return colon < 0 ? { host: authority, port: undefined } : {
    host: authority.slice(0, colon),
    port: authority.slice(colon + 1),
  };
}

function isHost(host: string): boolean {
  if (addressFamily(host) !== undefined) return true;
  // Digits and dots alone are a mistyped address, not a name.
  return host.length <= 253 && !/^[\d.]+$/.test(host) &&
    /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_.])?$/u.test(host);
}

function toPort(text: string, port: string): number {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65535) {
    throw endpointError(text, `port "${port}" is not a number from 1 to 65535`);
  }
  return number;
}

function endpointError(text: string, why: string): ConfigError {
  const message = `Cannot use endpoint "${text}": ${why}`;
  // Text before "@" is a password, with or without a scheme.
  return new ConfigError(message.replace(/(?<=:)[^\s/"]*@/g, "******@"), {
    hint: "Write it as host, host:port or [IPv6]:port, separated by commas",
  });
}
