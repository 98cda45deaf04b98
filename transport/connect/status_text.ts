/** Readable messages for the library errors that nodes return. */

interface ReadableStatus {
  readonly message: string;
  /** Next step for the user, if known. */
  readonly hint?: string;
}

const dialHint =
  "Check that the node is up and that the endpoint can reach it; diagnose it with: osctl doctor connect";

const strangerHint =
  "The node waits for a configuration or belongs to another cluster; if it waits: osctl apply-config --insecure";

const refusedHint =
  "A CA may have been rotated on one of them only; name the node itself as endpoint with -e, and check its CAs and clock with: osctl doctor connect";

/** TLS alerts of nodes that refuse the certificate of an endpoint, by their texts in Go. */
const refused = /remote error: tls: (.*certificate.*)/;

const refusals: Readonly<Record<string, string>> = {
  "unknown certificate authority": "it is from another CA",
  "unknown certificate": "it is from another CA",
  "expired certificate": "it has expired, or the clock of the node is wrong",
  "certificate required": "it sent none",
};

/** Reasons for unreachable nodes, by the messages of gRPC libraries, and hints other than {@linkcode dialHint}. */
const dialReasons:
  readonly (readonly [pattern: RegExp, reason: string, hint?: string])[] = [
    [/no such host|server misbehaving/, "the name cannot be resolved"],
    [/connection refused/, "connection refused"],
    [/no route to host/, "no route to host"],
    [/network is unreachable/, "no route to network"],
    [/i\/o timeout|deadline exceeded|timed out/, "no answer"],
    [/connection reset|broken pipe|EOF/, "the connection was closed"],
    [
      /has expired or is not yet valid|certificate has expired/,
      "the certificate of the node has expired, or its clock is wrong",
      "Check the clocks of node and endpoint with: osctl time; with the right time, a node renews its certificate itself, a worker only while it reaches trustd on a control plane (port 50001)",
    ],
    [
      /unknown authority/,
      "the certificate of the node is from another CA",
      strangerHint,
    ],
    [
      /certificate is (?:not )?valid for|doesn't contain any IP SANs|not valid for any names/,
      "the certificate of the node is for other names",
    ],
    [/handshake/, "the TLS handshake failed"],
  ];

/** Hint for a connection that was lost during a call. */
export const lostHint =
  "Try again; if it is lost again, diagnose it with: osctl doctor connect";

/** Hint for a node that the endpoint does not know. */
export const namesHint = "See names and addresses with: osctl get members";

/** Makes the message of a status readable. */
export function readableStatus(text: string): ReadableStatus {
  const own = text.replaceAll(/rpc error: code = \w+ desc = /g, "");
  const unresolved =
    /name resolver error: produced zero addresses|dns: A record lookup error: .*/;
  if (unresolved.test(own)) {
    return {
      message: own.replace(
        unresolved,
        "cannot connect: no such node",
      ),
      hint: namesHint,
    };
  }
  const dial =
    /(?:connection error: desc = |last connection error: )?"?(?:transport: |error reading server preface: )(?:Error while dialing:? ?|authentication handshake failed:? ?)?(?:dial tcp (\S+?): )?([^"]*)"?/;
  const [found, address, why = ""] = dial.exec(own) ?? [];
  if (found !== undefined) {
    const [, alert] = refused.exec(why) ?? [];
    if (alert !== undefined) {
      const refusal =
        "the node does not accept the certificate of the endpoint";
      const reason = refusals[alert];
      return {
        message: own.replace(
          found,
          `cannot connect: ${refusal}${reason ? `: ${reason}` : ""}`,
        ),
        hint: refusedHint,
      };
    }
    const [, reason = "the connection failed", hint = dialHint] =
      dialReasons.find(([pattern]) => pattern.test(`${found} ${why}`)) ?? [];
    const target = address === undefined ? "" : ` to ${address}`;
    return {
      message: own.replace(found, `cannot connect${target}: ${reason}`),
      hint,
    };
  }
  const lost =
    /^(?:error reading from server: .*|transport is closing|the client connection is closing|server closed the stream without sending trailers|.*received prior goaway.*|unexpected EOF|EOF)$/;
  if (lost.test(own)) {
    return { message: "the connection was lost", hint: lostHint };
  }
  return {
    message: own.replace(
      /^log (".*") was not registered$/,
      "no log named $1",
    ).replaceAll(
      /\bcontext deadline exceeded\b/g,
      "no answer in time",
    ).replaceAll(/\bcontext canceled\b/g, "the call was canceled"),
  };
}

/** Start of a diff: after the word "diff", or at a diff line. */
const diffStart = /\bdiff\b[^\n:]*:|^(?:---|\+\+\+|@@|[-+])/im;

