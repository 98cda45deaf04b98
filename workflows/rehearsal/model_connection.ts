/** The way of a simulated process to a model cluster. */

import { restoreCredentials } from "../ca/credentials.ts";
import type { RunCredentialsOptions } from "../ca/run_credentials.ts";
import { createFence, type Fence } from "../runbooks/lock/fence.ts";
import type { Vault } from "../runbooks/module.ts";
import { linkRun, type RunConnection } from "../runbooks/run/run_connection.ts";
import type { StepEnvironment } from "../runbooks/run/run_session.ts";
import type { ModelCluster } from "./model/model_cluster.ts";
import { openModelKubernetes } from "./model/model_kubernetes.ts";
import { connectModel, modelNodes } from "./model/model_nodes.ts";
import type { Life } from "./process_life.ts";

/** The way to a model cluster. */
export interface ModelLink extends Omit<RunConnection, "context" | "crt"> {
  /** Opens others, over the same connections. */
  readonly reopen: NonNullable<StepEnvironment["reopen"]>;
}

/** Opens the way; all calls go through the life of the process. */
export async function openModelLink(
  cluster: ModelCluster,
  life: Life,
  vault: Pick<Vault, "read" | "names" | "find">,
): Promise<ModelLink> {
  const endpoints = cluster.observe().nodes.flatMap(
    ({ role, isPart, address }) =>
      role === "controlplane" && isPart ? [address] : [],
  );
  const { clock, dead: signal } = life;
  const { admin: identity } = cluster;
  const inner = createFence();
  const fence: Fence = {
    ...inner,
    // A node may wait for the answer that another one asked for: time goes on meanwhile.
    close: (guard) => inner.close(() => life.work.outside(guard)),
  };
  const connect: RunCredentialsOptions["connect"] = (to, shown) =>
    fence.transport(life.transport(connectModel(cluster, to, shown)));
  const base = { endpoints, connect, identity, signal };
  const link = linkRun(
    {
      home: { name: "rehearsal", endpoints, nodes: endpoints },
      identity,
      connect,
      vault,
      signal,
    },
    fence,
    clock,
    (transport) => modelNodes({ ...base, nodes: ["@all"], transport }),
    (access) =>
      fence.kubernetes(life.kubernetes(openModelKubernetes(cluster, access))),
  );
  const { transport } = link.ring;
  await restoreCredentials(link.ring, vault);
  return {
    ...link,
    // Whoever closes them would close the connections of the whole run.
    reopen: ({ nodes }) => ({
      ...modelNodes({ ...base, nodes, transport }),
      close() {},
    }),
  };
}
