import assert from "node:assert/strict";
import { needs, taps } from "../../../_needs.ts";
import { untilNone } from "../../../_processes.ts";
import { command } from "../_command.ts";

/** Longest time of a test here. */
export const longestSeconds = 120;

const tunnelNeeds = ["ip", "wg", "wireguard-go", taps] as const;

async function life(settings: unknown): Promise<string> {
  const script = new URL("_agent.ts", import.meta.url).pathname;
  const { out, err } = await command([
    ...["timeout", "60", "unshare", "-n", Deno.execPath(), "run", "-A"],
    ...["--no-check", "--quiet", script, JSON.stringify(settings)],
  ]);
  return (out + err)
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "UUID")
    .replaceAll(/fd[\da-f]{2}:[\da-f:]+/g, "ADDRESS");
}

for (const isTunnel of [false, true]) {
  for (const hasTls of [false, true]) {
    const how = `${isTunnel ? "by gRPC" : "by WireGuard"}${
      hasTls ? " with TLS" : ""
    }`;
    Deno.test(
      `an agent lets a node into its tunnel ${how}, takes events and logs, and reaches it`,
      needs(...tunnelNeeds),
      async () => {
        assert.equal(
          await life({ isTunnel, hasTls, token: "foo" }),
          `node UUID joins as ADDRESS${isTunnel ? " by gRPC" : ""}
{"node":"ADDRESS","id":"event-1","type":"type.example/machine.PhaseEvent","value":"eA=="}
{"node":"ADDRESS","msg":"Linux version 6"}
maintenance
gone
`,
        );
        await untilNone("wireguard-go oswg");
      },
    );
  }
}

Deno.test(
  "an agent refuses nodes without its token",
  needs(...tunnelNeeds),
  async () => {
    assert.equal(
      await life({ isTunnel: false, hasTls: false, token: "bar" }),
      "refused: invalid join token\ngone\n",
    );
  },
);
