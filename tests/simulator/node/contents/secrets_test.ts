import assert from "node:assert/strict";
import { machineConfig } from "../../../../simulator/state/machine_config.ts";
import { applyLive } from "../../../../simulator/node/live_configuration.ts";
import type { SimulatedNode } from "../../../../simulator/state/node.ts";
import { secretContents } from "../../../../simulator/node/contents/secrets.ts";
import { bootNodes } from "../../_node.ts";

/** Specs of a node's secrets by their types. */
function readSecrets(node: SimulatedNode): Record<string, unknown> {
  return Object.fromEntries(
    secretContents(node).map(({ type, spec }) => [type.split(".")[0], spec]),
  );
}

Deno.test("names in certificates follow the configuration", async () => {
  const [node] = await bootNodes();
  const text = machineConfig(node!);
  const given = text.replace(/certSANs: \[\]/, "certSANs: [a.test, 10.9.9.9]");
  assert.notEqual(given, text);
  await applyLive(node!, given);
  const { ips, dnsNames } = readSecrets(node!).CertSANs as Record<
    string,
    unknown
  >;
  const { address, hostname } = node!.identity;
  assert.deepEqual(ips, ["10.9.9.9", address]);
  assert.deepEqual(dnsNames, ["a.test", hostname]);
});
