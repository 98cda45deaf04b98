import assert from "node:assert/strict";
import { busySeconds, loadOf } from "../../../simulator/node/activity.ts";
import { bootedNodes, noon } from "../_node.ts";

Deno.test("busy time never goes back, and is the time since the boot in the long run", async () => {
  let now = noon;
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const [node, other] = await bootedNodes({ clock, workers: 1 });
  const rates = new Set<number>();
  for (let last = busySeconds(node!); now < noon + 240_000;) {
    now += 10_000;
    const next = busySeconds(node!);
    assert.ok(next > last);
    rates.add(Math.round(next - last));
    last = next;
  }
  assert.ok(rates.size > 5);
  assert.equal(Math.round(busySeconds(node!)), 240);
  now += 30_000;
  assert.notEqual(busySeconds(node!), busySeconds(other!));
  assert.ok(loadOf(node!).every((load) => load > 0 && load < 1));
});
