/** Tests of Kubernetes itself, run in the cluster by the image its developers make for that. */

import type { OperationClock } from "../../operations/operation.ts";
import { fieldsOf, type Kubernetes } from "../../kubernetes/client.ts";
import { existing } from "../../kubernetes/objects.ts";
import { holds } from "../check.ts";
import type { HealthCheck } from "./health_site.ts";

/** Namespace everything is in. */
const namespace = "conformance";

/** Account the tests have. */
const account = "conformance-serviceaccount";

/** Name of the role, and of what binds it to the account. */
const role = `${account}:${namespace}`;
const binding = `${account}-role:${namespace}`;

/** Name of the pod that runs the tests. */
const podName = "e2e-conformance-test";

/** Place of the namespace. */
const namespacePath = `/api/v1/namespaces/${namespace}`;
/** Place of pods. */
const podsPath = `${namespacePath}/pods`;
/** Place of the account. */
const accountPath = `${namespacePath}/serviceaccounts/${account}`;

const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** Place of the role. */
const rolePath = `${rbac}/clusterroles/${role}`;
/** Place of what binds it. */
const bindingPath = `${rbac}/clusterrolebindings/${binding}`;

/** Tests that are run: pods and services do what they are for. */
const focus = [
  "Pods should be submitted and removed",
  "Services should serve a basic endpoint from pods",
  "Services should be able to change the type from ExternalName to ClusterIP",
].join("|");

/** Time between two looks at the pod, in milliseconds. */
const everyMs = 2_000;

/** Makes the condition that a few tests succeed. */
export function e2eCheck(clock: OperationClock, limitMs: number): HealthCheck {
  return {
    name: "tests in Kubernetes to succeed",
    limitMs,
    async run({ kubernetes, signal }) {
      const api = await kubernetes();
      await cleanUp(api, clock, signal);
      try {
        const version = await api.request("/version", { signal });
        await start(api, String(version.gitVersion), signal);
        const code = await exitCode(api, clock, signal);
        // Tests that have failed do not get better by being run again.
        return code === 0 ? holds("") : {
          ok: false,
          reason: `they exited with status ${code}`,
          final: true,
        };
      } finally {
        await cleanUp(api, clock, new AbortController().signal);
      }
    },
  };
}

async function start(
  kubernetes: Kubernetes,
  version: string,
  signal: AbortSignal,
): Promise<void> {
  for (const { path, body } of testObjects(version)) {
    // Each needs those before it.
    await kubernetes.request(path, { method: "POST", body, signal });
  }
}

async function exitCode(
  kubernetes: Kubernetes,
  clock: OperationClock,
  signal: AbortSignal,
): Promise<number> {
  while (true) {
    const pod = await kubernetes.request(`${podsPath}/${podName}`, { signal });
    const { containerStatuses, phase } = fieldsOf(pod.status);
    const [status] = Array.isArray(containerStatuses) ? containerStatuses : [];
    const { terminated } = fieldsOf(fieldsOf(status).state);
    if (terminated !== undefined) return Number(fieldsOf(terminated).exitCode);
    if (phase === "Succeeded") return 0;
    if (phase === "Failed") return 1;
    await clock.sleep(everyMs, signal);
    signal.throwIfAborted();
  }
}

/** Removes what a run leaves, and waits until it is gone. */
async function cleanUp(
  kubernetes: Kubernetes,
  clock: OperationClock,
  signal: AbortSignal,
): Promise<void> {
  for (const path of [bindingPath, rolePath, accountPath, namespacePath]) {
    const found = await existing(kubernetes, path, signal);
    if (found === undefined) continue;
    await kubernetes.request(path, { method: "DELETE", signal });
  }
  while (await existing(kubernetes, namespacePath, signal) !== undefined) {
    await clock.sleep(everyMs, signal);
    signal.throwIfAborted();
  }
}

/** What is made for one run of a version such as `v1.34.1`, in this order, and where. */
export function testObjects(version: string): readonly {
  /** Where it is made. */
  readonly path: string;
  /** The object. */
  readonly body: unknown;
}[] {
  const apiGroup = "rbac.authorization.k8s.io";
  return [
    { path: "/api/v1/namespaces", body: { metadata: { name: namespace } } },
    {
      path: `${namespacePath}/serviceaccounts`,
      body: { metadata: { name: account, namespace } },
    },
    {
      path: `${rbac}/clusterroles`,
      body: {
        metadata: { name: role },
        rules: [
          { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
          { nonResourceURLs: ["/metrics", "/logs", "/logs/*"], verbs: ["get"] },
        ],
      },
    },
    {
      path: `${rbac}/clusterrolebindings`,
      body: {
        metadata: { name: binding },
        roleRef: { apiGroup, kind: "ClusterRole", name: role },
        subjects: [{ kind: "ServiceAccount", name: account, namespace }],
      },
    },
    { path: podsPath, body: pod(version) },
  ];
}

function pod(version: string): unknown {
  const environment = {
    E2E_FOCUS: focus,
    E2E_SKIP: "",
    E2E_PROVIDER: "skeleton",
    E2E_VERBOSITY: "4",
    E2E_USE_GO_RUNNER: "true",
    E2E_EXTRA_GINKGO_ARGS: "--procs=2",
  };
  return {
    metadata: { name: podName, namespace },
    spec: {
      containers: [{
        name: "conformance-container",
        image: `registry.k8s.io/conformance:${version}`,
        env: Object.entries(environment).map(([name, value]) => ({
          name,
          value,
        })),
        securityContext: { runAsUser: 65_534 },
        volumeMounts: [{ name: "results", mountPath: "/tmp/results" }],
      }],
      volumes: [{ name: "results", emptyDir: {} }],
      restartPolicy: "Never",
      serviceAccountName: account,
      tolerations: [{ operator: "Exists" }],
    },
  };
}
