import assert from "node:assert/strict";
import {
  k8sComponentUpdated,
  k8sNothingRemoved,
  k8sUpgradePath,
} from "../../../workflows/checks/kubernetes_upgrade.ts";
import type { Json } from "../../../lib/json.ts";
import type { FakeNode } from "../../_fake.ts";
import { answering } from "../kubernetes/_answers.ts";
import { makeContext, serviceReply, versionReply } from "./_check_context.ts";

/** A node with components of these versions. */
function node(
  system: string,
  images: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  startedAt?: bigint,
): FakeNode {
  return {
    version: () => versionReply(system),
    serviceList() {
      const answer = serviceReply({ kubelet: "Running" });
      for (const { services: [kubelet] } of answer.messages) {
        const ts = { seconds: startedAt ?? 0n, nanos: 0 };
        Object.assign(kubelet!.events.events[0]!, { ts });
      }
      return answer;
    },
    get({ id }) {
      if (id === "nodename" && startedAt === undefined) {
        return { resource: { spec: { yamlSpec: "nodename: one" } } };
      }
      const tag = images[id];
      return tag === undefined ? {} : {
        resource: {
          metadata: { version: "7", updated: { seconds: 50n, nanos: 0 } },
          spec: { yamlSpec: `image: r/${id}:${tag}` },
        },
      };
    },
    list: async function* ({ type }: { readonly type: string }) {
      if (!type.startsWith("KubeletSpecs")) return;
      yield {
        resource: {
          metadata: { id: "kubelet" },
          spec: { yamlSpec: JSON.stringify({ args }) },
        },
      };
    },
  };
}

const c1 = node("v1.12.11", {
  "kube-apiserver": "v1.33.2",
  kubelet: "v1.33.2-slim",
});
const w1 = node("v1.11.6", { kubelet: "v1.31.0" }, ["--cloud-config=/etc/c"]);

async function path(
  input: Readonly<Record<string, Json>>,
  overridden = false,
): Promise<string> {
  const context = makeContext({ nodes: { c1, w1 } });
  const found = await k8sUpgradePath.run({
    ...context,
    overridden: () => Promise.resolve(overridden),
  }, input);
  const isFinal = !found.ok && found.final === true;
  return `${isFinal ? "final: " : ""}${found.ok ? found.seen : found.reason}`;
}

Deno.test("k8s.upgradePath takes one minor version forward that all nodes support", async () => {
  assert.equal(
    await path({ to: "1.34.0" }),
    "2 nodes can be upgraded to v1.34.0",
  );
  assert.equal(
    await path({ to: "v1.33.3" }),
    "2 nodes can be upgraded to v1.33.3",
  );
  assert.equal(
    await path({ to: "1.35.0" }),
    "final: c1: v1.35.0 is more than one minor version ahead of v1.33.2; w1: Kubernetes v1.35.0 is too new for v1.11.6, which supports v1.29 to v1.34; w1: v1.35.0 is more than 3 minor versions ahead of v1.31.0",
  );
  assert.match(await path({ to: "1.33.1" }), /^final: c1: v1.33.1 is older/);
  assert.match(
    await path({ to: "1.35.0" }, true),
    /which supports.*\(overridden by version-path\)$/,
  );
});

Deno.test("k8s.upgradePath keeps kubelets within the version skew of the API servers", async () => {
  const some = { controlPlane: true, kubelets: false };
  assert.equal(
    await path({ to: "1.34.0", ...some }),
    "2 nodes can be upgraded to v1.34.0",
  );
  assert.match(
    await path({ to: "1.35.0", from: "1.34.0", ...some }),
    /w1: kubelet v1.31.0 would be more than 3 minor versions behind v1.35.0/,
  );
  assert.equal(
    await path({ to: "1.34.0", controlPlane: false }),
    "final: c1, w1: a kubelet must not be newer than the API servers, and one runs v1.33.2",
  );
});

