/** Fields of nodes and of the cluster in expressions. */

import type { FieldType, ValueField } from "./field.ts";

function plain(type: FieldType, summary: string): ValueField {
  return { type, summary };
}

/** A node: {@linkcode NodeFacts}. */
export const nodeField: ValueField = {
  type: "object",
  summary: "A node",
  fields: {
    name: plain("node", "Hostname, or address"),
    address: plain("string", "Address osctl uses for the node"),
    role: {
      type: "enum",
      summary: "Role of the node",
      values: ["controlplane", "worker"],
    },
    reachable: plain("bool", "Whether the node answers"),
    ready: plain("bool", "Whether the node reports that it is ready"),
    stage: plain("string", "Machine stage"),
    version: plain("semver", "Version of the operating system"),
    schematic: plain("string", "Schematic id of its image"),
    customized: plain(
      "bool",
      "Whether its image is customized, such as with extensions",
    ),
    image: plain("string", "Image it was installed from"),
    bootId: plain("string", "Id of the running boot"),
    bootloader: plain("string", "Boot loader"),
    platform: plain("string", "Platform"),
    secureBoot: plain("bool", "Whether it booted with Secure Boot"),
    kubernetesVersion: plain("semver", "Version of the kubelet"),
    zone: plain("string", "Zone"),
    labels: {
      type: "map",
      summary: "Labels of the Kubernetes node",
      items: plain("string", "Value of the label"),
    },
    caps: {
      type: "object",
      summary: "Capabilities of the node",
      fields: {
        lifecycle: plain(
          "bool",
          "Whether it has the lifecycle API (v1.13 and later)",
        ),
      },
    },
    etcd: {
      type: "object",
      summary: "etcd state of the node",
      fields: {
        member: plain("bool", "Whether it is an etcd member"),
        leader: plain("bool", "Whether it is the leader"),
        learner: plain("bool", "Whether it is a learner"),
        healthy: plain("bool", "Whether it answers without errors"),
        voters: plain("int", "Number of voting members"),
        dataDir: {
          type: "enum",
          summary: "State of the etcd data directory",
          values: ["empty", "data", "unknown"],
        },
      },
    },
  },
};

/** Nodes, in order. */
export const nodesField: ValueField = {
  type: "list",
  summary: "Nodes, in order",
  items: nodeField,
};

/** The cluster: {@linkcode ClusterFacts}. */
export const clusterField: ValueField = {
  type: "object",
  summary: "The cluster",
  fields: {
    id: plain("string", "Id of the cluster"),
    name: plain("string", "Name of the cluster"),
    endpoint: plain("string", "URL of the Kubernetes API"),
    versions: {
      type: "list",
      summary: "Running operating system versions, oldest first",
      items: plain("semver", "Version"),
    },
  },
};

/** Error in `rescue`. */
export const errorField: ValueField = {
  type: "object",
  summary: "What went wrong",
  fields: {
    code: plain("string", "Failure code"),
    step: plain("string", "Id of the step"),
    message: plain("string", "Error message"),
  },
};
