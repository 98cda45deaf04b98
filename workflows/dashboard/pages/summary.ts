import { formatCount } from "../../../lib/text/count.ts";
import { tunnelName } from "../../../talos.ts";
import type { ScreenLine, ScreenStyle } from "../../../terminal/screen_line.ts";
import { logTone, stateTone } from "../../../terminal/tone.ts";
import type { Spec } from "../../../transport/node/read_resource.ts";
import type { DashboardData, Feed, Need } from "../feed.ts";
import {
  conditionStyle,
  conditionText,
  etcd,
  formatValue,
  health,
  kernelLog,
  logTail,
  readSpec,
  type ResourceMap,
  resources,
  services,
  type ServiceState,
  specsIn,
} from "../feeds/all.ts";
import { etcdAttention } from "./etcd.ts";
import { type Fact, factBlocks, problemLines, textRows } from "./layout.ts";
import { networkFacts, networkFeeds } from "./network.ts";
import type { Page, PageContext } from "./page.ts";
import { stripTime } from "./text_rows.ts";

const feeds = {
  security: resources("runtime", "SecurityStates", "securitystate"),
  type: resources("config", "MachineTypes.config", "machine-type"),
  kubelet: resources("k8s", "KubeletSpecs.kubernetes", "kubelet"),
  system: resources(
    "hardware",
    "SystemInformations.hardware",
    "systeminformation",
  ),
  cluster: resources("cluster", "Infos.cluster", "current"),
  members: resources("cluster", "Members.cluster"),
  pods: resources("k8s", "StaticPodStatuses.kubernetes"),
  tunnel: resources(
    "config",
    `${tunnelName}Statuses`,
    `${tunnelName.toLowerCase()}-status`,
  ),
  diagnostics: resources("runtime", "Diagnostics.runtime"),
} satisfies Readonly<Record<string, Feed<ResourceMap>>>;

/** Minimum number of lines for the end of the kernel log. */
const leastLog = 5;

/** From this width, there is room for the time stamps of the kernel log. */
const wide = 110;

/** Overview of one node. */
export const summaryPage: Page = {
  name: "Summary",
  text: "the node: versions, Kubernetes, stage, addresses, diagnostics",
  keys: ["f1", "1"],
  needs: ({ node, data }): readonly Need[] =>
    [
      ...runsEtcd(data, node) ? [etcd] : [],
      services,
      logTail(kernelLog),
      ...networkFeeds,
      ...Object.values(feeds),
    ].map((feed) => ({ node, feed })),
  draw(context) {
    const { size, data, node } = context;
    const { problem: reason, value: before } = data.of(node, health);
    const above = [
      ...problemLines(
        reason && before ? `${reason}; below is the last known state` : reason,
      ),
      ...etcdAttention(data, runsEtcd(data, node) ? node : undefined),
      ...factBlocks(listBlocks(context), size.columns),
      ...unmetLines(context),
      ...diagnosticLines(context),
      ...serviceLines(data.of(node, services).value ?? [], size.columns),
      [{ text: "Kernel log", style: "title" }] as const,
    ];
    const room = Math.max(leastLog, size.rows - above.length);
    const { value, problem } = data.of(node, logTail(kernelLog));
    const log = (value?.lines ?? []).slice(-room)
      .map((line) => {
        const text = size.columns < wide ? stripTime(line) : line;
        return [{ text, style: logTone(line) }];
      });
    return {
      head: [],
      rows: textRows([
        ...above,
        ...log,
        ...problemLines(problem),
      ]),
      kind: "text",
    };
  },
};

function runsEtcd(data: DashboardData, node: string): boolean {
  return data.of(node, health).value?.role === "controlplane";
}

function first(
  { data, node }: PageContext,
  feed: Feed<ResourceMap>,
): Spec | undefined {
  return [...specsIn(data, node, feed).values()][0];
}

function listBlocks(context: PageContext): readonly (readonly Fact[])[] {
  return [
    machineFacts(context),
    kubernetesFacts(context),
    networkFacts(context),
  ];
}

