/** System services: list, start, stop, restart. */

import { RpcError } from "../../errors.ts";
import type { SimulatedNode } from "../state/node.ts";
import type { SystemService } from "../state/node_boot.ts";
import {
  findFacts,
  startService,
  stopService,
} from "../node/system_services.ts";
import type { MachineHandlers } from "./handlers.ts";
import { toTimestamp } from "../wire/timestamp.ts";

/** `ServiceList`, `ServiceStart`, `ServiceStop` and `ServiceRestart`. */
export const services: MachineHandlers = {
  serviceList(_, { node }) {
    const sorted = [...node.boot.services.values()].sort((a, b) =>
      a.id < b.id ? -1 : 1
    );
    return { messages: [{ services: sorted.map(serviceInfo) }] };
  },
  serviceStart({ id }, { node }) {
    start(node, id);
    return { messages: [{ resp: `Service "${id}" started` }] };
  },
  serviceStop({ id }, { node }) {
    if (isRunning(node, id)) {
      allow(id, "stop");
      stopService(node, id);
    }
    return { messages: [{ resp: `Service "${id}" stopped` }] };
  },
  serviceRestart({ id }, { node }) {
    if (isRunning(node, id)) {
      allow(id, "restart");
      stopService(node, id);
    }
    start(node, id);
    return { messages: [{ resp: `Service "${id}" restarted` }] };
  },
};

function start(node: SimulatedNode, id: string): void {
  if (isRunning(node, id)) return;
  allow(id, "start");
  startService(node, id);
}

function isRunning(node: SimulatedNode, id: string): boolean {
  const service = node.boot.services.get(id);
  if (!service) {
    throw new RpcError("UNKNOWN", `service "${id}" not defined`);
  }
  return service.state !== "Finished" && service.state !== "Failed";
}

function allow(id: string, operation: "start" | "stop" | "restart"): void {
  if (findFacts(id)?.operations.includes(operation)) return;
  throw new RpcError(
    "UNKNOWN",
    `service "${id}" doesn't support ${operation} operation via API`,
  );
}

function serviceInfo({ id, state, health, events }: SystemService) {
  return {
    id,
    state,
    health: {
      unknown: health.unknown,
      healthy: health.healthy,
      lastMessage: health.message,
      lastChange: toTimestamp(health.changed),
    },
    events: {
      events: events.map(({ message, state, time }) => ({
        msg: message,
        state,
        ts: toTimestamp(time),
      })),
    },
  };
}
