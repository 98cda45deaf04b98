import assert from "node:assert/strict";
import { manifestObjects } from "../../../simulator/node/contents/manifests.ts";
import {
  KubernetesError,
  type KubernetesObject,
} from "../../../workflows/kubernetes/client.ts";
import {
  readInventory,
  writeInventory,
} from "../../../workflows/kubernetes/manifest_objects.ts";
import { removedObjects } from "../../../workflows/kubernetes/removals.ts";
import {
  applyManifests,
  planManifests,
} from "../../../workflows/kubernetes/manifests.ts";
import { startKubernetes } from "./_kubernetes.ts";
import { testOnBoth } from "./_servers.ts";

const objects: readonly KubernetesObject[] = manifestObjects(
  "r/kube-proxy:v1.35.0",
).map((object) => ({ ...object }));
const inventory =
  "/api/v1/namespaces/kube-system/configmaps/talos-bootstrap-manifests-inventory";
const extra: KubernetesObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "system:extra" },
};

Deno.test("server-side apply lists objects in the inventory, and prunes those that are gone from the manifests", async () => {
  const { kubernetes, signal, ask } = await startKubernetes();
  const options = { serverSide: true, prune: true, signal };
  const all = [...objects, extra];
  await Array.fromAsync(applyManifests(kubernetes, all, options));
  const keys = Object.keys(ask(`GET ${inventory}`).data);
  assert.equal(keys.length, all.length);
  assert.ok(
    keys.includes("_system__extra_rbac.authorization.k8s.io_ClusterRole"),
  );
  assert.ok(keys.includes("kube-system_kube-proxy_apps_DaemonSet"));
  assert.deepEqual(await planManifests(kubernetes, all, options), []);
  const kept = { ...options, prune: false };
  assert.deepEqual(await planManifests(kubernetes, objects, kept), []);
  const pruned = await Array.fromAsync(
    applyManifests(kubernetes, objects, options),
    ({ action, object }) => `${action} ${object}`,
  );
  assert.deepEqual(pruned, [
    "prune rbac.authorization.k8s.io/v1.ClusterRole/system:extra",
  ]);
  assert.equal(
    Object.keys(ask(`GET ${inventory}`).data).length,
    objects.length,
  );
});

Deno.test("objects of another inventory are refused, and nothing is changed", async () => {
  const { kubernetes, signal, answer, requests } = await startKubernetes();
  const owner = { "config.k8s.io/owning-inventory": "another" };
  answer("POST /apis/rbac.authorization.k8s.io/v1/clusterroles", {
    ...extra,
    metadata: { name: "system:extra", annotations: owner },
  });
  const options = { serverSide: true, prune: false, signal };
  await assert.rejects(
    Array.fromAsync(applyManifests(kubernetes, [extra], options)),
    {
      name: "RefusedError",
      message:
        'Cannot apply rbac.authorization.k8s.io/v1.ClusterRole/system:extra: it belongs to the inventory "another"',
    },
  );
  assert.ok(requests.every((line) => line.startsWith("GET ")));
});

Deno.test("contents of Secrets are not in a diff, but that they change is", async () => {
  const { kubernetes, signal, answer } = await startKubernetes();
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", namespace: "kube-system" },
  };
  answer("POST /api/v1/namespaces/kube-system/secrets", {
    ...secret,
    data: { token: "b2xkLXNlY3JldA==" },
  });
  const now = { ...secret, data: { token: "bmV3LXNlY3JldA==" } };
  const options = { serverSide: false, prune: false, signal };
  const [change] = await planManifests(kubernetes, [now], options);
  assert.equal(
    change?.diff,
    `@@ -1,6 +1,6 @@
 apiVersion: v1
 data:
-    token: (redacted, 16 characters)
+    token: (redacted, 16 characters, changed)
 kind: Secret
 metadata:
     name: s
`,
  );
});

Deno.test("a change that always meets a conflict fails with it", async () => {
  const { kubernetes, signal } = await startKubernetes();
  let puts = 0;
  const request: typeof kubernetes.request = (path, asked) => {
    if (asked.method !== "PUT") return kubernetes.request(path, asked);
    puts++;
    return Promise.reject(new KubernetesError(409, "it has been modified"));
  };
  await assert.rejects(
    planManifests({ request }, objects, {
      serverSide: false,
      prune: false,
      signal,
    }),
    /v1\.Secret\/kube-system\/bootstrap-token: it has been modified/,
  );
  assert.equal(puts, 11);
});

