import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import {
  nodesReady,
  nodesReported,
  nodesSchedulable,
  staticPodsRunning,
} from "../../../../workflows/checks/health/kubernetes_checks.ts";
import { resource } from "../_site.ts";
import { healthSite, missing } from "./_health_site.ts";

/** A node in Kubernetes; `!` for one that is not ready, `-` for one that is cordoned. */
function listed(...names: readonly string[]) {
  const items = names.map((text) => {
    const name = text.replace(/^[!-]/, "");
    const status = text.startsWith("!") ? "False" : "True";
    return {
      metadata: { name: `node-${name}` },
      spec: { unschedulable: text.startsWith("-") },
      status: {
        conditions: [{ type: "Ready", status }],
        addresses: [{ type: "InternalIP", address: name }],
      },
    };
  });
  return { "/api/v1/nodes": { items } };
}

Deno.test("Kubernetes has to know all nodes, and no others", async () => {
  const look = async (...names: readonly string[]) =>
    missing(
      await nodesReported.look(
        healthSite({ c1: {}, w1: {} }, listed(...names)),
      ),
    );
  assert.equal(await look("c1", "w1"), "ok");
  assert.equal(
    await look("c1", "w9"),
    "w1 is missing in Kubernetes; node-w9 is in Kubernetes and not expected",
  );
});

Deno.test("nodes have to be ready and open for pods", async () => {
  const site = healthSite({ c1: {} }, listed("!c1", "-w1", "w2"));
  assert.equal(missing(await nodesReady.look(site)), "node-c1 is not ready");
  assert.equal(
    missing(await nodesSchedulable.look(site)),
    "node-w1 is cordoned",
  );
});

Deno.test("static pods have to run on every control plane that shows them", async () => {
  const node = (...ids: readonly string[]) => ({
    async *list() {
      for (const id of ids) {
        const { resource: one } = resource({});
        const metadata = { id: `kube-system/${id}` };
        yield await Promise.resolve({ resource: { ...one, metadata } });
      }
    },
  });
  const hidden = {
    async *list() {
      yield await Promise.reject(new RpcError("UNIMPLEMENTED", "no"));
    },
  };
  const all = ["kube-apiserver-a", "kube-controller-manager-a"];
  const found = await staticPodsRunning.look(
    healthSite({
      c1: node(...all, "kube-scheduler-a"),
      c2: node(...all),
      c3: hidden,
      w1: {},
    }),
  );
  assert.equal(
    missing(found),
    "c2: static pods are missing: kube-system/kube-scheduler",
  );
});
