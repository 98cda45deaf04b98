import assert from "node:assert/strict";
import { RpcError } from "../../../../errors.ts";
import { resource } from "../_check_context.ts";
import { healthContext, lookFor, missing } from "./_health_context.ts";

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
  const found = await lookFor(
    "all control plane static pods to be running",
    healthContext({
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

const role = "node-role.kubernetes.io/control-plane";

const node = (address: string, labels: Readonly<Record<string, string>>) => ({
  metadata: { name: `node-${address}`, labels },
  status: { addresses: [{ type: "InternalIP", address }] },
});

const pod = (name: string, ready = true, more: unknown = {}) => ({
  metadata: { name },
  status: {
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    ...more as Record<string, unknown>,
  },
});

const pods = (app: string) =>
  `/api/v1/namespaces/kube-system/pods?labelSelector=k8s-app%3D${app}`;

const parts = (items: readonly unknown[]) => ({
  [pods("kube-apiserver")]: { items },
  [pods("kube-scheduler")]: { items: [pod("scheduler")] },
  [pods("kube-controller-manager")]: { items: [pod("manager")] },
});

Deno.test("every control plane has to have its role in Kubernetes, and its parts have to be ready", async () => {
  const look = async (labels: Record<string, string>, items: unknown[]) =>
    missing(
      await lookFor(
        "all control plane components to be ready",
        healthContext({ c1: {}, w1: {} }, {
          "/api/v1/nodes": { items: [node("c1", labels), node("w1", {})] },
          ...parts(items),
        }),
      ),
    );
  assert.equal(await look({ [role]: "" }, [pod("api")]), "ok");
  assert.equal(
    await look({}, [pod("api")]),
    "c1 is missing in Kubernetes as a control plane",
  );
  assert.equal(
    await look({ [role]: "" }, []),
    "0 pods of kube-apiserver instead of 1",
  );
  assert.equal(
    await look({ [role]: "" }, [pod("api", false)]),
    "pods are not ready: api",
  );
});

const deployments =
  "/apis/apps/v1/namespaces/kube-system/deployments?labelSelector=k8s-app%3Dkube-dns";
const daemonsets =
  "/apis/apps/v1/namespaces/kube-system/daemonsets?labelSelector=k8s-app%3Dkube-proxy";

Deno.test("workloads have to have as many ready pods as they want; those that are going do not count", async () => {
  const look = async (items: readonly unknown[], replicas = 1) =>
    missing(
      await lookFor(
        "coredns to report ready",
        healthContext({}, {
          [deployments]: { items: [{ spec: { replicas } }] },
          [pods("kube-dns")]: { items },
        }),
      ),
    );
  const going = {
    ...pod("going", false),
    metadata: { name: "going", deletionTimestamp: "2026-01-01T00:00:00Z" },
  };
  const ended = pod("ended", false, {
    containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
  });
  const failed = pod("failed", false, { phase: "Failed" });
  assert.equal(await look([pod("a"), going, ended, failed]), "ok");
  assert.equal(
    await look([pod("a"), pod("b", false)]),
    "pods are not ready: b",
  );
  assert.equal(await look([pod("a")], 2), "1 of 2 pods are ready");
  assert.equal(await look([], 0), "0 of 0 pods are ready");
});

Deno.test("workloads that are not there are skipped", async () => {
  assert.deepEqual(
    await lookFor(
      "kube-proxy to report ready",
      healthContext({}, { [daemonsets]: {} }),
    ),
    {
      ok: true,
      seen: "there is no DaemonSet k8s-app=kube-proxy",
      skipped: true,
    },
  );
  const context = healthContext({}, {
    [daemonsets]: { items: [{ status: { desiredNumberScheduled: 1 } }] },
    [pods("kube-proxy")]: { items: [pod("a")] },
  });
  assert.deepEqual(await lookFor("kube-proxy to report ready", context), {
    ok: true,
    seen: "",
  });
});
