import assert from "node:assert/strict";
import { startBoot } from "../../../simulator/state/node_boot.ts";
import { noon, stopped } from "../_node.ts";

Deno.test("every boot starts with nothing in memory, and with an id of its own", () => {
  const [one, other] = [startBoot(stopped, "u"), startBoot(stopped, "u")];
  assert.match(one.id, /^[0-9a-f]{8}-/);
  assert.notEqual(one.id, other.id);
  assert.equal(one.startedAt, noon);
  assert.deepEqual(
    [one.services.size, one.logs.size, one.events.end(), one.kernelLog.end()],
    [0, 0, 0, 0],
  );
  assert.deepEqual([one.ready, one.reachable], [false, false]);
  assert.equal(one.sequence ?? one.installer ?? one.trial, undefined);
});
