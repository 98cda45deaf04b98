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
