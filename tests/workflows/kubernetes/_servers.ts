/** Tests that run on the simulated API server, and on the real one where there is one. */

import {
  type Kubernetes,
  openKubernetes,
  readFields,
} from "../../../workflows/kubernetes/client.ts";
import { withCluster } from "../../_cluster.ts";
import { type Need, needs } from "../../_needs.ts";
import { adminAccess } from "../../simulator/kubernetes/_access.ts";
import {
  controllerNeed,
  serverNeeds,
  withApiServer,
} from "./_kube_apiserver.ts";

const { signal } = new AbortController();

/** A server, and how objects of a node come and go on it. */
export interface Server {
  readonly kubernetes: Kubernetes;
  readonly node: string;
  /** Does what a kubelet does: removes pods that were asked to go. */
  readonly kubelet: () => Promise<void>;
  /** Does what a scheduler and a kubelet do: starts pods, and removes those that were asked to go. */
  readonly runPods: () => Promise<void>;
  /** Does what kubelets and controllers do: says how an object is. */
  readonly setStatus: (path: string, status: unknown) => Promise<void>;
}

/** Path of pods in the namespace `default`. */
export const pods = "/api/v1/namespaces/default/pods";

const servers: readonly {
  readonly name: string;
  readonly wants: (controllers: boolean) => readonly Need[];
  readonly run: (
    test: (server: Server) => Promise<void>,
    controllers: boolean,
  ) => Promise<void>;
}[] = [
  {
    name: "simulated",
    wants: () => [],
    run: (test) =>
      withCluster({ workers: 1 }, async (cluster) => {
        using kubernetes = openKubernetes(await adminAccess(cluster));
        const node = cluster.nodes.at(-1)?.identity.hostname ?? "";
        await test({
          kubernetes,
          node,
          kubelet: () => Promise.resolve(),
          runPods: briefly,
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
    wants: (controllers) =>
      controllers ? [...serverNeeds, controllerNeed] : serverNeeds,
    run: (test, controllers) =>
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
          async runPods() {
            await kubelet();
            await startPods(kubernetes, node);
            await briefly();
          },
          setStatus: (path, status) =>
            patch(kubernetes, `${path}/status`, { status }),
        });
      }, controllers),
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
    const { name, deletionTimestamp } = readFields(readFields(item).metadata);
    if (deletionTimestamp === undefined) continue;
    const body = { gracePeriodSeconds: 0 };
    await kubernetes.request(`${pods}/${name}`, {
      method: "DELETE",
      body,
      signal,
    });
  }
}

/** Puts pods on a node, and says that they are ready. */
async function startPods(kubernetes: Kubernetes, node: string): Promise<void> {
  const { items } = await kubernetes.request(pods, { signal });
  for (const item of items as readonly unknown[]) {
    const { metadata, spec, status } = readFields(item);
    const { name, deletionTimestamp } = readFields(metadata);
    const isStarted = deletionTimestamp !== undefined ||
      readFields(status).phase === "Running";
    if (isStarted) continue;
    if (readFields(spec).nodeName === undefined) {
      await post(kubernetes, `${pods}/${name}/binding`, {
        metadata: { name },
        target: { kind: "Node", name: node },
      });
    }
    const conditions = [{ type: "Ready", status: "True" }];
    await patch(kubernetes, `${pods}/${name}/status`, {
      status: { phase: "Running", conditions },
    });
  }
}

function briefly(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * Declares a test for each server; that on the real one is ignored where there is none.
 *
 * @param controllers Whether it needs the controllers of Deployments and DaemonSets; the simulated ones always run.
 */
export function testOnBoth(
  name: string,
  test: (server: Server) => Promise<void>,
  controllers: boolean = false,
): void {
  for (const { name: kind, wants, run } of servers) {
    Deno.test({
      name: `${name} (${kind})`,
      ...needs(...wants(controllers)),
      fn: () => run(test, controllers),
    });
  }
}
