/** Objects of a Kubernetes test run, and their cleanup. */

import { poll } from "../../lib/poll.ts";
import { formatDuration } from "../../lib/duration.ts";
import { RefusedError } from "../../errors.ts";
import {
  type Kubernetes,
  KubernetesError,
  readFields,
} from "../kubernetes/client.ts";
import { existing } from "../kubernetes/objects.ts";
import type { OperationClock } from "../../lib/clock.ts";

/** Namespace of the test pod. */
export const testNamespace = "conformance";

/** Container that runs the tests, with the upstream image. */
export const runnerContainer = "conformance-container";

/** Container that prints the result files to its log after the tests. */
export const resultsContainer = "output-container";

/** Image of {@linkcode resultsContainer}: the shell image of the tests themselves. */
export const defaultResultsImage =
  "registry.k8s.io/e2e-test-images/busybox:1.36.1-1";

/** Result files to fetch, by their names in the pod. */
export const resultFiles = ["e2e.log", "junit_01.xml"] as const;

/** Name of a result file. */
export type ResultFile = typeof resultFiles[number];

/** Labels of the namespace; a namespace without them is never removed. */
const ownLabels = { "app.kubernetes.io/managed-by": "osctl" };

const account = "conformance-serviceaccount";
const role = `${account}:${testNamespace}`;
const binding = `${account}-role:${testNamespace}`;

const namespacePath = `/api/v1/namespaces/${testNamespace}`;
const podsPath = `${namespacePath}/pods`;

/** Path of the test pod. */
export const testPodPath = `${podsPath}/e2e-conformance-test`;

const rbac = "/apis/rbac.authorization.k8s.io/v1";

const resultsFolder = "/tmp/results";

/** Tests to run, and their images. */
export interface TestSuite {
  /** Regular expression (Go) of tests to run. */
  readonly focus: string;
  /** Regular expression (Go) of tests to skip among them; empty for none. */
  readonly skip: string;
  readonly processes: number;
  readonly image: string;
  /** Image with a shell, `gzip` and `base64`. */
  readonly resultsImage: string;
}

/** Image for a version of Kubernetes: `v1.34.1`, also with build metadata after a `+`. */
export function imageFor(gitVersion: string): string {
  const [version = ""] = gitVersion.split("+");
  return `registry.k8s.io/conformance:${version}`;
}

/**
 * Objects of a run with their paths, in creation order.
 *
 * @param limitMs Timeout after which the runner aborts its tests, in milliseconds.
 */
export function testObjects(suite: TestSuite, limitMs: number): readonly {
  readonly path: string;
  readonly body: unknown;
}[] {
  const apiGroup = "rbac.authorization.k8s.io";
  const namespace = testNamespace;
  return [
    {
      path: "/api/v1/namespaces",
      body: { metadata: { name: namespace, labels: ownLabels } },
    },
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
    { path: podsPath, body: testPod(suite, limitMs) },
  ];
}

/**
 * Results are printed compressed: a kubelet keeps 10 MiB of a log, and base64 of gzip shows truncation. The runner
 * writes `done` last, also when tests have failed.
 */
const printResults = [
  "until [ -e done ]; do sleep 1; done",
  `for f in ${resultFiles.join(" ")}; do`,
  '[ -e "$f" ] && { echo "file $f"; gzip -c "$f" | base64; }',
  "done",
  "echo end",
].join("\n");

