import assert from "node:assert/strict";
import { powerCycle } from "../../../simulator/boot/power.ts";
import type { FaultName } from "../../../simulator/state/faults.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import {
  logKernelErrors,
  publishDiagnostics,
} from "../../../simulator/node/diagnostics.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { keyOf } from "../../../simulator/node/contents/content.ts";
import { fieldsOf } from "../../../transport/node/read_resource.ts";
import { bootedNode } from "../_node.ts";

function shown({ boot: { resources } }: SimulatedNode) {
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
  assert.deepEqual(shown(node), [["address-overlap", {
    message: "host and Kubernetes pod/service CIDR addresses overlap",
    details: [
      `host routed addresses: ["${node.identity.address}/24"]`,
      'Kubernetes pod CIDRs: ["10.244.0.0/16"]',
      'Kubernetes service CIDRs: ["10.96.0.0/12"]',
    ],
  }]]);
  node.faults.clear();
  publishDiagnostics(node);
  assert.deepEqual(shown(node), []);
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

Deno.test("errors of the kernel and diagnostics are there again after a boot", async () => {
  const node = await bootedNode();
  switchOn(node, "kernel-errors");
  switchOn(node, "address-overlap");
  await powerCycle(node);
  const errors = kernelLog(node).filter((line) => line.startsWith("err: "));
  assert.equal(errors.length, 3);
  assert.deepEqual(shown(node).map(([id]) => id), ["address-overlap"]);
});

Deno.test("a node whose kubelet is silent shows that Kubernetes has it as not ready", async () => {
  const node = await bootedNode();
  const key = keyOf({
    type: "NodeStatuses.kubernetes",
    id: node.identity.hostname,
  });
  for (const isOn of [true, false]) {
    await setFault(node, "kubelet-silent", isOn && {});
    const { nodeReady } = fieldsOf(node.boot.resources.get(key)?.spec);
    assert.equal(nodeReady, !isOn);
  }
});
