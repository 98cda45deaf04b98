/** The network of a cluster on Linux: a bridge, an interface for each machine, and NAT to the outside. */

import type { Attachment, BridgeNetwork, Chaos } from "./bridge_network.ts";
import { attachMachines, detachMachines } from "./cni.ts";
import { run, tryRun } from "./run.ts";

/**
 * Makes the network. Returns how plugins have attached the machines, nothing without plugins. Throws OsctlError when a
 * part of it cannot be made; `removeNetwork` removes the others.
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
    // No other host has the address of a bridge that was just made.
    const address = `${gateway}/${prefix}`;
    await make([
      ...["ip", "addr", "add", address, "dev", bridge],
      ...isV6 ? ["nodad"] : [],
    ]);
  }
  if (!network.isAirgapped) await forward(network, signal);
  await run(["nft", "-f", "-"], { input: rules(network), signal });
  if (await hasUserChain()) {
    // Where Docker runs, it drops what is forwarded, also between machines of one bridge.
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

/** Disturbs what a machine receives. `inside`: words before a command that run it where the interface is. */
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

/** Removes what is there of the network. */
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

/** Whether all of a network is known, and not only its interfaces. */
function isWhole(network: Partial<BridgeNetwork>): network is BridgeNetwork {
  return network.subnets !== undefined;
}

function userRules(bridge: string): string[][] {
  return ["-i", "-o"].map((direction) => [
    ...["DOCKER-USER", direction, bridge, "-j", "ACCEPT"],
  ]);
}

/** Reports whether there is an interface of a name. */
export function hasInterface(name: string): Promise<boolean> {
  return tryRun(["ip", "link", "show", "dev", name]);
}

/** The rules for nftables, in a table with the name of the bridge. */
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
    // The plugins hide the addresses of the machines that they attach.
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

/** Arguments of `tc` for a disturbance; `undefined` when it disturbs nothing. */
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

/** A table whose chains say what was switched on; it is gone when the switches are back at their defaults. */
const forwarding = "osctl_forwarding";

/** Machines reach the outside only through a host that forwards. */
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

/** The last cluster puts back what was switched on, unless an engine for containers counts on it meanwhile. */
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
