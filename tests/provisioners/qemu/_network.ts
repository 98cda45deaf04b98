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

await command(["iptables", "-N", "DOCKER-USER"]);
await createNetwork(network);
await printAll();
await removeNetwork(network);
// What is gone already does not matter.
await removeNetwork(network);
await printAll();
