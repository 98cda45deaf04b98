/** Names in scope of the runbooks that come with the client, and values for them. */

import type { Json } from "../../../lib/json.ts";
import type { NodeFacts } from "../../../workflows/runbook_cel/facts.ts";
import type {
  FieldType,
  ValueField,
  ValueFields,
} from "../../../workflows/runbook_cel/field.ts";
import {
  clusterField,
  errorField,
  nodeField,
  nodesField,
} from "../../../workflows/runbook_cel/fact_fields.ts";
import type { RunQueries } from "../../../workflows/runbook_cel/declare.ts";

/** A field of a type that has no parts. */
export function field(
  type: FieldType,
  more: Partial<ValueField> = {},
): ValueField {
  return { type, summary: "Value", ...more };
}

/** An object. */
export function object(fields: ValueFields): ValueField {
  return { type: "object", summary: "Object", fields };
}

/** A node as it may be. */
export function node(name: string, more: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name,
    address: "10.0.0.2",
    role: "worker",
    reachable: true,
    ready: true,
    stage: "running",
    version: "v1.12.4",
    schematic: "",
    customized: false,
    image: "",
    bootId: "b1",
    bootloader: "grub",
    platform: "metal",
    secureBoot: false,
    kubernetesVersion: "v1.34.1",
    zone: "a",
    labels: { disk: "ssd" },
    caps: { lifecycle: false },
    etcd: {
      member: false,
      leader: false,
      learner: false,
      healthy: false,
      voters: 0,
      dataDir: "empty",
    },
    ...more,
  };
}

const groups = [
  "stale",
  "canary",
  "controlplane",
  "workers",
  "alive",
  "missing",
  "dirty",
];

/** Types of everything the runbooks name. */
export const declarations: ValueFields = {
  inputs: object({
    version: field("semver", { required: true }),
    image: field("string", { initial: "keep" }),
    soak: field("duration", { initial: "2m" }),
    workerBatch: field("countOrPercent", { initial: 1 }),
    rollback: field("enum", {
      values: ["never", "unhealthy"],
      initial: "unhealthy",
    }),
    singleControlPlane: field("bool", { initial: false }),
    graceBeforeDrop: field("duration", { initial: "0s" }),
    maxAge: field("duration", { initial: "24h" }),
    cluster: field("string", { required: true }),
    evenIfQuorum: field("bool", { initial: false }),
    bootstrapNode: field("node"),
    snapshot: field("path"),
    ca: field("secret"),
    otherCa: field("secret"),
    count: field("int", { initial: 3 }),
    share: field("double", { initial: 0.5 }),
  }),
  vars: object({ big: field("bool") }),
  groups: object(Object.fromEntries(groups.map((name) => [name, nodesField]))),
  cluster: clusterField,
  steps: object({
    assess: object({ quorum: field("bool") }),
    source: object({
      verified: field("bool"),
      salvaged: field("bool"),
      takenAt: field("timestamp"),
      revision: field("int"),
      file: field("path"),
    }),
    make: object({ ca: field("secret"), fingerprint: field("string") }),
    salvage: object({
      copy: field("map", { items: object({ file: field("path") }) }),
    }),
    "see-new": object({ ok: field("int"), total: field("int") }),
  }),
  decisions: object({ bootstrapNode: field("string") }),
  node: nodeField,
  result: object({
    ok: field("int"),
    total: field("int"),
    done: nodesField,
    failed: nodesField,
  }),
  error: errorField,
};

/** Values of all that. */
export const scope = {
  inputs: {
    version: "v1.13.0",
    image: "keep",
    soak: "2m",
    workerBatch: "25%",
    rollback: "unhealthy",
    singleControlPlane: false,
    graceBeforeDrop: "0s",
    maxAge: "24h",
    cluster: "home",
    evenIfQuorum: false,
    ca: { secret: "given", fingerprint: "ab" },
    count: 3,
    share: 1,
  },
  vars: { big: true },
  groups: {
    ...Object.fromEntries(groups.map((name) => [name, []])),
    stale: [node("n1"), node("n2", { role: "controlplane" })],
    canary: [node("n1")],
    controlplane: [node("n2")],
    alive: [node("n3")],
    missing: [node("n4"), node("n5")],
  } as unknown as Json,
  cluster: {
    id: "c1",
    name: "home",
    endpoint: "https://10.0.0.2:6443",
    versions: ["v1.12.4"],
  },
  steps: {
    assess: { quorum: false },
    source: {
      verified: true,
      salvaged: false,
      takenAt: "2026-01-02T03:04:05Z",
      revision: 4711,
      file: "a.db",
    },
    make: { ca: { secret: "made" }, fingerprint: "cd" },
    salvage: { copy: { n3: { file: "n3.db" } } },
    "see-new": { ok: 2, total: 3 },
  },
  decisions: { bootstrapNode: "n3" },
  node: node("n2", {
    role: "controlplane",
    version: "v1.13.0",
    etcd: {
      member: true,
      leader: true,
      learner: false,
      healthy: true,
      voters: 3,
      dataDir: "data",
    },
  }) as unknown as Json,
  result: {
    ok: 3,
    total: 3,
    done: [node("n1")] as unknown as Json,
    failed: [node("n2")] as unknown as Json,
  },
  error: { code: "gate-timeout", step: "back", message: "Not in time" },
} satisfies Readonly<Record<string, Json>>;

/** A run in which `issue` was reached, at midnight of 3 January 2026. */
export const world: RunQueries = {
  reached: (step) => step === "issue",
  now: () => Date.UTC(2026, 0, 3),
};
