/** An agent and a node of it, each in a network namespace of its own; prints what the agent sees. */

import { pause } from "../../../../lib/pause.ts";
import { planAgent } from "../../../../provisioners/qemu/agent/plan.ts";
import { serveAgent } from "../../../../provisioners/qemu/agent/serve.ts";
import { run } from "../../../../provisioners/qemu/run.ts";
import { plan } from "../_spec.ts";

/** Prints a line. */
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const { isTunnel, hasTls, token } = JSON.parse(Deno.args[0] ?? "");

/** Name of the node's namespace and interface. */
const name = `ota${Deno.pid}`;

/** A line, once it is there. */
function expectLine(): {
  line: Promise<string>;
  take: (line: string) => Promise<void>;
} {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { line: promise, take: (line) => Promise.resolve(resolve(line)) };
}

const [machine] = plan.machines;
await run("ip link set lo up".split(" "));
await run(["ip", "netns", "add", name]);
try {
  await run([
    "ip",
    "link",
    "add",
    "br0",
    "type",
    "veth",
    "peer",
    "name",
    "eth0",
    "netns",
    name,
  ]);
  await run(["ip", "addr", "add", "10.5.0.1/24", "dev", "br0"]);
  await run(["ip", "link", "set", "br0", "up"]);
  for (
    const words of [
      "addr add 10.5.0.2/24 dev eth0",
      "link set eth0 up",
      "link set lo up",
    ]
  ) {
    await run(["ip", "-n", name, ...words.split(" ")]);
  }
  const agent = await planAgent(plan, { isTunnel, hasTls }, new Date());
  const event = expectLine();
  const log = expectLine();
  const stop = await serveAgent(agent, {
    event: event.take,
    log: log.take,
    note: say,
  });
  const node = new Deno.Command("ip", {
    args: [
      ...["netns", "exec", name, Deno.execPath(), "run", "-A", "--no-check"],
      ...["--quiet", new URL("_node.ts", import.meta.url).pathname],
      JSON.stringify({
        host: agent.host,
        port: agent.ports.api,
        uuid: machine?.uuid,
        token,
        byGrpc: isTunnel,
        ca: agent.certificate?.crt,
        events: agent.ports.events,
        logs: agent.ports.logs,
      }),
    ],
  }).spawn();
  const refused = node.status;
  const lines = await Promise.race([
    Promise.all([event.line, log.line]),
    refused.then(() => []),
  ]);
  for (const line of lines) say(line.trim());
  if (lines.length > 0) {
    const address = agent.nodes[machine?.uuid ?? ""] ?? "";
    using connection = await Deno.connect({ hostname: address, port: 50_000 });
    const bytes = new Uint8Array(64);
    const count = await connection.read(bytes);
    say(new TextDecoder().decode(bytes.subarray(0, count ?? 0)));
  }
  await refused;
  stop();
  // Its program ends with the interface.
  while ((await run(["ip", "-br", "link"])).includes("oswg")) await pause(20);
  say("gone");
} finally {
  await run(["ip", "netns", "delete", name]);
}
Deno.exit(0);
