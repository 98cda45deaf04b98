import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { type ApiCheck, apiRows } from "../../../commands/_doctor/api_rows.ts";
import { type FakeNodes, fakeNodes } from "../../_fake.ts";

import { target } from "./_endpoint.ts";

const version = () => ({ messages: [{ version: { tag: "v1.12.11" } }] });

const get = () => ({
  resource: {
    metadata: { id: "machine-type" },
    spec: { yamlSpec: "controlplane" },
  },
});

function clockAt(iso: string) {
  const seconds = BigInt(Date.parse(iso) / 1000);
  return () => ({ messages: [{ localtime: { seconds, nanos: 500_000_000 } }] });
}

async function checkApi(handlers: FakeNodes, check: Partial<ApiCheck> = {}) {
  const { nodes, unused } = fakeNodes(handlers);
  const rows = await Array.fromAsync(apiRows({
    target,
    nodes,
    hasNodes: Object.keys(handlers).some((name) => name !== ""),
    now: () => target.now,
    clock: () => 0,
    ...check,
  }));
  assert.deepEqual(unused(), []);
  return rows;
}

Deno.test("apiRows warns of clocks that differ", async () => {
  const [, clock, nodes] = await checkApi({
    "": { version, get, time: clockAt("2026-06-01T11:50:00Z") },
  });
  assert.deepEqual(clock, {
    stage: "clock",
    result: "warning",
    detail: "the node's clock is 599.5 s behind this machine's",
    next: "Check which clock is wrong with: osctl time --nodes 127.0.0.1",
  });
  assert.equal(nodes?.detail, "no nodes are selected");
});

Deno.test("apiRows continues when the node does not report its time", async () => {
  const silent = await checkApi({ "": { version, get, time: () => ({}) } });
  assert.deepEqual(silent[1], {
    stage: "clock",
    result: "skipped",
    detail: "the node does not report its time",
  });
  const failing = await checkApi({
    "": {
      version,
      get,
      time: () => Promise.reject(new RpcError("UNKNOWN", "no time server")),
    },
  });
  assert.equal(failing[1]?.detail, "unknown: no time server");
});

Deno.test("apiRows takes a refusal as an answer", async () => {
  const refuse = () =>
    Promise.reject(new RpcError("PERMISSION_DENIED", "not authorized"));
  const rows = await checkApi({
    "": { version: refuse, time: refuse, get: refuse },
    a: { version: refuse },
  });
  assert.deepEqual(rows, [
    {
      stage: "api",
      result: "warning",
      detail: "not authorized",
      next:
        "Use a context with the role os:reader or higher: osctl config contexts",
    },
    { stage: "clock", result: "skipped", detail: "unknown: not authorized" },
    { stage: "nodes", result: "ok", detail: "1 of 1 nodes answer" },
  ]);
});

Deno.test("apiRows names each node that does not answer", async () => {
  const rows = await checkApi({
    "": { version, time: clockAt("2026-06-01T12:00:00Z") },
    a: { version },
    b: { version: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")) },
  });
  assert.deepEqual(rows.slice(2), [
    { stage: "nodes", result: "ok", detail: "1 of 2 nodes answer" },
    {
      stage: "nodes",
      result: "failed",
      detail: "b: gone",
      cause: undefined,
      next:
        "Check whether the node is up and a member of the cluster with: osctl get members --nodes 127.0.0.1",
    },
  ]);
});

Deno.test("apiRows gives the hint of an error that knows the fault, but not one that leads back here", async () => {
  const clocks = "Check the clocks of node and endpoint with: osctl time";
  const fail = (hint: string) => () =>
    Promise.reject(new RpcError("UNAVAILABLE", "expired", { hint }));
  const rows = await checkApi({
    "": { version, time: clockAt("2026-06-01T12:00:00Z") },
    a: { version: fail(clocks) },
    b: { version: fail("Try again; diagnose it with: osctl doctor connect") },
  });
  assert.deepEqual(
    rows.flatMap((row) => "next" in row ? [[row.detail, row.next]] : []),
    [
      ["a: expired", clocks],
      [
        "b: expired",
        "Check whether the node is up and a member of the cluster with: osctl get members --nodes 127.0.0.1",
      ],
    ],
  );
});

Deno.test("apiRows ends when the node API does not answer", async () => {
  const rows = await checkApi({
    "": { version: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")) },
  });
  assert.deepEqual(rows.map(({ stage, result }) => [stage, result]), [
    ["api", "failed"],
  ]);
});
