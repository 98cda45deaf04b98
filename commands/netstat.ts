import { OsctlError, UsageError } from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { single } from "../transport/call/reply.ts";
import { readContainers } from "../transport/node/containers.ts";
import {
  type ConnectRecord,
  ConnectRecord_State,
  ConnectRecord_TimerActive,
  NetstatRequest_Filter as Filter,
} from "../transport/gen/machine_system.ts";
import { enumName } from "../transport/node/enum_name.ts";
import {
  type ColumnSpec,
  type Command,
  optionalWord,
  table,
  toggle,
  type Values,
  type View,
} from "./_kit/mod.ts";

/** A socket of a node. Source: `MachineService.Netstat`. */
interface NetstatRow {
  readonly node: string;
  /** Protocol: `tcp`, `tcp6`, `udp`, `udp6`, `udplite`, `udplite6`, `raw`, `raw6`. */
  readonly protocol: string;
  /** Bytes received but not yet read by the program. */
  readonly receiveQueue: number;
  /** Bytes sent but not yet acknowledged. */
  readonly sendQueue: number;
  readonly localAddress: string;
  readonly localPort: number;
  /** Remote IP address; unspecified if there is none. */
  readonly foreignAddress: string;
  /** Remote port, 0 if there is none. */
  readonly foreignPort: number;
  /** State such as `ESTABLISHED` or `LISTEN`; empty if the protocol has none. */
  readonly state: string;
  readonly uid: number;
  readonly inode: number;
  /** PID, with `--programs`; 0 if unknown. */
  readonly pid: number;
  readonly program: string;
  /** Pod as `namespace/pod`, with `--pods` or for a named pod; else empty. */
  readonly pod: string;
  /** Network namespace; empty for the host's. */
  readonly networkNamespace: string;
  /** Running timer: `off`, `on`, `keepalive`, `timewait`, `probe`. */
  readonly timer: string;
  /** Remaining time of the timer, in seconds. */
  readonly timerLeft: number;
  /** Number of retransmissions of the last data. */
  readonly retransmits: number;
  readonly timeouts: number;
}

const inputs = {
  pod: optionalWord("pod, as namespace/pod; default the host"),
  all: toggle("show sockets in all states; default only connected ones", {
    short: "a",
  }),
  extend: toggle("show the user and inode of each socket", { short: "x" }),
  ipv4: toggle("only IPv4 sockets", { short: "4" }),
  ipv6: toggle("only IPv6 sockets", { short: "6" }),
  listening: toggle("show listening sockets", { short: "l" }),
  pods: toggle("also show the sockets of all pods", { short: "k" }),
  programs: toggle("show the program that uses each socket", { short: "p" }),
  raw: toggle("only raw sockets", { short: "w" }),
  tcp: toggle("only TCP sockets", { short: "t" }),
  timers: toggle("show timers", { short: "o" }),
  udp: toggle("only UDP sockets", { short: "u" }),
  udplite: toggle("only UDPLite sockets", { short: "U" }),
  verbose: toggle("show all protocols", { short: "v" }),
};

type NetstatInputs = Values<typeof inputs>;

export const command = {
  summary: "Show network connections and sockets",
  description:
    `Without protocol flags, shows TCP and UDP sockets. With a pod, shows only the sockets of that pod, which must not use
the host network.

Here -o is --timers; use --output for the format.`,
  aliases: ["ss"],
  inputs,
  examples: [
    "netstat --all --programs --nodes 10.0.0.2",
    "netstat -tlp --nodes @controlplane",
    "netstat -ak kube-system/coredns-7d8f9c5b6d-x7x2j",
  ],
  view,
  async *run({ input, nodes }) {
    const pod = findPod(input);
    let isFound = pod === undefined;
    const answers = nodes.stream(async function* (client) {
      const needsPods = input.pods || pod !== undefined;
      const pods = needsPods ? await podNetworks(client) : new Map();
      const netns = [...pods].filter(([, id]) => id === pod)
        .map(([netns]) => netns);
      if (pod !== undefined && netns.length === 0) return;
      isFound = true;
      const { messages } = await client.machine.netstat({
        ...listProtocols(input),
        netns: {
          allnetns: input.pods,
          hostnetwork: pod === undefined,
          netns,
        },
      });
      for (const record of single(messages).connectrecord) {
        yield toRow(client.node, record, pods);
      }
    });
    for await (const { value } of answers) yield value;
    if (!isFound) {
      throw new OsctlError(
        `Pod "${pod}" is not on these nodes, or uses the host network`,
        { hint: 'List pods with "osctl containers --kubernetes"' },
      );
    }
  },
} satisfies Command<NetstatRow, NetstatInputs>;

