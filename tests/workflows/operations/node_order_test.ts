import assert from "node:assert/strict";
import { ConnectError } from "../../../errors.ts";
import type { Member } from "../../../transport/node/members.ts";
import { barrier, lastWay } from "../../../workflows/operations/node_order.ts";

const members: readonly Member[] = [
  { address: "10.0.0.1", hostname: "cp-1", controlPlane: true },
  { address: "10.0.0.2", hostname: "cp-2", controlPlane: true },
  { address: "10.0.0.9", hostname: "worker", controlPlane: false },
];

function last(names: readonly string[], ...endpoints: readonly string[]) {
  return lastWay({ names, endpoints, members: () => Promise.resolve(members) });
}

Deno.test("the only endpoint comes last, however it is written", async () => {
  assert.equal(await last(["10.0.0.1", "10.0.0.9"], "10.0.0.1"), "10.0.0.1");
  assert.equal(await last(["cp-1", "10.0.0.9"], "10.0.0.1:50000"), "cp-1");
  assert.equal(await last(["10.0.0.1", "worker"], "cp-1"), "10.0.0.1");
});

Deno.test("of several endpoints that are all selected the last one comes last", async () => {
  const names = ["10.0.0.1", "10.0.0.2", "10.0.0.9"];
  assert.equal(await last(names, "10.0.0.1", "10.0.0.2"), "10.0.0.2");
});

Deno.test("while an endpoint stays, or nobody else is selected, there is no order", async () => {
  const names = ["10.0.0.1", "10.0.0.9"];
  assert.equal(await last(names, "10.0.0.1", "10.0.0.2"), undefined);
  assert.equal(await last(names, "lb.example.org"), undefined);
  assert.equal(await last(["10.0.0.1"], "10.0.0.1"), undefined);
  assert.equal(await last(names), undefined);
});

Deno.test("a cluster that does not answer has no order", async () => {
  const found = await lastWay({
    names: ["cp-1", "worker"],
    endpoints: ["10.0.0.1"],
    members: () => Promise.reject(new ConnectError("refused", "gone")),
  });
  assert.equal(found, undefined);
});

Deno.test("a barrier opens when all have passed, or the time is up", async () => {
  const two = barrier(2);
  let isOpen = false;
  const waiting = two.wait(new AbortController().signal)
    .then(() => isOpen = true);
  two.pass();
  await Promise.resolve();
  assert.equal(isOpen, false);
  two.pass();
  await waiting;
  const stop = new AbortController();
  const stopped = barrier(1).wait(stop.signal);
  stop.abort();
  await stopped;
});
