import assert from "node:assert/strict";
import type { FaultName } from "../../../simulator/state/faults.ts";
import {
  logKernelErrors,
  publishDiagnostics,
} from "../../../simulator/node/diagnostics.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { bootedNode } from "../_node.ts";

function readDiagnostics({ boot: { resources } }: SimulatedNode) {
  const type = "Diagnostics.runtime.talos.dev";
  return resources.list({ namespace: "runtime", type })
    .map(({ id, spec }) => [id, spec]);
}

function kernelLog({ boot: { kernelLog } }: SimulatedNode): readonly string[] {
  const { first, end, at } = kernelLog;
  return Array.from({ length: end() - first() }, (_, index) => {
    const message = at(first() + index)!;
    return `${message.priority}: ${message.text}`;
  });
}

function switchOn(node: SimulatedNode, name: FaultName): void {
  node.faults.set(name, { remaining: Infinity, triggered: false });
}

Deno.test("a diagnostic is a resource and a line of the log as long as its fault is on", async () => {
  const node = await bootedNode();
  switchOn(node, "address-overlap");
  publishDiagnostics(node);
  publishDiagnostics(node);
  assert.deepEqual(readDiagnostics(node), [["address-overlap", {
    message: "host and Kubernetes pod/service CIDR addresses overlap",
    details: [
      `host routed addresses: ["${node.identity.address}/24"]`,
      'Kubernetes pod CIDRs: ["10.244.0.0/16"]',
      'Kubernetes service CIDRs: ["10.96.0.0/12"]',
    ],
  }]]);
  node.faults.clear();
  publishDiagnostics(node);
  assert.deepEqual(readDiagnostics(node), []);
  assert.deepEqual(
    kernelLog(node).flatMap((line) =>
      /(new diagnostic|diagnostic resolved) .*"id":"([^"]*)"/.exec(line)
        ?.slice(1) ?? []
    ),
    ["new diagnostic", "address-overlap"].concat(
      ["diagnostic resolved", "address-overlap"],
    ),
  );
});

Deno.test("the kernel logs errors while their fault is on", async () => {
  const node = await bootedNode();
  const errors = () =>
    kernelLog(node).filter((line) => line.startsWith("err: "));
  logKernelErrors(node);
  assert.equal(errors().length, 0);
  switchOn(node, "kernel-errors");
  logKernelErrors(node);
  assert.match(errors()[0] ?? "", /^err: I\/O error, dev vda, sector 8398976/);
  assert.match(errors()[2] ?? "", /out of memory: Killed process/);
});
