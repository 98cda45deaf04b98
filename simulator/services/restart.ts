/** Restarting one container over the wire: `Restart`. */

import { RpcError } from "../../errors.ts";
import type { ContainerFacts } from "../node/containers.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import type { SimulatedNode } from "../node/node.ts";
import {
  serviceFacts,
  startService,
  stopService,
} from "../node/system_services.ts";
import { containersOf } from "./runtime_state.ts";

/** `Restart`: the container is told to end, and whoever keeps it starts another. */
export const restart: MachineHandlers = {
  restart({ namespace, id, driver }, { node }) {
    const containers = containersOf(node, namespace, driver);
    const container = containers.find((one) => one.id === id);
    if (!container) {
      throw new RpcError("UNKNOWN", `container "${id}" not found`);
    }
    if (id in serviceFacts) restartService(node, id);
    else restartPod(node, container);
    return { messages: [{}] };
  },
};

function restartPod(node: SimulatedNode, { podId }: ContainerFacts): void {
  const pod = podId.slice(podId.indexOf("/") + 1);
  node.boot.podRestarts.set(pod, (node.boot.podRestarts.get(pod) ?? 0) + 1);
}

function restartService(node: SimulatedNode, id: string): void {
  stopService(node, id);
  startService(node, id);
  // It takes every connection with it, once the answer has left on this one.
  if (id === "apid") {
    node.work(node.clock.sleep(100).then(node.network.disconnect));
  }
}
