/** Objects that tests of Kubernetes need while they run, and how they are removed again. */

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

/** Container that runs the tests; its image is made by the developers of Kubernetes. */
export const runnerContainer = "conformance-container";

/** Container that prints the result files to its log once the tests have finished. */
export const resultsContainer = "output-container";

/** Image of {@linkcode resultsContainer}: the one the tests themselves use as a shell. */
export const defaultResultsImage =
  "registry.k8s.io/e2e-test-images/busybox:1.36.1-1";

/** Result files that are fetched, by their names in the pod. */
export const resultFiles = ["e2e.log", "junit_01.xml"] as const;

/** Name of a result file. */
export type ResultFile = typeof resultFiles[number];

/** Labels of the namespace; one without them is not removed. */
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

/** Which tests run, and in which images. */
export interface TestSuite {
  /** Regular expression (Go) of the tests that run. */
  readonly focus: string;
  /** Regular expression (Go) of those among them that are skipped; empty for none. */
  readonly skip: string;
  /** Number of tests that run at once. */
  readonly processes: number;
  readonly image: string;
  /** Image with a shell, `gzip` and `base64`. */
  readonly resultsImage: string;
}

/** Image that fits a version of Kubernetes: `v1.34.1`, also with build metadata behind a `+`. */
export function imageFor(gitVersion: string): string {
  const [version = ""] = gitVersion.split("+");
  return `registry.k8s.io/conformance:${version}`;
}

/**
 * Objects for one run, in the order in which they are created, and where.
 *
 * @param limitMs Time after which the runner ends the tests, in milliseconds.
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
 * The results are printed compressed: a kubelet keeps 10 MiB of a log, and its base64 tells whether all of it arrived.
 * The runner writes `done` last, also when tests have failed.
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
    // A runner that ends by itself writes the results of the tests that have run.
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

/** Label of the namespaces that tests create for themselves. */
const ownNamespaces = "/api/v1/namespaces?labelSelector=e2e-run";

/**
 * Removes everything a run leaves, and waits until it is gone; nothing happens where nothing is left. Tests that are
 * stopped leave namespaces of their own: those that are as old as the test pod or younger are removed, too.
 *
 * @throws {KubernetesError} If the server says no, or does not answer.
 * @throws {RefusedError} If the namespace is not of a run like this one.
 */
export async function removeTests(
  kubernetes: Pick<Kubernetes, "request">,
  clock: OperationClock,
  signal: AbortSignal,
): Promise<void> {
  await refuseForeign(kubernetes, signal);
  const since = await createdAt(kubernetes, testPodPath, signal);
  // The account and the pod are in the namespace; without it no test creates anything.
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

/** When an object was created, ISO 8601; `undefined` when there is none. */
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
    // It is gone already, or going.
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