const configMap = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "kube-system" },
  data: { name },
});

const daemonSet = (image: string) => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: "agent", namespace: "kube-system" },
  spec: {
    selector: { matchLabels: { app: "agent" } },
    template: {
      metadata: { labels: { app: "agent" } },
      spec: { containers: [{ name: "main", image }] },
    },
  },
});

const { signal } = new AbortController();

testOnBoth(
  "manifests of a node are applied whole, and have nothing to change afterwards",
  async ({ kubernetes }) => {
    const options = { serverSide: true, prune: true, signal };
    const all = await Array.fromAsync(
      applyManifests(kubernetes, objects, options),
    );
    assert.equal(all.length, objects.length);
    assert.deepEqual(await planManifests(kubernetes, objects, options), []);
  },
);

testOnBoth(
  "manifests are compared, applied, listed in the inventory and pruned",
  async ({ kubernetes }) => {
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "system:agent" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    };
    const options = { serverSide: true, prune: true, signal };
    const first = [
      role,
      configMap("one"),
      configMap("two"),
      daemonSet("r/agent:v1"),
    ];
    const applied = (objects: readonly KubernetesObject[]) =>
      Array.fromAsync(
        applyManifests(kubernetes, objects, options),
        ({ action, object }) => `${action} ${object}`,
      );
    assert.deepEqual(await applied(first), [
      "create rbac.authorization.k8s.io/v1.ClusterRole/system:agent",
      "create v1.ConfigMap/kube-system/one",
      "create v1.ConfigMap/kube-system/two",
      "create apps/v1.DaemonSet/kube-system/agent",
    ]);
    assert.deepEqual(await planManifests(kubernetes, first, options), []);
    assert.deepEqual(
      (await readInventory(kubernetes, signal)).toSorted(),
      [
        "_system__agent_rbac.authorization.k8s.io_ClusterRole",
        "kube-system_agent_apps_DaemonSet",
        "kube-system_one__ConfigMap",
        "kube-system_two__ConfigMap",
      ],
    );
    const second = [role, configMap("one"), daemonSet("r/agent:v2")];
    const [change, prune, ...more] = await planManifests(
      kubernetes,
      second,
      options,
    );
    assert.deepEqual(more, []);
    assert.equal(change?.object, "apps/v1.DaemonSet/kube-system/agent");
    assert.deepEqual(
      change.diff.split("\n").filter((line) => /^[-+]/.test(line))
        .map((line) => line.replace(/^(.)\s*(?:- )?/, "$1")),
      ["-image: r/agent:v1", "+image: r/agent:v2"],
    );
    assert.deepEqual([prune?.action, prune?.object], [
      "prune",
      "v1.ConfigMap/kube-system/two",
    ]);
    assert.match(prune?.diff ?? "", /^-data:\n-\s+name: two$/m);
    assert.deepEqual(await applied(second), [
      "change apps/v1.DaemonSet/kube-system/agent",
      "prune v1.ConfigMap/kube-system/two",
    ]);
    assert.deepEqual(await planManifests(kubernetes, second, options), []);
    // Nodes before v1.13 replace objects.
    const old = { ...options, serverSide: false, prune: false };
    const replaced = [daemonSet("r/agent:v3")];
    await Array.fromAsync(applyManifests(kubernetes, replaced, old));
    assert.deepEqual(await planManifests(kubernetes, replaced, old), []);
    // Later servers have no objects of removed versions.
    const path = { from: "v1.24.0", to: "v1.35.0" };
    assert.deepEqual(await removedObjects(kubernetes, path, signal), []);
  },
);

testOnBoth(
  "an object of the whole cluster with a namespace in its manifest is not pruned, and others get a namespace",
  async ({ kubernetes }) => {
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "reader", namespace: "kube-system" },
    };
    const { namespace: _, ...metadata } = configMap("free").metadata;
    const manifests = [role, { ...configMap("free"), metadata }];
    const options = { serverSide: true, prune: true, signal };
    const listed = [
      "_reader_rbac.authorization.k8s.io_ClusterRole",
      "default_free__ConfigMap",
    ];
    // Nodes of v1.13 list the namespace of the manifest, those of v1.14 do not.
    const old = ["kube-system_reader_rbac.authorization.k8s.io_ClusterRole"];
    for (const references of [[], listed, old]) {
      await writeInventory(kubernetes, references, signal);
      const changes = applyManifests(kubernetes, manifests, options);
      assert.deepEqual(
        await Array.fromAsync(changes, ({ action }) => action),
        references.length === 0 ? ["create", "create"] : [],
      );
      assert.deepEqual(await planManifests(kubernetes, manifests, options), []);
      assert.deepEqual(
        (await readInventory(kubernetes, signal)).toSorted(),
        listed,
      );
    }
  },
);

