/** A WireGuard interface of this machine: of the kernel, or of the program `wireguard-go` where the kernel has none. */

import { hasInterface } from "../network.ts";
import { isInstalled, run, tryRun } from "../run.ts";
import type { AgentPlan } from "./plan.ts";

interface WireguardPeer {
  readonly publicKey: string;
  readonly address: string;
}

/** An interface that is up. */
export interface WireguardInterface {
  /** Lets a node in; what it sent under another key for the same address counts no more. */
  readonly add: (peer: WireguardPeer) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How often a node is sent something at least, in seconds, so that NAT does not forget it. */
const keepalive = 25;

/** What fits into a packet of a tunnel by gRPC over IPv6, in bytes. */
const mtu = 1_280;

/** Reports whether this machine can have such interfaces: in a network namespace that is gone at once. */
export async function hasWireguard(): Promise<boolean> {
  return await tryRun(
    "unshare --net ip link add wg0 type wireguard".split(" "),
  ) || await isInstalled("wireguard-go");
}

/** Makes the interface. Throws OsctlError when it cannot be made. */
export async function openWireguard(
  { interface: name, ports, privateKey, address }: AgentPlan,
): Promise<WireguardInterface> {
  await removeWireguard(name);
  if (!await tryRun(["ip", "link", "add", name, "type", "wireguard"])) {
    // It prefers the kernel, of which nothing is to be had.
    const env = { WG_I_PREFER_BUGGY_USERSPACE_TO_POLISHED_KMOD: "1" };
    await run(["wireguard-go", name], { env });
  }
  const set = (words: readonly string[], input?: string) =>
    run(["wg", "set", name, ...words], { input });
  await set(
    ["listen-port", `${ports.wireguard}`, "private-key", "/dev/stdin"],
    privateKey,
  );
  await run(["ip", "addr", "add", `${address}/64`, "dev", name, "nodad"]);
  await run(["ip", "link", "set", name, "mtu", `${mtu}`, "up"]);
  const keys = new Map<string, string>();
  return {
    async add({ publicKey, address }) {
      const before = keys.get(address);
      keys.set(address, publicKey);
      if (before !== undefined && before !== publicKey) {
        await set(["peer", before, "remove"]);
      }
      await set([
        ...["peer", publicKey, "allowed-ips", `${address}/128`],
        ...["persistent-keepalive", `${keepalive}`],
      ]);
    },
    close: () => removeWireguard(name),
  };
}

/** Removes an interface, if it is there; the program of it ends with it. */
export async function removeWireguard(name: string): Promise<void> {
  if (await hasInterface(name)) await run(["ip", "link", "delete", name]);
}
