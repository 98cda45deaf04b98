/** Network of a cluster on Linux: a bridge, an interface for each machine, and NAT. */

import type { Attachment, BridgeNetwork, Chaos } from "./bridge_network.ts";
import { attachMachines, detachMachines } from "./cni.ts";
import { run, tryRun } from "./run.ts";

/**
 * Creates the network. Returns the attachments by plugins, empty without plugins. Throws OsctlError on
 * failure; `removeNetwork` removes the parts already created.
 */
export async function createNetwork(
  network: BridgeNetwork,
  signal: AbortSignal,
): Promise<readonly Attachment[]> {
  const { bridge, mac, mtu, subnets, taps, cni } = network;
  const make = (line: readonly string[]) => run(line, { signal });
  await make(["ip", "link", "add", bridge, "address", mac, "type", "bridge"]);
  await make(["ip", "link", "set", bridge, "mtu", `${mtu}`, "up"]);
  for (const { gateway, prefix } of subnets) {
    const isV6 = gateway.includes(":");
    // The address of a new bridge is unique.
    const address = `${gateway}/${prefix}`;
    await make([
      ...["ip", "addr", "add", address, "dev", bridge],
      ...isV6 ? ["nodad"] : [],
    ]);
  }
  if (!network.isAirgapped) await forward(network, signal);
  await run(["nft", "-f", "-"], { input: rules(network), signal });
  if (await hasUserChain()) {
    // Docker drops forwarded packets, even between machines of one bridge.
    for (const rule of userRules(bridge)) {
      await make(["iptables", "-w", "-I", ...rule]);
    }
  }
  if (cni !== undefined) {
    const attachments = await attachMachines(network, cni, signal);
    for (const { namespace, tap } of attachments) {
      const inside = ["ip", "netns", "exec", namespace];
      await disturb(network, tap, { inside, signal });
    }
    return attachments;
  }
  for (const tap of taps) {
    await make(["ip", "tuntap", "add", tap, "mode", "tap"]);
    const settings = ["mtu", `${mtu}`, "master", bridge, "up"];
    await make(["ip", "link", "set", tap, ...settings]);
    await disturb(network, tap, { signal });
  }
  return [];
}

/**
 * Applies chaos settings to the packets a machine receives. `inside`: command prefix to run in the namespace
 * of the interface.
 */