/** The named pod, in lower case like all pod names. */
function findPod({ pod, pods }: NetstatInputs): string | undefined {
  if (pod === undefined) return undefined;
  if (!/^[^/]+\/[^/]+$/.test(pod)) {
    throw new UsageError(`"${pod}" is not a pod`, {
      hint:
        "Write namespace/pod; for the output format, --output (-o is --timers)",
    });
  }
  if (pods) {
    throw new UsageError("Flag --pods and a pod cannot be combined", {
      hint: "Use only one of them",
    });
  }
  return pod.toLowerCase();
}

async function podNetworks(
  client: NodeClient,
): Promise<ReadonlyMap<string, string>> {
  return new Map(
    (await readContainers(client, true))
      .filter(({ id, podId, pid, networkNamespace }) =>
        id === podId && pid !== 0 && networkNamespace !== ""
      )
      .map(({ networkNamespace, id }) => [networkNamespace, id]),
  );
}

function listProtocols(input: NetstatInputs) {
  const { tcp, udp, udplite, raw, verbose, ipv4, ipv6, programs } = input;
  const isAny = !(tcp || udp || udplite || raw);
  const wanted = {
    tcp: tcp || verbose || isAny,
    udp: udp || verbose || isAny,
    udplite: udplite || verbose,
    raw: raw || verbose,
  };
  const four = ipv4 || !ipv6;
  const six = ipv6 || !ipv4;
  return {
    feature: { pid: programs },
    filter: input.all
      ? Filter.ALL
      : input.listening
      ? Filter.LISTENING
      : Filter.CONNECTED,
    l4proto: {
      tcp: wanted.tcp && four,
      tcp6: wanted.tcp && six,
      udp: wanted.udp && four,
      udp6: wanted.udp && six,
      udplite: wanted.udplite && four,
      udplite6: wanted.udplite && six,
      raw: wanted.raw && four,
      raw6: wanted.raw && six,
    },
  };
}

function toRow(
  node: string,
  record: ConnectRecord,
  pods: ReadonlyMap<string, string>,
): NetstatRow {
  const isClosed = record.state === ConnectRecord_State.CLOSE;
  return {
    node,
    protocol: record.l4proto,
    receiveQueue: Number(record.rxqueue),
    sendQueue: Number(record.txqueue),
    localAddress: record.localip,
    localPort: record.localport,
    foreignAddress: record.remoteip,
    foreignPort: record.remoteport,
    // An unconnected UDP socket; no TCP socket is listed in this state.
    state: isClosed ? "" : enumName(ConnectRecord_State, record.state),
    uid: record.uid,
    inode: Number(record.inode),
    pid: record.process?.pid ?? 0,
    program: record.process?.name ?? "",
    pod: pods.get(record.netns) ?? "",
    networkNamespace: record.netns,
    timer: enumName(ConnectRecord_TimerActive, record.tr).toLowerCase(),
    timerLeft: Number(record.timerwhen) / 100,
    retransmits: Number(record.retrnsmt),
    timeouts: Number(record.timeout),
  };
}

function view(input: NetstatInputs): View<NetstatRow> {
  return table({
    // A pod runs on a single node.
    ...input.pod === undefined && {
      NODE: { cell: (row: NetstatRow) => row.node, name: true },
    },
    Proto: { cell: (row) => row.protocol, priority: 2 },
    "Recv-Q": { cell: (row) => String(row.receiveQueue), priority: 6 },
    "Send-Q": { cell: (row) => String(row.sendQueue), priority: 7 },
    "Local Address": {
      cell: (row) => `${row.localAddress}:${row.localPort}`,
      name: true,
    },
    // Listening sockets have none.
    "Foreign Address": {
      cell: ({ foreignAddress, foreignPort }) =>
        `${foreignAddress}:${foreignPort || "*"}`,
      ...input.listening && !input.all ? { priority: 8 } : { name: true },
    },
    State: { cell: (row) => row.state, priority: 1 },
    ...input.extend && {
      Uid: extraColumn((row) => String(row.uid)),
      Inode: extraColumn((row) => String(row.inode)),
    },
    ...input.programs && {
      "PID/Program name": extraColumn(({ pid, program }) =>
        pid === 0 ? "-" : `${pid}/${program}`
      ),
    },
    ...input.pods && { Pod: extraColumn((row) => row.pod || "-") },
    ...input.timers && {
      Timer: extraColumn((row) =>
        `${row.timer} (${
          row.timerLeft.toFixed(2)
        }/${row.retransmits}/${row.timeouts})`
      ),
    },
  });
}

function extraColumn(
  cell: (row: NetstatRow) => string,
): ColumnSpec<NetstatRow> {
  return { cell, priority: 0 };
}
