import assert from "node:assert/strict";
import { runRehearsal, succeeded, summarizeEnd } from "./_runbooks.ts";

const parts = ["controlPlane", "proxy", "kubelet", "manifests"] as const;

/** Rehearses an upgrade, all of it or one part; whatever happened, everything that must hold did. */
async function upgrade(
  faults: readonly string[],
  { part, cluster = "1cp+1w" }: {
    readonly part?: typeof parts[number];
    readonly cluster?: string;
  } = {},
) {
  const others = part === undefined
    ? []
    : parts.filter((one) => one !== part).map((one) => `${one}=false`);
  const seen = await runRehearsal({
    runbook: "builtin:upgrade-kubernetes",
    inputs: ["version=v1.35.0", ...others],
    cluster,
    faults,
  });
  assert.deepEqual(seen.violated, []);
  assert.deepEqual(seen.problems, []);
  return seen;
}

Deno.test("a webhook that refuses a manifest is quoted with the object, and nothing is tried again", async () => {
  const seen = await upgrade(["k8s: webhook-refuses @ manifests"], {
    part: "manifests",
  });
  assert.deepEqual(summarizeEnd(seen), ["failed", 1, "precondition"]);
  assert.deepEqual(seen.report?.failure, {
    step: "manifests",
    code: "precondition",
    message:
      'k8s.applyManifests: apps/v1.DaemonSet/kube-system/kube-flannel: admission webhook "policy.example.com" denied the request: workloads are frozen',
  });
});

Deno.test("a kubelet that restarts late is waited for, for ten minutes", async () => {
  assert.deepEqual(
    summarizeEnd(await upgrade(["node/worker-1: kubelet-late 8m"])),
    succeeded,
  );
  const seen = await upgrade(["node/worker-1: kubelet-late 20m"]);
  assert.deepEqual(summarizeEnd(seen), ["failed", 4, "gate-timeout"]);
  assert.equal(
    seen.report?.failure?.message,
    "demo-worker-1 failed: k8s.componentUpdated: kubelet is finished (Service finished successfully) (after 10m0s)",
  );
});

Deno.test("a node that goes away stops the upgrade unless it is back soon", async () => {
  const fault = "node/worker-1: down @ kubelet-workers/*";
  assert.deepEqual(
    summarizeEnd(await upgrade([`${fault} for 30s`])),
    succeeded,
  );
  const seen = await upgrade([fault]);
  assert.deepEqual(summarizeEnd(seen), ["failed", 1, "unavailable"]);
  assert.equal(seen.report?.failure?.step, "kubelet-workers/image");
});

Deno.test("an image that no node can pull stops the upgrade before anything changes", async () => {
  const seen = await upgrade(["registry: not-found @ prepull"]);
  assert.deepEqual(summarizeEnd(seen), ["failed", 1, "registry"]);
  assert.match(
    seen.report?.failure?.message ?? "",
    /^demo-[\w-]+ failed: .*registry\.k8s\.io\/kube-[a-z]+:v1\.35\.0: not found; also failed: demo-[\w-]+ \(\S+\)$/s,
  );
  const changes = seen.after.calls.filter(({ method }) =>
    method === "ApplyConfiguration"
  );
  assert.deepEqual(changes, []);
});

Deno.test("a certificate that ends meanwhile is read again where a node signs it, and else named", async () => {
  // That of the kubeconfig is for a year, that of the client configuration for longer.
  assert.deepEqual(
    summarizeEnd(
      await upgrade(["node/controlplane-*: skew 9000h @ scheduler"], {
        part: "controlPlane",
      }),
    ),
    succeeded,
  );
  const seen = await upgrade([
    "node/controlplane-*: skew 900000h @ scheduler",
  ], { part: "controlPlane" });
  assert.deepEqual(summarizeEnd(seen), ["failed", 1, "unavailable"]);
  assert.equal(
    seen.report?.failure?.message,
    'demo-controlplane-1 failed: k8s.setImage: demo-controlplane-1: Cannot connect to "10.5.0.2:50000": it does not accept the client certificate',
  );
});

Deno.test("a configuration whose answer is lost is sent once", async () => {
  const seen = await upgrade([
    "rpc/ApplyConfiguration: drop-after-send times 1",
  ], { part: "proxy" });
  assert.deepEqual(summarizeEnd(seen), succeeded);
  assert.deepEqual(
    seen.after.calls.filter(({ method }) => method === "ApplyConfiguration")
      .map(({ node }) => node),
    ["demo-controlplane-1"],
  );
});
