/** Diagnostics of a node, and errors of its kernel. */

import { domain } from "../../talos.ts";
import type { FaultName } from "../state/faults.ts";
import {
  type NodeResource,
  putChanged,
  resource,
  toKey,
} from "./contents/content.ts";
import { logKernel } from "./logs.ts";
import type { SimulatedNode } from "../state/node.ts";

/** A diagnostic; its fault has the same name. */
interface Diagnostic {
  readonly message: string;
  readonly details: readonly string[];
}

type DiagnosticName = Extract<FaultName, "address-overlap" | "kubelet-csr">;

const diagnostics: Readonly<
  Record<DiagnosticName, (node: SimulatedNode) => Diagnostic>
> = {
  "address-overlap": ({ identity: { address } }) => ({
    message: "host and Kubernetes pod/service CIDR addresses overlap",
    details: [
      `host routed addresses: ["${address}/24"]`,
      'Kubernetes pod CIDRs: ["10.244.0.0/16"]',
      'Kubernetes service CIDRs: ["10.96.0.0/12"]',
    ],
  }),
  "kubelet-csr": ({ identity: { uuid } }) => ({
    message:
      "kubelet server certificate rotation is enabled, but CSR is not approved",
    details: [
      "kubelet API error: remote error: tls: internal error",
      `pending CSRs: csr-${uuid.slice(0, 5)}`,
    ],
  }),
};

/** Publishes the diagnostics whose faults are on, and logs those that appeared or cleared. */
export function publishDiagnostics(node: SimulatedNode): void {
  for (const [id, read] of Object.entries(diagnostics)) {
    const key = toKey({ type: "Diagnostics.runtime", id });
    const known = node.boot.resources.get(key) !== undefined;
    const isOn = node.faults.has(id as DiagnosticName); // keys of the table
    if (isOn) {
      const spec = read(node);
      putChanged(node, [makeDiagnostic(id, spec)]);
      const url = `https://${domain}/diagnostic/${id}`;
      if (!known) say(node, "new diagnostic", { id, ...spec, url });
    } else if (known) {
      node.boot.resources.remove(key);
      say(node, "diagnostic resolved", { id });
    }
  }
}

function makeDiagnostic(id: string, spec: Diagnostic): NodeResource {
  const owner = "runtime.DiagnosticsController";
  return resource("Diagnostics.runtime", id, owner, spec);
}

function say(node: SimulatedNode, text: string, more: object): void {
  const controller = "runtime.DiagnosticsLoggerController";
  const facts = { component: "controller-runtime", controller, ...more };
  logKernel(node, `${text} ${JSON.stringify(facts)}`);
}

const errors: readonly string[] = [
  "I/O error, dev vda, sector 8398976 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2",
  "Buffer I/O error on dev vda4, logical block 1048576, async page read",
  "Memory cgroup out of memory: Killed process 2870 (kube-proxy) total-vm:1288436kB, anon-rss:176128kB, file-rss:20480kB, shmem-rss:0kB, UID:0 pgtables:572kB oom_score_adj:998",
];

/** Logs kernel errors if the fault that causes them is on. */
export function logKernelErrors(node: SimulatedNode): void {
  if (!node.faults.has("kernel-errors")) return;
  const time = node.clock.now();
  for (const text of errors) {
    node.boot.kernelLog.append({
      facility: "kern",
      priority: "err",
      time,
      text,
    });
  }
}
