import assert from "node:assert/strict";
import { type RpcCode, RpcError } from "../../../../errors.ts";
import {
  apidReady,
  kubeletHealthy,
  nodesBooted,
  noDiagnostics,
} from "../../../../workflows/checks/health/node_checks.ts";
import { resource, servicesOf, versionOf } from "../_site.ts";
import { healthSite, missing } from "./_health_site.ts";

const gone = () => Promise.reject(new RpcError("UNAVAILABLE", "gone"));

Deno.test("all nodes have to answer", async () => {
  const up = { version: () => versionOf("v1.12.11") };
  const look = (nodes: Parameters<typeof healthSite>[0]) =>
    apidReady.look(healthSite(nodes));
  assert.deepEqual(await look({ c1: up, w1: up }), { state: "ok" });
  assert.equal(
    missing(await look({ c1: up, w1: { version: gone } })),
    "w1: gone",
  );
});

Deno.test("kubelets have to be healthy, those of workers as well", async () => {
  const node = (state: string) => ({
    serviceList: () => servicesOf({ kubelet: state }),
  });
  const found = await kubeletHealthy.look(
    healthSite({ c1: node("Running"), w1: node("Waiting") }),
  );
  assert.equal(missing(found), "w1: kubelet is waiting (as told)");
});

Deno.test("nodes have to have booted", async () => {
  const node = (stage: string) => ({
    async *read() {
      yield await Promise.resolve({ bytes: new TextEncoder().encode("b-1") });
    },
    get: () => resource({ stage, status: { ready: true } }),
    version: () => versionOf("v1.12.11"),
  });
  const found = await nodesBooted.look(
    healthSite({ c1: node("running"), w1: node("booting"), w2: node("") }),
  );
  assert.equal(
    missing(found),
    "w1: stage is booting; w2: stage is not known",
  );
});

/** A node that has found these things, or refuses to tell. */
function finding(texts: readonly string[] | RpcCode) {
  return {
    async *list() {
      await Promise.resolve();
      if (typeof texts === "string") throw new RpcError(texts, "no");
      for (const message of texts) yield resource({ message });
      if (texts.includes("odd")) yield { resource: { metadata: { id: "x" } } };
    },
  };
}

Deno.test("nodes must not have found anything that needs a person", async () => {
  const look = (nodes: Parameters<typeof healthSite>[0]) =>
    noDiagnostics.look(healthSite(nodes));
  assert.deepEqual(await look({ c1: finding([]) }), { state: "ok" });
  assert.equal(
    missing(
      await look({ c1: finding(["odd", "b"]), w1: finding("UNAVAILABLE") }),
    ),
    "w1: no; c1: odd, b, x",
  );
  assert.deepEqual(
    await look({ c1: finding([]), w1: finding("PERMISSION_DENIED") }),
    { state: "skipped", reason: "a node does not show its diagnostics" },
  );
});
