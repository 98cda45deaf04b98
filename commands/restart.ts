import { restart } from "../workflows/operations/restart.ts";
import {
  type AnyCommand,
  type Command,
  duration,
  toggle,
  type Values,
  word,
} from "./_kit/mod.ts";
import { operate, operateInputs, outcomeView } from "./_kit/operate.ts";
import type { OutcomeRow } from "../workflows/operations/run_on_nodes.ts";

/** What the command does to a node. */
export const operation: typeof restart = restart;

const inputs = {
  id: word("container, as listed"),
  kubernetes: toggle("a container of Kubernetes", { short: "k" }),
  useCri: toggle("without effect", { hidden: true }),
  wait: operateInputs.wait,
  timeout: duration("longest wait", { initial: "5m0s" }),
  debug: operateInputs.debug,
  allow: operateInputs.allow,
};

/** `osctl restart <id>`: restarts the process of a container. */
export const command: AnyCommand = {
  summary: "Restart a process",
  description:
    `The id is that of a container, as "osctl containers" shows it. The process counts as restarted when another one runs in
its place. etcd is restarted on one control plane after the other, and only while the others can spare it.`,
  inputs,
  examples: [
    "restart kubelet --nodes 10.0.0.5",
    "restart --kubernetes kube-system/coredns-5d78c9869d-6gh7k:coredns --nodes 10.0.0.5",
  ],
  view: outcomeView,
  run: (context) => {
    const { id, kubernetes } = context.input;
    return operate(context, { operation, input: { id, kubernetes } });
  },
} satisfies Command<OutcomeRow, Values<typeof inputs>>;