Deno.test("k8s.nothingRemoved names who uses what a version does not have", async () => {
  const run = (to: string) =>
    k8sNothingRemoved.run(
      makeContext({
        nodes: { c1, w1 },
        cluster: {
          kubernetes: () =>
            Promise.resolve(answering({
              "/apis/resource.k8s.io/v1alpha3/podschedulingcontexts": {
                items: [{ metadata: { namespace: "lab", name: "web" } }],
              },
              "/metrics": {
                text:
                  'apiserver_requested_deprecated_apis{group="policy",removed_release="1.34",resource="pdbs",version="v1beta1"} 1',
              },
              "/apis/policy/v1beta1/pdbs": {
                items: [{
                  metadata: {
                    namespace: "lab",
                    name: "db",
                    managedFields: [{ apiVersion: "policy/v1beta1" }],
                  },
                }],
              },
            })),
        },
      }),
      { to },
    );
  assert.deepEqual(await run("1.31.5"), {
    ok: true,
    seen: "nothing in use was removed by v1.31.5",
  });
  assert.deepEqual(await run("1.34.0"), {
    ok: false,
    final: true,
    reason:
      "w1: kubelet uses the flag cloud-config, which v1.34.0 does not have; lab/web uses the resource podschedulingcontexts.v1alpha3.resource.k8s.io, which v1.34.0 does not have; lab/db uses the resource pdbs.v1beta1.policy, which v1.34.0 does not have",
  });
});

/** Looks at a component of `c1` in a Kubernetes with these objects. */
async function update(
  component: string,
  version: string,
  objects: Readonly<Record<string, unknown>>,
): Promise<string> {
  const context = makeContext({
    nodes: { c1 },
    node: "c1",
    cluster: { kubernetes: () => Promise.resolve(answering(objects)) },
  });
  const found = await k8sComponentUpdated.run(context, { component, version });
  return found.ok ? found.seen : found.reason;
}

const podPath = "/api/v1/namespaces/kube-system/pods/kube-apiserver-one";

function ready(status: string) {
  return { conditions: [{ type: "Ready", status }] };
}

Deno.test("k8s.componentUpdated waits until the pod runs the configuration of the node", async () => {
  const pod = (version: string, status: string) => ({
    metadata: { annotations: { "talos.dev/config-version": version } },
    status: ready(status),
  });
  const look = (objects: Readonly<Record<string, unknown>>, to = "1.33.2") =>
    update("kube-apiserver", to, objects);
  assert.equal(
    await look({}, "1.34.0"),
    "kube-apiserver has the image r/kube-apiserver:v1.33.2",
  );
  assert.equal(
    await look({}),
    "Kubernetes has no pod kube-apiserver-one yet",
  );
  assert.equal(
    await look({ [podPath]: pod("6", "True") }),
    "pod kube-apiserver-one has configuration 6, not 7 yet",
  );
  assert.equal(
    await look({ [podPath]: pod("7", "False") }),
    "pod kube-apiserver-one is not ready",
  );
  assert.equal(
    await look({ [podPath]: pod("7", "True") }),
    "kube-apiserver v1.33.2 is ready",
  );
  assert.equal(
    await update("kube-scheduler", "1.33.2", {}),
    "the node does not run kube-scheduler",
  );
});

Deno.test("k8s.componentUpdated takes the version of a kubelet from its Node", async () => {
  const look = (version: string, status: string, to = "1.33.2") =>
    update("kubelet", to, {
      "/api/v1/nodes/one": {
        metadata: { name: "one" },
        status: { nodeInfo: { kubeletVersion: version }, ...ready(status) },
      },
    });
  assert.equal(
    await look("v1.33.2", "True", "1.34.0"),
    "the kubelet has the image r/kubelet:v1.33.2-slim",
  );
  assert.equal(
    await look("v1.33.1", "True"),
    "Kubernetes reports kubelet v1.33.1 on one",
  );
  assert.equal(await look("v1.33.2", "False"), "node one is not ready");
  assert.equal(await look("v1.33.2", "True"), "kubelet v1.33.2 is ready");
});

Deno.test("k8s.componentUpdated takes a later start of a kubelet that Kubernetes does not know", async () => {
  const look = async (startedAt: bigint) => {
    const images = { kubelet: "v1.33.2" };
    const context = makeContext({
      nodes: { w1: node("v1.12.11", images, [], startedAt) },
      node: "w1",
      cluster: { kubernetes: () => Promise.resolve(answering({})) },
    });
    const input = { component: "kubelet", version: "1.33.2" };
    const found = await k8sComponentUpdated.run(context, input);
    return found.ok ? found.seen : found.reason;
  };
  assert.equal(await look(49n), "the kubelet has not restarted yet");
  assert.equal(
    await look(51n),
    "kubelet v1.33.2 is healthy; the node is not in Kubernetes",
  );
});
