/** Messages of the domain name system (RFC 1035) as text. */

const types: Readonly<Record<number, string>> = {
  1: "A",
  2: "NS",
  5: "CNAME",
  6: "SOA",
  12: "PTR",
  15: "MX",
  16: "TXT",
  28: "AAAA",
  33: "SRV",
  41: "OPT",
  65: "HTTPS",
  255: "ANY",
};

const outcomes = ["", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"];

/**
 * Describes a message.
 *
 * @returns Text such as `query 4711 A? example.com` or `answer 4711 A example.com: 3 records`; `undefined` when it is
 * none.
 */
export function dnsText(bytes: Uint8Array): string | undefined {
  if (bytes.length < 12) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [id, flags, questions, answers] = [0, 2, 4, 6].map((at) =>
    view.getUint16(at)
  ) as [number, number, number, number];
  const isAnswer = (flags & 0x8000) !== 0;
  const question = questions === 0 ? undefined : questionIn(bytes, view);
  const [kind, name] = question ?? ["", ""];
  if (!isAnswer) return `query ${id} ${kind}? ${name}`.trimEnd();
  const code = flags & 15;
  const outcome = code === 0
    ? `${answers} ${answers === 1 ? "record" : "records"}`
    : outcomes[code] ?? `code ${code}`;
  return question === undefined
    ? `answer ${id}: ${outcome}`
    : `answer ${id} ${kind} ${name}: ${outcome}`;
}

/** Type and name of the first question. */
function questionIn(
  bytes: Uint8Array,
  view: DataView,
): readonly [type: string, name: string] | undefined {
  const labels: string[] = [];
  let at = 12;
  for (;;) {
    const size = bytes[at];
    // Questions come first, so that there is nothing to point to.
    if (size === undefined || size > 63) return undefined;
    at++;
    if (size === 0) break;
    const label = new TextDecoder().decode(bytes.subarray(at, at + size));
    labels.push(label.replace(/[^\x21-\x7e]/g, "?"));
    at += size;
  }
  if (at + 4 > bytes.length) return undefined;
  const type = view.getUint16(at);
  return [types[type] ?? `TYPE${type}`, labels.join(".") || "."];
}
