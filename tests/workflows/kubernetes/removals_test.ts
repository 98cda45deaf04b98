import assert from "node:assert/strict";
import {
  deprecatedObjects,
  deprecatedText,
  removedOnNode,
  removedText,
} from "../../../workflows/kubernetes/removals.ts";
import { fakeNodes } from "../../_fake.ts";
import { answering } from "./_answers.ts";

const { signal } = new AbortController();

function node(commands: Readonly<Record<string, readonly string[]>>) {
  return fakeNodes({
    a: {
      list: async function* ({ type }: { readonly type: string }) {
        for (const [id, command] of Object.entries(commands)) {
          const isKubelet = id === "kubelet";
          if (type.startsWith("KubeletSpecs") !== isKubelet) continue;
          const spec = isKubelet
            ? { args: command }
            : { spec: { containers: [{ command }] } };
          yield {
            resource: {
              metadata: { id },
              spec: { yamlSpec: JSON.stringify(spec) },
            },
          };
        }
      },
    },
  }).nodes.at("a");
}

Deno.test("flags, feature gates and admission plugins that a version removed are found", async () => {
  const client = await node({
    "kube-apiserver": [
      "/usr/local/bin/kube-apiserver",
      "--feature-gates=AppArmor=true,JobTrackingWithFinalizers=true",
      "--enable-admission-plugins=SecurityContextDeny,NodeRestriction",
      "--cloud-config=/etc/cloud",
    ],
    "kube-scheduler": ["--feature-gates=KMSv2=true"],
    kubelet: ["--cloud-config=/etc/cloud", "--feature-gates=AppArmor=true"],
  });
  const names = async (from: string, to: string) =>
    (await removedOnNode(client, { from, to })).map((use) =>
      removedText(use, to)
    );
  assert.deepEqual(await names("v1.32.4", "v1.33.0"), [
    "kube-apiserver uses the flag cloud-config, which v1.33.0 does not have",
    "kube-apiserver uses the feature gate AppArmor, which v1.33.0 does not have",
  ]);
  assert.deepEqual(await names("v1.29.0", "v1.30.0"), [
    "kube-apiserver uses the admission plugin SecurityContextDeny, which v1.30.0 does not have",
  ]);
  assert.deepEqual(await names("v1.31.0", "v1.32.0"), [
    "kube-scheduler uses the feature gate KMSv2, which v1.32.0 does not have",
  ]);
  assert.deepEqual(await names("v1.33.1", "v1.34.0"), [
    "kubelet uses the flag cloud-config, which v1.34.0 does not have",
  ]);
  assert.deepEqual(await names("v1.33.0", "v1.33.9"), []);
});

Deno.test("objects that are written with a deprecated API are named", async () => {
  const line = (group: string, resource: string, version: string, more = "") =>
    `apiserver_requested_deprecated_apis{group="${group}",${more}resource="${resource}",subresource="",version="${version}"} 1`;
  const written = (name: string, apiVersion: string) => ({
    metadata: { namespace: "lab", name, managedFields: [{ apiVersion }] },
  });
  const kubernetes = answering({
    "/metrics": {
      text: [
        "# HELP apiserver_requested_deprecated_apis Gauge",
        line("policy", "pdbs", "v1beta1", 'removed_release="1.36",'),
        line("", "componentstatuses", "v1"),
        'apiserver_request_total{code="200"} 7',
      ].join("\n"),
    },
    "/apis/policy/v1beta1/pdbs": {
      items: [written("web", "policy/v1beta1"), written("db", "policy/v1")],
    },
  });
  const uses = await deprecatedObjects(kubernetes, signal);
  assert.deepEqual(uses.map(deprecatedText), [
    "lab/web uses the resource pdbs.v1beta1.policy, which is deprecated and removed in v1.36.0",
    "a client uses the resource componentstatuses.v1, which is deprecated",
  ]);
  assert.deepEqual(await deprecatedObjects(answering({}), signal), []);
});
