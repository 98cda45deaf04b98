import { machineConfig } from "../../../simulator/state/machine_config.ts";
import { applyLive } from "../../../simulator/node/live_configuration.ts";
import { setFault } from "../../../simulator/faults/set_fault.ts";
import { hasApiServer } from "../../../simulator/kubernetes/availability.ts";
import assert from "node:assert/strict";
import { openApi } from "./_api.ts";

Deno.test("a static pod whose configuration changes takes its time, and its API server does not answer meanwhile", async () => {
  const { nodes: [node], ask, pass } = await openApi();
  assert.ok(node);
  node.pace = { ...node.pace, podMs: 3_000 };
  const name = `kube-apiserver-${node.identity.hostname}`;
  const pod = `GET /api/v1/namespaces/kube-system/pods/${name}`;
  const state = () => [ask(pod).status.phase, hasApiServer(node)];
  let patch = 1;
  const change = () => {
    const text = machineConfig(node);
    const [, image = ""] = /image: (\S+kube-apiserver:\S+)/.exec(text) ?? [];
    const other = image.replace(/\.\d+$/, `.${++patch}`);
    return applyLive(node, text.replaceAll(image, other));
  };
  assert.deepEqual(state(), ["Running", true]);
  await change();
  // The clock of the API goes on, that of the node stands still.
  assert.deepEqual(state(), ["Pending", false]);
  pass(3_000);
  node.kubernetes.servesFrom -= 3_000;
  assert.deepEqual(state(), ["Running", true]);
  await setFault(node, "static-pod-fails");
  await change();
  assert.deepEqual(state(), ["Pending", false]);
  pass(60_000);
  node.kubernetes.servesFrom -= 60_000;
  assert.deepEqual(state(), ["Pending", false]);
  await setFault(node, "static-pod-fails", false);
  assert.deepEqual(state(), ["Running", true]);
});