testOnBoth(
  "an object whose fields cannot be changed is refused, and recreated with force",
  async ({ kubernetes }) => {
    const options = { serverSide: true, prune: false, signal };
    await Array.fromAsync(
      applyManifests(kubernetes, [daemonSet("r/agent:v1")], options),
    );
    const path = "/apis/apps/v1/namespaces/kube-system/daemonsets/agent";
    const before = await kubernetes.request(path, { signal });
    const other = daemonSet("r/agent:v1");
    const labels = { name: "agent" };
    other.spec.selector.matchLabels = labels as never;
    other.spec.template.metadata.labels = labels as never;
    await assert.rejects(
      planManifests(kubernetes, [other], options),
      /DaemonSet\/kube-system\/agent: .*field is immutable/,
    );
    const forced = { ...options, force: true };
    const [change] = await planManifests(kubernetes, [other], forced);
    assert.equal(change?.action, "recreate");
    assert.match(change.diff, /^-\s+app: agent$/m);
    const same = await kubernetes.request(path, { signal });
    assert.equal(same.metadata?.uid, before.metadata?.uid);
    await Array.fromAsync(applyManifests(kubernetes, [other], forced));
    const after = await kubernetes.request(path, { signal });
    assert.notEqual(after.metadata?.uid, before.metadata?.uid);
    assert.deepEqual(await planManifests(kubernetes, [other], options), []);
  },
);

testOnBoth(
  "the inventory policy decides which existing objects are changed",
  async ({ kubernetes }) => {
    const free = { ...configMap("free"), data: { name: "other" } };
    const owned = {
      ...configMap("owned"),
      metadata: {
        ...configMap("owned").metadata,
        annotations: { "config.k8s.io/owning-inventory": "another" },
      },
    };
    const maps = "/api/v1/namespaces/kube-system/configmaps";
    for (const body of [free, owned]) {
      await kubernetes.request(maps, { method: "POST", body, signal });
    }
    const plan = async (
      name: string,
      inventoryPolicy: "AdoptIfNoInventory" | "MustMatch" | "AdoptAll",
    ) => {
      const options = { prune: false, serverSide: true, signal };
      try {
        const [change] = await planManifests(
          kubernetes,
          [configMap(name)],
          { ...options, inventoryPolicy },
        );
        return change?.action;
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    const refused = (name: string, why: string) =>
      `Cannot apply v1.ConfigMap/kube-system/${name}: ${why}`;
    const foreign = refused("owned", 'it belongs to the inventory "another"');
    assert.deepEqual(
      [await plan("free", "MustMatch"), await plan("owned", "MustMatch")],
      [refused("free", "it belongs to no inventory"), foreign],
    );
    assert.equal(await plan("new", "MustMatch"), "create");
    assert.equal(await plan("free", "AdoptIfNoInventory"), "change");
    assert.equal(await plan("owned", "AdoptIfNoInventory"), foreign);
    assert.equal(await plan("owned", "AdoptAll"), "change");
    const adopt = {
      ...{ serverSide: true, prune: false, signal },
      inventoryPolicy: "AdoptAll" as const,
    };
    const both = [configMap("free"), configMap("owned")];
    await Array.fromAsync(applyManifests(kubernetes, both, adopt));
    assert.equal(await plan("owned", "MustMatch"), undefined);
  },
);

Deno.test("an inventory policy and pruning are refused where nodes keep no inventory", async () => {
  const { kubernetes, signal } = await startKubernetes();
  const needed =
    "needs nodes of v1.13 or later: earlier ones keep no inventory";
  const cases = [
    [
      { prune: false, inventoryPolicy: "MustMatch" },
      "Inventory policy MustMatch",
    ],
    [{ prune: true }, "Pruning"],
  ] as const;
  for (const [options, what] of cases) {
    await assert.rejects(
      planManifests(kubernetes, objects, {
        ...{ serverSide: false, signal, ...options },
      }),
      { name: "RefusedError", message: `${what} ${needed}` },
    );
  }
});
