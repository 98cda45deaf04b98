/** Readable reasons of `fetch` failures. */

/** Deno has no codes for these failures, so their text is matched. */
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

/** Message of the innermost cause; Deno wraps errors. */
function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : innermost(error.cause);
}

/**
 * Returns the reason why a request failed.
 *
 * @param error Error of `fetch` or of reading the response body; its message is returned if no better text is known.
 */
export function fetchReason(error: unknown): string {
  const text = innermost(error);
  return reasons.find(([seen]) => seen.test(text))?.[1] ??
    text.replace(/^error sending request .*?client error \(\w+\): /, "")
      .replace(/ ?\(os error \d+\)/, "");
}

/** True if the server certificate was rejected. `error`: see {@linkcode fetchReason}. */
export function isUntrusted(error: unknown): boolean {
  return innermost(error).includes("invalid peer certificate");
}
