/** The URL at which nodes and users reach the API servers of a cluster. */

import { ConfigError } from "../../errors.ts";
import { addressFamily } from "../documents/checks.ts";
import { parseUrl } from "../documents/url.ts";

/**
 * Checks the endpoint of a cluster.
 *
 * @param text `https://`, a name or address (IPv6 in brackets), and perhaps a port and a path.
 * @returns The text, unchanged.
 * @throws {ConfigError} Says what is wrong, and which URL is probably meant.
 */
export function parseEndpoint(text: string): string {
  const fault = faultOf(text);
  if (fault === undefined) return text;
  const near = probable(text);
  throw new ConfigError(`Cannot use cluster endpoint "${text}": ${fault}`, {
    hint: faultOf(near) === undefined
      ? `Try "${near}"`
      : `Give it as https://10.0.0.1:${defaultPort}`,
  });
}

function faultOf(text: string): string | undefined {
  if (!/^[^:/?#]+:\/\//.test(text)) return "it has no scheme";
  const url = parseUrl(text);
  if (url === undefined) return "it is no URL";
  if (url.scheme !== "https") return `its scheme is ${url.scheme}, not https`;
  if (url.host === "") return "it has no host";
  const port = Number(url.port || 1);
  if (port < 1 || port > 65535) return "its port is not between 1 and 65535";
}

const defaultPort = 6443;

/** What is wrong is put right, everything else is as given. */
function probable(text: string): string {
  const bare = text.replace(/^[A-Za-z]+:\/+/, "");
  const [, place = "", rest = ""] = /^([^/?#]*)(.*)$/s.exec(bare) ?? [];
  return `https://${placeOf(place.replace(/^.*@/, ""))}${rest}`;
}

function placeOf(text: string): string {
  const [, address = "", end = ""] = /^(.*):(\d{4,5})$/.exec(text) ?? [];
  if (addressFamily(address) === 6) return `[${address}]:${end}`;
  if (addressFamily(text) === 6) return `[${text}]:${defaultPort}`;
  const [, host = "", port = ""] = /^(\[.*\]|.*?)(?::([^:]*))?$/.exec(text) ??
    [];
  const isPort = Number(port) >= 1 && Number(port) <= 65535;
  return `${host}:${isPort ? port : defaultPort}`;
}
