/** Makes and removes the network of a cluster inside a network namespace, and prints what there is. */

import {
  createNetwork,
  removeNetwork,
} from "../../../provisioners/qemu/network.ts";
import { command } from "./_command.ts";

const network = JSON.parse(Deno.args[0] ?? "");

async function print(title: string, line: string): Promise<void> {
  const { out, err } = await command(line.split(" "));
  await Deno.stdout.write(
    new TextEncoder().encode(`# ${title}\n${out}${err}\n`),
  );
}

async function printAll(): Promise<void> {
  await print("addresses", "ip -br -o addr show");
  await print("links", "ip -o link show");
  await print("rules", "nft list ruleset");
  await print("queues", "tc qdisc show dev ot1");
  await print("docker", "iptables -S DOCKER-USER");
  await print("forwarding", "sysctl net.ipv4.ip_forward");
}

if (network.cni === undefined) {
  await command(["iptables", "-N", "DOCKER-USER"]);
}
const { signal } = new AbortController();
await Deno.writeTextFile("/proc/sys/net/ipv4/ip_forward", "0");
try {
  const attachments = await createNetwork(network, signal);
  for (const { namespace, tap, mac } of attachments) {
    await print(`machine ${tap} ${mac}`, `ip -n ${namespace} -o link show`);
    await print("its queues", `ip netns exec ${namespace} tc qdisc show`);
  }
  await print("masquerading", "iptables -t nat -S");
  await printAll();
} finally {
  await removeNetwork(network);
}
// Missing objects are fine.
await removeNetwork(network);
await printAll();
