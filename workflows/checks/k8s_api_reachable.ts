import { OsctlError } from "../../errors.ts";
import { type Kubernetes, KubernetesError } from "../kubernetes/client.ts";
import { connectKubernetes } from "../kubernetes/connect.ts";
import { readKubeconfig } from "../kubernetes/kubeconfig.ts";
import { memberNamed } from "../operations/cluster_view.ts";
import type { Check, CheckSite } from "./check.ts";
import { counted, holds, lacks } from "./finding.ts";

/** Whether the API of Kubernetes answers. */
export const k8sApiReachable: Check = {
  name: "k8s.apiReachable",
  summary: "The API of Kubernetes answers",
  scope: "cluster",
  input: {
    trust: {
      type: "enum",
      summary: "both: also with the kubeconfigs that control planes make now",
      values: ["any", "both"],
      initial: "any",
    },
  },
  async look(site, input) {
    await readiness(await site.cluster.kubernetes(), site.signal);
    if (input.trust !== "both") return holds("Kubernetes answers");
    const addresses = await addressesOf(site);
    const results = await Promise.all(
      addresses.map((address) => freshProblem(site, address)),
    );
    const [problem] = results.filter((text) => text !== undefined);
    return problem === undefined
      ? holds(`answers ${counted(addresses.length, "kubeconfig")} of now`)
      : lacks(problem);
  },
};

/** Control planes: the node of the fan-out, if it is one, else all. */
async function addressesOf(
  { cluster, node }: Pick<CheckSite, "cluster" | "node">,
): Promise<readonly string[]> {
  const members = await cluster.members();
  const own = node === undefined ? undefined : memberNamed(members, node);
  return (own?.controlPlane ? [own] : members)
    .flatMap(({ address, controlPlane }) => controlPlane ? [address] : []);
}

/** Asks with the kubeconfig a control plane makes now. */
async function freshProblem(
  { cluster, signal }: Pick<CheckSite, "cluster" | "signal">,
  address: string,
): Promise<string | undefined> {
  try {
    const client = await cluster.at(address);
    const { openKubernetes: open } = cluster;
    using kubernetes = connectKubernetes({
      ...(open === undefined ? {} : { open }),
      kubeconfigs: [() => readKubeconfig(client)],
      addresses: [],
    });
    await readiness(kubernetes, signal);
    return undefined;
  } catch (error) {
    if (error instanceof OsctlError) return `${address}: ${error.message}`;
    throw error;
  }
}

/**
 * Asks whether the server is ready.
 *
 * @throws {KubernetesError} If it is not, or does not answer.
 */
async function readiness(
  kubernetes: Kubernetes,
  signal: AbortSignal,
): Promise<void> {
  try {
    await kubernetes.request("/readyz", { signal });
  } catch (error) {
    const isUnknown = error instanceof KubernetesError && error.code === 404;
    if (!isUnknown) throw error;
    await kubernetes.request("/version", { signal });
  }
}
