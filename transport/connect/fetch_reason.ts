/** Why a request of the runtime's `fetch` failed, in words. */

/** The runtime has no codes for these failures, only text: what is in it, and what we say. */
const reasons: readonly (readonly [seen: RegExp, reason: string])[] = [
  [/Connection refused/i, "the connection was refused"],
  [/Temporary failure in name resolution/i, "the DNS server does not answer"],
  [/dns error|failed to lookup/i, "the name cannot be resolved"],
  [/No route to host/i, "no route to host"],
  [/Network is unreachable/i, "no route to network"],
  [
    /invalid peer certificate: UnknownIssuer/i,
    "its certificate is from another CA",
  ],
  [/invalid peer certificate: Expired/i, "its certificate has expired"],
  [
    /invalid peer certificate: NotValidYet/i,
    "its certificate is not valid yet",
  ],
  [
    /invalid peer certificate: NotValidForName/i,
    "its certificate is for other names",
  ],
  [/invalid peer certificate/i, "its certificate is not accepted"],
  [/InvalidContentType|WRONG_VERSION/i, "it does not speak TLS"],
  [/invalid HTTP version/i, "it does not speak HTTP"],
  [/timed out/i, "the host does not answer"],
  [
    /Connection reset|Broken pipe|connection closed|closed connection|unexpected.EOF|error reading a body/i,
    "the connection was closed",
  ],
];

/** What lies at the bottom of it: the runtime wraps it. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : innermost(error.cause);
}

/**
 * Says why a request failed.
 *
 * @param error What `fetch`, or reading the body of its answer, raised; its own words where there are no better ones.
 */
export function fetchReason(error: unknown): string {
  const text = innermost(error);
  return reasons.find(([seen]) => seen.test(text))?.[1] ??
    text.replace(/^error sending request .*?client error \(\w+\): /, "")
      .replace(/ ?\(os error \d+\)/, "");
}

/** Whether the certificate of the server was not accepted. `error`: see {@linkcode fetchReason}. */
export function isUntrusted(error: unknown): boolean {
  return innermost(error).includes("invalid peer certificate");
}