/** A line of YAML with a value: indent, key and value. */
const yamlLine =
  /^([ \t]*(?:- )*["']?(?!diff:)[A-Za-z_][\w./-]*["']?[ \t]*:[ \t]+)(\S.*)$/;

/** A YAML list item; lists in messages of nodes use other bullets. */
const yamlItem = /^[ \t]+- \S/;

/** Start of data within a line: objects in JSON, YAML and Go syntax, and quoted lines. */
const inlineStart =
  /(?:\{|\bmap\[)\s*\\?"?[A-Za-z_][\w.-]*\\?"?\s*:|\\n\s*(?:[-+]|[\w./-]+:)/;

/** A single YAML line: indent, quote and key, and the value. */
const lineAlone =
  /^((\s*(?:- )?)(["']?)([A-Za-z_][\w./-]*)\3[ \t]*:[ \t]+)(\S.*)$/;

const quotedLine =
  /(\\?["'`])(\s*(?:- )?([A-Za-z_][\w./-]*):[ \t]+)((?!\1)\S(?:(?!\1).)*)(?=\1)/g;

/** Words before a colon in error messages, and endings of messages. */
const saidBefore =
  /^(?:desc|err(?:or)?|etcd\w*|exec|fatal|grpc|hint|http|io|json|last|line|note|reason|rpc|stage|stat(?:e|us)|timeout|tls|transport|usage|warning|x509|yaml)$/i;
const saidAfter =
  /^(?:EOF|canceled|denied|failed|forbidden|no|none|ok|timeout|unavailable|unhealthy|unknown|yes|\d{1,3}m?s?)\.?$/i;

/**
 * Removes quoted configuration from a message of a node: its secrets are unknown if this process has not read it. YAML
 * keys are kept, to locate the error; diffs and objects are removed. A single line counts as YAML if it is unlikely in
 * an error message: an indented or quoted key, a key that may hold a secret, a one-word value.
 */
export function withoutQuotes(text: string): string {
  return withoutSecrets(withoutYaml(text));
}

function withoutYaml(text: string): string {
  const typed = text.replaceAll(
    /(!!\w+ )`([^`]*)`/g,
    (_, tag, value) => `${tag}${maskText(value)}`,
  ).replaceAll(
    quotedLine,
    (found, quote, front, key, value) =>
      isQuoted(key, value) ? `${quote}${front}${maskText(value)}` : found,
  );
  const [, front, indent, quote, key = "", value = ""] =
    lineAlone.exec(typed.trimEnd()) ?? [];
  if (front !== undefined) {
    const isData = indent !== "" || quote !== "" || isQuoted(key, value);
    if (!isData || isHidden(value) || saidBefore.test(key)) return typed;
    return front + maskText(value) + typed.slice(typed.trimEnd().length);
  }
  const yaml = yamlStart(typed);
  const named = diffStart.exec(typed);
  const diff = named === null
    ? -1
    : named.index + (named[0].endsWith(":") ? named[0].length : 0);
  const inline = inlineStart.exec(typed)?.index ?? -1;
  const found = [diff, inline].filter((at) => at >= 0);
  if (found.length === 0) {
    if (yaml < 0) return typed;
    return typed.slice(0, yaml) +
      typed.slice(yaml).split("\n").map(withoutValue).join("\n");
  }
  const at = Math.min(...found, ...yaml < 0 ? [] : [yaml]);
  const before = typed.slice(0, at);
  const rest = typed.slice(at).trim();
  if (rest === "" || rest === "No changes." || isHidden(rest)) return typed;
  const gap = before === "" ? "" : at === inline ? " " : "\n";
  return `${before.trimEnd()}${gap}${maskText(rest)}`;
}

/** True if a key and value are configuration, not part of an error message. */
function isQuoted(key: string, value: string): boolean {
  if (isHidden(value) || saidBefore.test(key)) return false;
  return secretKey.test(key) ||
    !/\s/.test(value.trim()) && !saidAfter.test(value.trim());
}

/** Names of fields, variables and flags that hold secrets. */
export const secretKey =
  /pass(?:word|wd|phrase)|token|secret|credential|(?:private|preshared|api|access)[_-]?key|authorization|(?:^|[_.-])auth$/i;

/** A YAML line with a secret: prefix and value. The length of names is bounded, since node input is untrusted. */
const secretLine = new RegExp(
  `^([ \\t]*(?:- )?[\\w.-]{0,64}(?:${secretKey.source})\\w{0,64}:[ \\t]+)(\\S.*)$`,
  "gim",
);

/** A secret and its value outside of YAML lines: up to the closing quote, or to a space. */
const secretValue =
  /(?<=^|[^\w.-])(?<open>\\?["'])?(?<name>[\w.-]{0,64}(?:pass(?:word|wd|phrase)|token|secret|credential|key|auth)\w{0,64})(?:\\?["'])?(?<mark>[ \t]*[:=][ \t]*|[ ])(?:(?<quote>\\?["'`])(?<inner>(?:(?!\k<quote>).)*)\k<quote>?|(?<word>(?:(?:Bearer|Basic) )?[^\s"'`,;&})\]]+))(?=(?<next> [a-z])?)/gim;

/** Quick check whether {@linkcode withoutSecrets} may change a text. */
export function maySaySecrets(text: string): boolean {
  return /toke|pass|secr|cred|[a-z_-]key|auth/i.test(text);
}

/**
 * Redacts values with the name of a secret in a text of a node: `token: x`, `PASSWORD=x`, `"apiKey":"x"`.
 *
 * @param text Log lines or a message; the configuration it refers to may be unknown.
 * @returns The same text if there is nothing to redact.
 */
export function withoutSecrets(text: string): string {
  if (!maySaySecrets(text)) return text;
  return text.replace(
    secretLine,
    (line, front, value) =>
      isHarmless(value) || /^\\?["'`]/.test(value)
        ? line
        : front + maskText(value),
  ).replace(secretValue, (...found) => {
    const all: string = found[0];
    // The last argument of a replacer function holds the named groups.
    const { open = "", name, mark, quote, inner, word, next } = found.at(
      -1,
    ) as Readonly<Record<string, string | undefined>> & { name: string };
    const value = inner ?? word ?? "";
    if (isShown(name, mark, value, next !== undefined)) return all;
    if (quote === undefined) {
      // JSON needs a quoted placeholder for a number.
      const around = mark === "=" ? "" : open;
      const front = all.slice(0, all.length - value.length);
      return front + around + maskText(value) + around;
    }
    const isClosed = all.length > quote.length && all.endsWith(quote);
    const rest = value.length + (isClosed ? quote.length : 0);
    const front = all.slice(0, all.length - rest);
    return front + maskText(value) + (isClosed ? quote : "");
  });
}

/** True if a match by name is not a secret. */
function isShown(
  name: string,
  mark: string | undefined,
  value: string,
  continues: boolean,
): boolean {
  // Only a flag is separated from its value by a space.
  if (mark === " " && !name.startsWith("--")) return true;
  const isProse = continues && mark !== "=" && /^[a-z]{2,}$/.test(value);
  const isGoType = /^v\d\w*\.\w+$/.test(name);
  const isKubernetesName = /secrets?$/i.test(name) &&
    /^[a-z0-9.-]+\/[a-z0-9.-]+$/.test(value);
  return !secretKey.test(name) || isHarmless(value) || isProse || isGoType ||
    isKubernetesName;
}

/** Values without information, and nested matches. */
function isHarmless(value: string): boolean {
  return /^(?:|\**|null|nil|<nil>|true|false|none|\d{1,3}|[{[|>].*|\(redacted.*)$/
    .test(value);
}

/** Offset of YAML, or -1; a single line may be any message. */
function yamlStart(text: string): number {
  const lines = text.split("\n");
  const found = lines.findIndex((line, index) =>
    index > 0 && (yamlLine.test(line) || yamlItem.test(line))
  );
  if (found < 0) return -1;
  const first = yamlLine.test(lines[0] ?? "") ? 0 : found;
  return lines.slice(0, first).join("\n").length + (first === 0 ? 0 : 1);
}

function withoutValue(line: string): string {
  const [, key, value = ""] = yamlLine.exec(line) ?? [];
  if (key !== undefined) {
    return isHidden(value) ? line : `${key}${maskText(value)}`;
  }
  const [, indent = "", rest = ""] = /^(\s*)(.*)$/.exec(line) ?? [];
  const isPlain = rest === "" || isHidden(rest) || /^[\w./-]+:$/.test(rest);
  return isPlain ? line : `${indent}${maskText(rest)}`;
}

function maskText(text: string): string {
  const { length } = [...text];
  return `(redacted, ${length} ${length === 1 ? "character" : "characters"})`;
}

function isHidden(text: string): boolean {
  return /^\(redacted, \d+ characters?\)$/.test(text);
}

/** Roles that may call a method, weakest first; any other method needs `os:admin`. Source: the rules of Talos apid. */
const roleMethods: readonly (readonly [roles: string, methods: string])[] = [
  [
    "os:reader",
    "HealthCheck ControllerRuntimeDependencies Disks Time TimeCheck Get List Watch Verify CPUFreqStats CPUInfo Containers DiskStats DiskUsage Dmesg Events Hostname ImageList LoadAvg Logs LogsContainers Memory Mounts Netstat NetworkDeviceStats Processes ServiceList Stats SystemStat Version EtcdAlarmList EtcdMemberList EtcdStatus",
  ],
  ["os:etcd:backup", "EtcdSnapshot"],
  [
    "os:operator",
    "Pull EtcdAlarmDisarm EtcdDefragment ImagePull PacketCapture Reboot Restart ServiceRestart ServiceStart ServiceStop Shutdown",
  ],
];

/**
 * Returns the weakest role that may call a method.
 *
 * @param path HTTP/2 path of the method: `/machine.MachineService/Version`.
 */
export function neededRole(path: string): string {
  const method = path.slice(path.lastIndexOf("/") + 1);
  const found = roleMethods.find(([, methods]) =>
    methods.split(" ").includes(method)
  );
  return found?.[0] ?? "os:admin";
}