function testPod(
  { focus, skip, processes, image, resultsImage }: TestSuite,
  limitMs: number,
): unknown {
  const flags = [
    ...processes > 1 ? [`--procs=${processes}`] : [],
    // A runner that stops by itself writes the results of finished tests.
    `--timeout=${formatDuration(limitMs)}`,
  ];
  const environment = {
    E2E_FOCUS: focus,
    E2E_SKIP: skip,
    E2E_PROVIDER: "skeleton",
    E2E_VERBOSITY: "4",
    E2E_USE_GO_RUNNER: "true",
    E2E_EXTRA_GINKGO_ARGS: flags.join(" "),
  };
  const volumeMounts = [{ name: "results", mountPath: resultsFolder }];
  return {
    metadata: { name: "e2e-conformance-test", namespace: testNamespace },
    spec: {
      containers: [{
        name: runnerContainer,
        image,
        env: Object.entries(environment)
          .map(([name, value]) => ({ name, value })),
        securityContext: { runAsUser: 65_534 },
        volumeMounts,
      }, {
        name: resultsContainer,
        image: resultsImage,
        command: ["sh", "-c", printResults],
        workingDir: resultsFolder,
        volumeMounts,
      }],
      volumes: [{ name: "results", emptyDir: {} }],
      restartPolicy: "Never",
      serviceAccountName: account,
      tolerations: [{ operator: "Exists" }],
    },
  };
}

const ownNamespaces = "/api/v1/namespaces?labelSelector=e2e-run";

/**
 * Removes everything a run leaves, and waits until it is gone; does nothing if nothing is left. Aborted tests leave
 * their own namespaces: those as old as the test pod or younger are removed, too.
 *
 * @throws {KubernetesError} If the server refuses or does not answer.
 * @throws {RefusedError} If the namespace is not of a run like this one.
 */
export async function removeTests(
  kubernetes: Pick<Kubernetes, "request">,
  clock: OperationClock,
  signal: AbortSignal,
): Promise<void> {
  await refuseForeign(kubernetes, signal);
  const since = await createdAt(kubernetes, testPodPath, signal);
  // Account and pod are in the namespace; without it no test creates anything.
  for (
    const path of [
      `${rbac}/clusterrolebindings/${binding}`,
      `${rbac}/clusterroles/${role}`,
      namespacePath,
    ]
  ) {
    await removeObject(kubernetes, path, signal);
  }
  await untilGone(kubernetes, namespacePath, { clock, signal });
  if (since === undefined) return;
  const { items } = await kubernetes.request(ownNamespaces, { signal });
  for (const item of Array.isArray(items) ? items.map(readFields) : []) {
    const { name, creationTimestamp } = readFields(item.metadata);
    if (String(creationTimestamp) < since) continue;
    await removeObject(kubernetes, `/api/v1/namespaces/${name}`, signal);
  }
}

async function refuseForeign(
  kubernetes: Pick<Kubernetes, "request">,
  signal: AbortSignal,
): Promise<void> {
  const found = await existing(kubernetes, namespacePath, signal);
  if (found === undefined) return;
  const labels = readFields(readFields(found.metadata).labels);
  if (Object.entries(ownLabels).every(([name, is]) => labels[name] === is)) {
    return;
  }
  throw new RefusedError(
    `Cannot run the tests: namespace "${testNamespace}" exists and was not created by osctl`,
    {
      hint:
        `If nothing in it is needed, delete it with: kubectl delete namespace ${testNamespace}`,
    },
  );
}

/** Creation time of an object, ISO 8601; `undefined` if it does not exist. */
async function createdAt(
  kubernetes: Pick<Kubernetes, "request">,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await existing(kubernetes, path, signal);
  const { creationTimestamp } = readFields(found?.metadata);
  return typeof creationTimestamp === "string" ? creationTimestamp : undefined;
}

async function removeObject(
  kubernetes: Pick<Kubernetes, "request">,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await kubernetes.request(path, { method: "DELETE", signal });
  } catch (error) {
    // Already deleted or terminating.
    const isGone = error instanceof KubernetesError &&
      (error.code === 404 || error.code === 409);
    if (!isGone) throw error;
  }
}

async function untilGone(
  kubernetes: Pick<Kubernetes, "request">,
  path: string,
  { clock, signal }: {
    readonly clock: OperationClock;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  for await (const _ of poll({ clock, signal }, { everyMs: 1_000 })) {
    if (await existing(kubernetes, path, signal) === undefined) return;
  }
  signal.throwIfAborted();
}
