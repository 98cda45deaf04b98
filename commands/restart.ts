import { restart } from "../workflows/operations/node/restart.ts";
import { longestWait } from "./_kit/node_inputs.ts";
import { type AnyCommand, toggle, type Values, word } from "./_kit/mod.ts";
import { type Change, changing, operateInputs } from "./_kit/operate.ts";

const inputs = {
  id: word("id of the container", { complete: "containers" }),
  kubernetes: toggle("the container belongs to Kubernetes", { short: "k" }),
  useCri: toggle("no effect", { hidden: true }),
  wait: operateInputs.wait,
  timeout: longestWait("5m0s"),
  debug: operateInputs.debug,
  allow: operateInputs.allow,
};

export const change = {
  operation: restart,
  prepare: ({ id, kubernetes }) => ({ input: { id, kubernetes } }),
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Restart a container's process",
  description:
    `List the ids with "osctl containers". With --kubernetes, namespace/pod:container is enough for a container, and
namespace/pod restarts the sandbox of a pod with all its containers. Waits until a new process runs. etcd is restarted on
one control plane at a time, and only while the others keep the quorum.`,
  inputs,
  examples: [
    "restart kubelet --nodes 10.0.0.5",
    "restart --kubernetes kube-system/coredns-5d78c9869d-6gh7k:coredns --nodes 10.0.0.5",
  ],
  ...changing,
};