function machineFacts(context: PageContext): readonly Fact[] {
  const { data, node } = context;
  const reading = data.of(node, health);
  const members = data.of(node, feeds.members).value?.size ?? 0;
  const name = formatValue(first(context, feeds.cluster)?.clusterName);
  const tunnel = first(context, feeds.tunnel);
  const { value } = reading;
  return [
    ["UUID", formatValue(first(context, feeds.system)?.uuid) || "n/a"],
    [
      "CLUSTER",
      `${name || "n/a"} (${formatCount(members, "machine")})`,
    ],
    ["STAGE", conditionText(reading), conditionStyle(reading)],
    [
      "READY",
      ...value === undefined || reading.problem !== undefined
        ? ["n/a"] as const
        : value.ready
        ? ["yes", "good"] as const
        : ["no", "bad"] as const,
    ],
    ["SECUREBOOT", yesNo(first(context, feeds.security)?.secureBoot)],
    ...tunnel === undefined ? [] : [
      [
        "OSLINK",
        `${formatValue(tunnel.host)} ${
          tunnel.connected ? "connected" : "down"
        }`,
        tunnel.connected ? "good" : "bad",
      ] as const,
    ],
  ];
}

function kubernetesFacts(context: PageContext): readonly Fact[] {
  const { data, node } = context;
  const image = formatValue(first(context, feeds.kubelet)?.image);
  const state = data.of(node, services).value
    ?.find(({ id }) => id === "kubelet");
  return [
    ["TYPE", formatType(data, node) || "n/a"],
    ["KUBERNETES", image.slice(image.lastIndexOf(":") + 1) || "n/a"],
    ["KUBELET", ...formatState(state)],
    ...podFacts(context),
  ];
}

function formatType(data: DashboardData, node: string): string {
  const [resource] = data.of(node, feeds.type).value?.values() ?? [];
  const type = resource && readSpec(resource);
  return typeof type === "string" ? type : "";
}

const controlPlanePods = [
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
];

function podFacts({ data, node }: PageContext): readonly Fact[] {
  const pods = specsIn(data, node, feeds.pods);
  return controlPlanePods.flatMap((name): readonly Fact[] => {
    const found = [...pods].find(([id]) => id.includes(name));
    if (found === undefined) return [];
    const conditions = found[1].conditions;
    const ready = Array.isArray(conditions) &&
      conditions.some((one) => one?.type === "Ready" && one.status === "True");
    return [[
      name.replace("kube-", "").toUpperCase(),
      ready ? "healthy" : "not ready",
      ready ? "good" : "bad",
    ]];
  });
}

function formatState(
  state: ServiceState | undefined,
): readonly [string, (ScreenStyle | undefined)?] {
  if (state === undefined) return ["n/a"];
  if (state.isHealthy === false) return ["unhealthy", "bad"];
  const text = state.isHealthy ? "healthy" : state.state.toLowerCase();
  return [text, stateTone(text)];
}

function yesNo(value: unknown): string {
  return value === undefined ? "n/a" : value === true ? "yes" : "no";
}

/** Unmet conditions, as reported by the node. */
function unmetLines({ data, node }: PageContext): readonly ScreenLine[] {
  const { value } = data.of(node, health);
  return (value?.unmet ?? []).flatMap((text) =>
    problemLines(`Not ready: ${text}`)
  );
}

function diagnosticLines({ data, node }: PageContext): readonly ScreenLine[] {
  const lines = [...specsIn(data, node, feeds.diagnostics)]
    .flatMap(([id, { message, details }]) => [
      [
        { text: `${id}: `, style: "title" },
        { text: formatValue(message), style: "bad" },
      ] as const,
      ...(Array.isArray(details) ? details : [])
        .map((detail) => `  ${String(detail)}`),
    ]);
  if (lines.length === 0) return [];
  return [[{ text: "Diagnostics", style: "title" }], ...lines];
}

/** Services in as few lines as possible; unhealthy ones are coloured. */
function serviceLines(
  all: readonly ServiceState[],
  width: number,
): readonly ScreenLine[] {
  const parts = all.map((service) => {
    const [text, style] = formatState(service);
    return { text: `${service.id} ${text}`, style };
  });
  const lines: { text: string; style?: ScreenStyle | undefined }[][] = [];
  let used = Infinity;
  for (const part of parts) {
    if (used + part.text.length > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(part, { text: "  " });
    used += part.text.length + 2;
  }
  if (lines.length === 0) return [];
  return [[{ text: "Services", style: "title" }], ...lines];
}
