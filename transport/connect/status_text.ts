/** What nodes answer in the words of their libraries, in words for people. */

/** What was answered, as it can be read. */
export interface ReadableStatus {
  /** Text without words of a library. */
  readonly message: string;
  /** What to try next, where the text says enough to know. */
  readonly hint?: string;
}

/** Why a node could not be reached, as the libraries of an endpoint say it. */
const dialReasons: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/no such host|server misbehaving/, "the name is unknown"],
  [/connection refused/, "connection refused"],
  [/no route to host/, "no route to host"],
  [/network is unreachable/, "no route to network"],
  [/i\/o timeout|deadline exceeded|timed out/, "no answer"],
  [/connection reset|broken pipe|EOF/, "the connection was closed"],
  [
    /has expired or is not yet valid|certificate has expired/,
    "the certificate of the node has expired, or its clock is wrong",
  ],
  [/unknown authority/, "the certificate of the node is from another CA"],
  [
    /certificate is (?:not )?valid for|doesn't contain any IP SANs|not valid for any names/,
    "the certificate of the node is for other names",
  ],
  [
    /bad certificate|certificate required/,
    "the node does not accept the certificate of the endpoint",
  ],
  [/handshake/, "the TLS handshake failed"],
];

const dialHint =
  "Check that the node is up and that the endpoint can reach it; diagnose it with: osctl doctor connect";

/** Puts the text of a status, as sent, into words. */
export function readableStatus(text: string): ReadableStatus {
  const own = text.replaceAll(/rpc error: code = \w+ desc = /g, "");
  if (/name resolver error: produced zero addresses/.test(own)) {
    return {
      message: own.replace(
        /name resolver error: produced zero addresses/,
        "cannot connect: the endpoint does not know this name",
      ),
      hint: "See names and addresses with: osctl get members",
    };
  }
  const dial =
    /(?:connection error: desc = |last connection error: )?"?transport: (?:Error while dialing:? ?|authentication handshake failed:? ?)?(?:dial tcp (\S+?): )?([^"]*)"?/;
  const [found, address, why = ""] = dial.exec(own) ?? [];
  if (found !== undefined) {
    const [, reason = "the connection failed"] = dialReasons.find(([pattern]) =>
      pattern.test(`${found} ${why}`)
    ) ?? [];
    const target = address === undefined ? "" : ` to ${address}`;
    return {
      message: own.replace(found, `cannot connect${target}: ${reason}`),
      hint: dialHint,
    };
  }
  const lost =
    /^(?:error reading from server: .*|transport is closing|the client connection is closing|server closed the stream without sending trailers|.*received prior goaway.*|unexpected EOF|EOF)$/;
  if (lost.test(own)) {
    return { message: "the connection was lost" };
  }
  return {
    message: own.replaceAll(
      /\bcontext deadline exceeded\b/g,
      "no answer in time",
    ).replaceAll(/\bcontext canceled\b/g, "the call was canceled"),
  };
}

/** Where a diff begins: behind a word that says so, or with a line of one. */
const diffStart = /\bdiff\b[^\n:]*:|^(?:---|\+\+\+|@@|[-+])/im;

/** A line of YAML with a value: indent, key and value. */
const yamlLine =
  /^([ \t]*(?:- )*["']?(?!diff:)[A-Za-z_][\w./-]*["']?[ \t]*:[ \t]+)(\S.*)$/;

/** An item of a list in YAML; lists in messages of nodes have other marks. */
const yamlItem = /^[ \t]+- \S/;

/** What is data inside of a line: objects as JSON, YAML and Go write them, and quoted lines. */
const inlineStart =
  /(?:\{|\bmap\[)\s*\\?"?[A-Za-z_][\w.-]*\\?"?\s*:|\\n\s*(?:[-+]|[\w./-]+:)/;

/**
 * A text of a node without what it quotes of a configuration: nobody may have read that here, so its secrets are not
 * known. Of YAML the keys stay, which say where a mistake is; of diffs and objects nothing.
 */
export function withoutQuotes(text: string): string {
  const typed = text.replaceAll(
    /(!!\w+ )`([^`]*)`/g,
    (_, tag, value) => `${tag}${hidden(value)}`,
  );
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
  return `${before.trimEnd()}${gap}${hidden(rest)}`;
}

/** Where YAML begins, or -1; one line by itself may be any message. */
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
    return isHidden(value) ? line : `${key}${hidden(value)}`;
  }
  const [, indent = "", rest = ""] = /^(\s*)(.*)$/.exec(line) ?? [];
  const isPlain = rest === "" || isHidden(rest) || /^[\w./-]+:$/.test(rest);
  return isPlain ? line : `${indent}${hidden(rest)}`;
}

function hidden(text: string): string {
  const { length } = [...text];
  return `(redacted, ${length} ${length === 1 ? "character" : "characters"})`;
}

function isHidden(text: string): boolean {
  return /^\(redacted, \d+ characters?\)$/.test(text);
}

/** Roles that may call a method, weakest first; any other method needs `os:admin`. Source: the table of the nodes. */
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
 * The weakest role that may call a method.
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
