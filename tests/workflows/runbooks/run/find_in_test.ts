import assert from "node:assert/strict";
import { findIn } from "../../../../workflows/runbooks/run/find_in.ts";
import type { Context } from "../../../../commands/_kit/command.ts";
import type { Link } from "../../../../workflows/runbooks/run/run_connection.ts";
import { demo } from "../store/_runs.ts";

Deno.test("findIn finds the modules a runbook names, and no others", async () => {
  // Nothing is asked of nodes before a module is used.
  const nothing = { commands: [] } as unknown as Context<unknown> & Link;
  const { module } = await findIn(demo, nothing, nothing);
  assert.equal(module("node.drain")?.name, "node.drain");
  assert.equal(module("node.reboot")?.kind, "command");
  assert.equal(module("etcd.snapshot")?.name, "etcd.snapshot");
  assert.equal(module("node.cordon"), undefined);
});
