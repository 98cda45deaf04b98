/** `k8s.listStaleTrust`: what to restart after the authority of Kubernetes was exchanged. */

import { exchangeOf } from "../ca/exchange.ts";
import { stalePods } from "../ca/stale_trust.ts";
import type { Module } from "../runbooks/module.ts";

/** Lists pods that may trust the old authority only. */
export const listStaleTrust: Module = {
  kind: "read",
  name: "k8s.listStaleTrust",
  summary: "List pods that run since before the exchange of the authority",
  scope: "cluster",
  input: {},
  output: {
    pods: {
      type: "list",
      items: { type: "any", summary: "Namespace, name, node and start" },
      summary: "Pods that may have to be restarted",
    },
    total: { type: "int", summary: "How many" },
  },
  retryable: ["unavailable", "deadline"],
  widenable: [],
  volatile: false,
  async *read({ cluster, room, signal }) {
    const { madeAt } = await exchangeOf(room, "kubernetes");
    yield { text: `looking for pods from before ${madeAt}` };
    const kubernetes = await cluster.kubernetes();
    const pods = await stalePods(kubernetes, madeAt, signal);
    return { pods: pods.map((pod) => ({ ...pod })), total: pods.length };
  },
};
