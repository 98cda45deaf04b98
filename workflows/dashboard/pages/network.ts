/** Network configuration of a node; also available in maintenance mode. */

import type { Feed } from "../feed.ts";
import type { Spec } from "../../../transport/node/read_resource.ts";
import { formatValue, health } from "../feeds/all.ts";
import { type ResourceMap, resources, specsIn } from "../feeds/all.ts";
import {
  type Fact,
  factBlocks,
  type ScreenColumn,
  tableLines,
  textRows,
} from "./layout.ts";
import type { Page, PageContext } from "./page.ts";

const feeds = {
  hostname: resources("network", "HostnameStatuses.net", "hostname"),
  addresses: resources("network", "NodeAddresses.net"),
  status: resources("network", "NetworkStatuses.net", "status"),
  resolvers: resources("network", "ResolverStatuses.net", "resolvers"),
  timeServers: resources("network", "TimeServerStatuses.net", "timeservers"),
  routes: resources("network", "RouteStatuses.net"),
};

const links = resources("network", "LinkStatuses.net");
const linkAddresses = resources("network", "AddressStatuses.net");
const meta = resources("runtime", "MetaKeys.runtime");

/** Feeds for {@linkcode networkFacts}. */
export const networkFeeds: readonly Feed<ResourceMap>[] = Object.values(feeds);

/** Key under which a node stores the network configuration of its boot. */
const networkKey = "0x0a";

/** Host name, addresses, gateways, resolvers and time servers of a node. */
export function networkFacts({ data, node }: PageContext): readonly Fact[] {
  const only = (name: keyof typeof feeds) =>
    [...specsIn(data, node, feeds[name]).values()][0];
  const addresses = specsIn(data, node, feeds.addresses);
  const own = addresses.get("routed-no-k8s") ?? addresses.get("routed");
  const gateways = [...specsIn(data, node, feeds.routes).values()]
    .filter(({ dst, gateway }) => !formatValue(dst) && formatValue(gateway))
    .map(({ gateway }) => formatValue(gateway));
  const status = only("status");
  const isOnline = status !== undefined &&
    Object.values(status).every((part) => part === true);
  return [
    ["HOST", formatValue(only("hostname")?.hostname) || "n/a"],
    ["IP", formatList(own?.addresses)],
    ["GW", [...new Set(gateways)].join(", ") || "n/a"],
    [
      "CONNECTIVITY",
      ...status === undefined
        ? ["n/a"] as const
        : isOnline
        ? ["OK", "good"] as const
        : ["FAILED", "bad"] as const,
    ],
    ["DNS", formatList(only("resolvers")?.dnsServers)],
    ["NTP", formatList(only("timeServers")?.timeServers)],
  ];
}

function formatList(value: unknown): string {
  if (!Array.isArray(value)) return "n/a";
  return value.map(String).join(", ") || "<none>";
}

type Entry = readonly [id: string, spec: Spec];

const linkColumns: readonly ScreenColumn<Entry>[] = [
  { header: "LINK", cell: ([id]) => id, priority: 0 },
  {
    header: "STATE",
    cell: ([, { operationalState }]) => formatValue(operationalState),
    style: ([, { operationalState }]) =>
      operationalState === "up" ? "good" : undefined,
    priority: 1,
  },
  { header: "TYPE", cell: ([, { type }]) => formatValue(type), priority: 4 },
  {
    header: "HARDWARE ADDRESS",
    cell: ([, { hardwareAddr }]) => formatValue(hardwareAddr),
    priority: 3,
  },
  { header: "MTU", cell: ([, { mtu }]) => String(mtu ?? ""), priority: 5 },
];

const addressColumns: readonly ScreenColumn<Entry>[] = [
  {
    header: "ADDRESS",
    cell: ([, { address }]) => formatValue(address),
    priority: 0,
  },
  {
    header: "LINK",
    cell: ([, { linkName }]) => formatValue(linkName),
    priority: 1,
  },
  { header: "SCOPE", cell: ([, { scope }]) => formatValue(scope), priority: 2 },
];

const routeColumns: readonly ScreenColumn<Entry>[] = [
  {
    header: "DESTINATION",
    cell: ([, { dst }]) => formatValue(dst) || "default",
    priority: 0,
  },
  {
    header: "GATEWAY",
    cell: ([, { gateway }]) => formatValue(gateway) || "-",
    priority: 1,
  },
  {
    header: "LINK",
    cell: ([, { outLinkName }]) => formatValue(outLinkName),
    priority: 2,
  },
  {
    header: "METRIC",
    cell: ([, { priority }]) => String(priority ?? ""),
    priority: 3,
  },
];

/** Network configuration. */
export const networkPage: Page = {
  name: "Network",
  text: "network configuration, also of a node in maintenance mode",
  keys: ["f8", "8"],
  needs: ({ node }) =>
    [...networkFeeds, links, linkAddresses, meta]
      .map((feed) => ({ node, feed })),
  draw(context) {
    const { data, node, size: { columns: width } } = context;
    const table = (
      columns: readonly ScreenColumn<Entry>[],
      feed: typeof links,
    ) => {
      const { header, lines } = tableLines(
        columns,
        [...specsIn(data, node, feed)],
        width,
      );
      return lines.length === 0 ? [] : ["", header, ...lines];
    };
    const facts = networkFacts(context);
    const half = Math.ceil(facts.length / 2);
    return {
      head: [],
      rows: textRows([
        ...factBlocks([facts.slice(0, half), facts.slice(half)], width),
        ...table(linkColumns, links),
        ...table(addressColumns, linkAddresses),
        ...table(routeColumns, feeds.routes),
        "",
        ...startLines(context),
      ]),
      kind: "text",
    };
  },
};

/** Network configuration from the boot, before any other source applies. */
function startLines({ data, node }: PageContext): readonly string[] {
  const spec = specsIn(data, node, meta).get(networkKey);
  const isBare = data.of(node, health).value?.stage === "maintenance";
  return [
    ...spec === undefined
      ? [`META key ${networkKey}: no network configuration`]
      : [
        `META key ${networkKey}:`,
        ...formatValue(spec.value).trimEnd().split("\n").map((line) =>
          `  ${line}`
        ),
      ],
    ...isBare
      ? [
        "",
        "The node is in maintenance mode and has no configuration yet. Apply one with:",
        `  osctl apply-config --insecure --nodes ${node} --file FILE`,
      ]
      : [],
  ];
}
