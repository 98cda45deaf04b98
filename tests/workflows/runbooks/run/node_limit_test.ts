import assert from "node:assert/strict";
import { parseLimit } from "../../../../workflows/runbooks/run/node_limit.ts";
import { ConfigError } from "../../../../errors.ts";
import type { Facts } from "../../../../workflows/runbooks/read_facts.ts";
import { demo } from "../store/_runs.ts";

const node = (name: string, address: string, role: string) => ({
  name,
  address,
  role,
});

// Only what conditions look at here.
const facts = {
  cluster: { id: "prod", name: "prod" },
  nodes: [
    node("cp-1", "10.0.0.2", "controlplane"),
    node("w-1", "10.0.0.3", "worker"),
    node("w-2", "10.0.0.4", "worker"),
  ],
} as unknown as Facts;

function limit(...words: string[]) {
  return parseLimit(words, { facts, runbook: demo, now: () => 0 });
}

Deno.test("parseLimit refuses names of nobody, and conditions that leave nobody", () => {
  assert.throws(() => limit("w-9"), {
    name: "ConfigError",
    message: '--limit: there is no node "w-9"',
    hint: "Nodes: cp-1, w-1, w-2",
  });
  assert.throws(() => limit("node.role == 'x'"), /no node matches node\.role/);
  assert.throws(() => limit("node.rol =="), ConfigError);
});
