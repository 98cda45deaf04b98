import assert from "node:assert/strict";
import {
  containerLog,
  kubernetesContainers,
  systemContainers,
} from "../../../simulator/node/containers.ts";
import { bootNodes } from "../_node.ts";

Deno.test("a container has one log, and no other name has one", async () => {
  const [node] = await bootNodes();
  const { id } = kubernetesContainers(node!)[1]!;
  const log = containerLog(node!, "k8s.io", id);
  assert.equal(log?.end(), 2);
  assert.equal(containerLog(node!, "k8s.io", id), log);
  assert.equal(containerLog(node!, "k8s.io", "nothing"), undefined);
  assert.equal(containerLog(node!, "moby", id), undefined);
});

Deno.test("containers of the operating system have no image", async () => {
  const [node] = await bootNodes();
  assert.deepEqual(
    systemContainers(node!).map(({ id, image }) => [id, image]),
    [["apid", ""], ["trustd", ""]],
  );
});