async function disturb(
  { chaos }: BridgeNetwork,
  tap: string,
  { inside = [], signal }: {
    readonly inside?: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const how = chaos === undefined ? undefined : disturbance(chaos);
  if (how === undefined) return;
  const add = ["tc", "qdisc", "add", "dev", tap, "root"];
  await run([...inside, ...add, ...how], { signal });
}

/** Removes the network, also if incomplete. */
export async function removeNetwork(
  network:
    & Pick<BridgeNetwork, "bridge" | "taps">
    & Partial<BridgeNetwork>,
): Promise<void> {
  const { bridge, taps } = network;
  if (isWhole(network) && network.cni !== undefined) {
    await detachMachines(network, network.cni);
  }
  for (const name of [...taps, bridge]) {
    if (await hasInterface(name)) await run(["ip", "link", "delete", name]);
  }
  await tryRun(["nft", "delete", "table", "inet", bridge]);
  if (await hasUserChain()) {
    for (const rule of userRules(bridge)) {
      await tryRun(["iptables", "-w", "-D", ...rule]);
    }
  }
  await stopForwarding();
}

/** True for a complete specification, not only interfaces. */
function isWhole(network: Partial<BridgeNetwork>): network is BridgeNetwork {
  return network.subnets !== undefined;
}

function userRules(bridge: string): string[][] {
  return ["-i", "-o"].map((direction) => [
    ...["DOCKER-USER", direction, bridge, "-j", "ACCEPT"],
  ]);
}

/** True if the interface exists. */
export function hasInterface(name: string): Promise<boolean> {
  return tryRun(["ip", "link", "show", "dev", name]);
}

/** Returns the nftables rules, in a table named after the bridge. */
export function rules(
  { bridge, subnets, noMasquerade, isAirgapped, cni }: BridgeNetwork,
): string {
  const nat = subnets.map(({ cidr, prefix, gateway }) => {
    const family = gateway.includes(":") ? "ip6" : "ip";
    const others = noMasquerade.filter((one) =>
      one.includes(":") === (family === "ip6")
    );
    const multicast = family === "ip6" ? "ff00::/8" : "224.0.0.0/4";
    const own = cidr.replace(/\/\d+$/, `/${prefix}`);
    const kept = [
      ...family === "ip" ? ["255.255.255.255/32"] : [],
      multicast,
      own,
      ...others,
    ];
    return `    oifname != "${bridge}" ${family} saddr ${own} ${family} daddr != { ${
      kept.join(", ")
    } } masquerade`;
  });
  const forwarded = isAirgapped
    ? [
      `    iifname "${bridge}" oifname != "${bridge}" drop`,
      `    oifname "${bridge}" iifname != "${bridge}" drop`,
    ]
    : [`    iifname "${bridge}" accept`, `    oifname "${bridge}" accept`];
  return [
    `table inet ${bridge} {`,
    "  chain forward {",
    "    type filter hook forward priority -1; policy accept;",
    ...forwarded,
    "  }",
    // With CNI, plugins do the masquerading.
    ...isAirgapped || cni !== undefined ? [] : [
      "  chain postrouting {",
      "    type nat hook postrouting priority srcnat; policy accept;",
      ...nat,
      "  }",
    ],
    "}",
    "",
  ].join("\n");
}

/** Returns the `tc` arguments for chaos settings; `undefined` if nothing is set. */
export function disturbance(chaos: Chaos): string[] | undefined {
  const { latencyMs, jitterMs, loss, reorder, corrupt, bandwidth } = chaos;
  if (bandwidth > 0) {
    return [
      "tbf",
      "rate",
      `${bandwidth}kbit`,
      "burst",
      "16kb",
      "latency",
      "50ms",
    ];
  }
  const percent = (share: number) => `${Number((share * 100).toFixed(4))}%`;
  const delayed = latencyMs > 0 || jitterMs > 0;
  const parts = [
    ...delayed
      ? ["delay", `${latencyMs}ms`, ...jitterMs > 0 ? [`${jitterMs}ms`] : []]
      : [],
    ...loss > 0 ? ["loss", percent(loss)] : [],
    ...corrupt > 0 ? ["corrupt", percent(corrupt)] : [],
    ...reorder > 0 ? ["reorder", percent(reorder)] : [],
  ];
  return parts.length === 0 ? undefined : ["netem", ...parts];
}

const switches = {
  ipv4: "/proc/sys/net/ipv4/ip_forward",
  ipv6: "/proc/sys/net/ipv6/conf/all/forwarding",
} as const;

/** Table whose chains record the enabled sysctls; removed when they are reset. */
const forwarding = "osctl_forwarding";

/** Enables IP forwarding on the host, for outbound traffic of machines. */
async function forward(
  { subnets }: BridgeNetwork,
  signal: AbortSignal,
): Promise<void> {
  for (const { gateway } of subnets) {
    const family = gateway.includes(":") ? "ipv6" : "ipv4";
    const now = await Deno.readTextFile(switches[family]);
    if (now.trim() !== "0") continue;
    const input = `table inet ${forwarding} { chain ${family} { }; }\n`;
    await run(["nft", "-f", "-"], { input, signal });
    await Deno.writeTextFile(switches[family], "1");
  }
}

/** Resets IP forwarding after the last cluster, unless a container engine needs it. */
async function stopForwarding(): Promise<void> {
  const was = await run(["nft", "list", "table", "inet", forwarding])
    .catch(() => undefined);
  if (was === undefined) return;
  const tables = await run(["nft", "list", "tables"]);
  if (/^table inet osbr/m.test(tables) || await hasUserChain()) return;
  for (const family of ["ipv4", "ipv6"] as const) {
    if (!was.includes(`chain ${family} `)) continue;
    await Deno.writeTextFile(switches[family], "0");
  }
  await tryRun(["nft", "delete", "table", "inet", forwarding]);
}

function hasUserChain(): Promise<boolean> {
  return tryRun(["iptables", "-w", "-n", "-L", "DOCKER-USER"]);
}
