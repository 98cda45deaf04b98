/** Objects that tests in Kubernetes are run with. */

/** Namespace everything is in. */
const namespace = "conformance";

/** Account the tests have. */
const account = "conformance-serviceaccount";

/** Name of the role, and of what binds it to the account. */
const role = `${account}:${namespace}`;
const binding = `${account}-role:${namespace}`;

/** Name of the pod that runs the tests. */
export const podName = "e2e-conformance-test";

/** Place of the namespace. */
export const namespacePath: string = `/api/v1/namespaces/${namespace}`;
/** Place of pods. */
export const podsPath: string = `${namespacePath}/pods`;
/** Place of the account. */
export const accountPath: string =
  `${namespacePath}/serviceaccounts/${account}`;

const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** Place of the role. */
export const rolePath: string = `${rbac}/clusterroles/${role}`;
/** Place of what binds it. */
export const bindingPath: string = `${rbac}/clusterrolebindings/${binding}`;

/** Tests that are run: pods and services do what they are for. */
const focus = [
  "Pods should be submitted and removed",
  "Services should serve a basic endpoint from pods",
  "Services should be able to change the type from ExternalName to ClusterIP",
].join("|");

/** Something to make. */
export interface Made {
  /** Where it is made. */
  readonly path: string;
  /** The object. */
  readonly body: unknown;
}

/**
 * Objects for one run, in the order they are made.
 *
 * @param version Version of Kubernetes: `v1.34.1`.
 */
export function testObjects(version: string): readonly Made[] {
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
