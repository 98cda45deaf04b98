/** Objects as tables, as requested by clients for printing. */

import {
  isReady,
  type KubeObject,
  readConditions,
  readFields,
  readList,
} from "../state/kubernetes_objects.ts";
import { controlPlaneRole } from "../node/contents/settings.ts";
import { isTerminating, readPhase } from "./pod_objects.ts";

type Cell = (object: KubeObject) => string | number;

const count = (part: "spec" | "status", field: string): Cell => (object) =>
  Number(readFields(object[part])[field] ?? 0);

const columns: Readonly<Record<string, Readonly<Record<string, Cell>>>> = {
  Node: {
    Status: (node) =>
      [
        isReady(node) ? "Ready" : "NotReady",
        ...node.spec?.unschedulable === true ? ["SchedulingDisabled"] : [],
      ].join(),
    Roles: ({ metadata }) =>
      metadata.labels?.[controlPlaneRole] === undefined
        ? "<none>"
        : "control-plane",
    Version: ({ status }) =>
      String(readFields(readFields(status).nodeInfo).kubeletVersion ?? ""),
  },
  Pod: {
    Ready: ({ spec, status }) => {
      const ready = readList(readFields(status).containerStatuses)
        .filter((one) => one.ready === true);
      return `${ready.length}/${readList(readFields(spec).containers).length}`;
    },
    Status: (pod) => isTerminating(pod) ? "Terminating" : readPhase(pod),
    Restarts: ({ status }) =>
      readList(readFields(status).containerStatuses)
        .reduce((sum, { restartCount }) => sum + Number(restartCount ?? 0), 0),
  },
  Deployment: {
    Ready: ({ status }) => {
      const { readyReplicas = 0, replicas = 0 } = readFields(status);
      return `${readyReplicas}/${replicas}`;
    },
    "Up-to-date": count("status", "updatedReplicas"),
    Available: count("status", "availableReplicas"),
  },
  DaemonSet: {
    Desired: count("status", "desiredNumberScheduled"),
    Current: count("status", "currentNumberScheduled"),
    Ready: count("status", "numberReady"),
    "Up-to-date": count("status", "updatedNumberScheduled"),
    Available: count("status", "numberAvailable"),
  },
  ReplicaSet: {
    Desired: count("spec", "replicas"),
    Current: count("status", "replicas"),
    Ready: count("status", "readyReplicas"),
  },
  Namespace: { Status: readPhase },
  Event: {
    Type: (event) => String({ ...event }.kind),
    Reason: (event) => String(readConditions(event)[0]?.reason ?? ""),
  },
};

/** True if a client requests a table. `accept`: the `Accept` header. */
export function wantsTable(accept: string | undefined): boolean {
  return accept?.includes("as=Table") ?? false;
}

/**
 * Turns an object or a list of them into a table.
 *
 * @param body Response body; returned unchanged if it has no objects.
 * @param now Milliseconds since 1970.
 */
export function toTable(body: unknown, now: number): unknown {
  const { kind, metadata, items } = readFields(body);
  const isList = Array.isArray(items);
  if (!isList && (kind === "Status" || metadata === undefined)) return body;
  // The kind of the list determines the kind of its objects.
  const objects = (isList ? items : [body]) as readonly KubeObject[];
  const own = columns[String(kind).replace(/List$/, "")] ?? {};
  const cells = { Name: readName, ...own, Age: age(now) };
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: isList ? metadata : {},
    columnDefinitions: Object.keys(cells).map((name) => ({
      name,
      type: "string",
      format: name === "Name" ? "name" : "",
      description: "",
      priority: 0,
    })),
    rows: objects.map((object) => ({
      cells: Object.values(cells).map((cell) => cell(object)),
      object: {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: object.metadata,
      },
    })),
  };
}

function readName({ metadata }: KubeObject): string {
  return metadata.name;
}

function age(now: number): Cell {
  return ({ metadata }) => {
    const seconds = Math.max(
      0,
      Math.floor((now - Date.parse(metadata.creationTimestamp)) / 1000),
    );
    if (seconds < 120) return `${seconds}s`;
    if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
    return seconds < 172_800
      ? `${Math.floor(seconds / 3600)}h`
      : `${Math.floor(seconds / 86_400)}d`;
  };
}
