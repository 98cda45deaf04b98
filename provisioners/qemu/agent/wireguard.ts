/** WireGuard interface of this machine: of the kernel, or of `wireguard-go` if the kernel does not support it. */

import { hasInterface } from "../network.ts";
import { isInstalled, run, tryRun } from "../run.ts";
import type { AgentPlan } from "./plan.ts";

interface WireguardPeer {
  readonly publicKey: string;
  readonly address: string;
}

/** A running interface. */
export interface WireguardInterface {
  /** Adds a peer, replacing one with the same address. */
  readonly add: (peer: WireguardPeer) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Keep-alive interval in seconds, for NAT. */
const keepalive = 25;

/** MTU of a gRPC tunnel over IPv6, in bytes. */
const mtu = 1_280;

/** Checks if this machine supports WireGuard, in a temporary network namespace. */
export async function hasWireguard(): Promise<boolean> {
  return await tryRun(
    "unshare --net ip link add wg0 type wireguard".split(" "),
  ) || await isInstalled("wireguard-go");
}

/** Creates the interface. Throws OsctlError on failure. */
export async function openWireguard(
  { interface: name, ports, privateKey, address }: AgentPlan,
): Promise<WireguardInterface> {
  await removeWireguard(name);
  if (!await tryRun(["ip", "link", "add", name, "type", "wireguard"])) {
    // Overrides its preference for the kernel module, which is not available.
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

/** Removes an interface, if it exists; `wireguard-go` exits with it. */
export async function removeWireguard(name: string): Promise<void> {
  if (await hasInterface(name)) await run(["ip", "link", "delete", name]);
}
