/** Tests that run on the simulated API server, and on the real one where there is one. */

import {
  fieldsOf,
  type Kubernetes,
  openKubernetes,
} from "../../../workflows/kubernetes/client.ts";
import { withCluster } from "../../_cluster.ts";
import { adminAccess } from "../../simulator/kubernetes/_access.ts";
import { hasApiServer, withApiServer } from "./_kube_apiserver.ts";

const { signal } = new AbortController();

/** A server, and how objects of a node come and go on it. */
export interface Server {
  readonly kubernetes: Kubernetes;
  /** Name of a node. */
  readonly node: string;
  /** Does what a kubelet does: removes pods that were asked to go. */
  readonly kubelet: () => Promise<void>;
  /** Does what kubelets and controllers do: says how an object is. */
  readonly setStatus: (path: string, status: unknown) => Promise<void>;
}

/** Path of pods in the namespace `default`. */
export const pods = "/api/v1/namespaces/default/pods";

const servers: readonly {
  readonly name: string;
  readonly ignore: boolean;
  readonly run: (test: (server: Server) => Promise<void>) => Promise<void>;
}[] = [
  {
    name: "simulated",
    ignore: false,
    run: (test) =>
      withCluster({ workers: 1 }, async (cluster) => {
        using kubernetes = openKubernetes(await adminAccess(cluster));
        const node = cluster.nodes.at(-1)?.identity.hostname ?? "";
        await test({
          kubernetes,
          node,
          kubelet: () => Promise.resolve(),
          // Its own controllers say how budgets are.
          setStatus: (path, status) =>
            path.startsWith(pods)
              ? patch(kubernetes, path, { status })
              : Promise.resolve(),
        });
      }),
  },
  {
    name: "real",
    ignore: !hasApiServer,
    run: (test) =>
      withApiServer(async (kubernetes) => {
        const node = "worker-1";
        const body = {
          apiVersion: "v1",
          kind: "Node",
          metadata: { name: node, labels: { "kubernetes.io/hostname": node } },
        };
        await post(kubernetes, "/api/v1/nodes", body);
        const kubelet = () => removeLeaving(kubernetes);
        await test({
          kubernetes,
          node,
          kubelet,
          setStatus: (path, status) =>
            patch(kubernetes, `${path}/status`, { status }),
        });
      }),
  },
];

/** Creates an object. */
export async function post(
  kubernetes: Kubernetes,
  path: string,
  body: unknown,
) {
  return await kubernetes.request(path, { method: "POST", body, signal });
}

/** Changes an object by a merge patch. */
export async function patch(
  kubernetes: Kubernetes,
  path: string,
  body: unknown,
): Promise<void> {
  await kubernetes.request(path, { method: "PATCH", body, signal });
}

async function removeLeaving(kubernetes: Kubernetes): Promise<void> {
  const { items } = await kubernetes.request(pods, { signal });
  for (const item of items as readonly unknown[]) {
    const { name, deletionTimestamp } = fieldsOf(fieldsOf(item).metadata);
    if (deletionTimestamp === undefined) continue;
    const body = { gracePeriodSeconds: 0 };
    await kubernetes.request(`${pods}/${name}`, {
      method: "DELETE",
      body,
      signal,
    });
  }
}

/** Declares a test for each server; that on the real one is ignored where there is none. */
export function testOnBoth(
  name: string,
  test: (server: Server) => Promise<void>,
): void {
  for (const { name: kind, ignore, run } of servers) {
    Deno.test({ name: `${name} (${kind})`, ignore, fn: () => run(test) });
  }
}
