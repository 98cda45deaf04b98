/** Fields of nodes and of the cluster, as expressions may name them. */

import type { Field, FieldType } from "../../field.ts";

function plain(type: FieldType, summary: string): Field {
  return { type, summary };
}

/** A node: {@linkcode NodeFacts}. */
export const nodeField: Field = {
  type: "object",
  summary: "A node",
  fields: {
    name: plain("node", "Host name, or address"),
    address: plain("string", "Address it is reached at"),
    role: {
      type: "enum",
      summary: "What it is",
      values: ["controlplane", "worker"],
    },
    reachable: plain("bool", "Whether it answered"),
    ready: plain("bool", "Whether it calls itself ready"),
    stage: plain("string", "Stage of the machine"),
    version: plain("semver", "Version of the system"),
    schematic: plain("string", "Id of the schematic of its image"),
    customized: plain(
      "bool",
      "Whether its image holds more than the plain one",
    ),
    image: plain("string", "Image it was installed from"),
    bootId: plain("string", "Id of the running boot"),
    bootloader: plain("string", "Boot loader"),
    platform: plain("string", "Platform"),
    secureBoot: plain("bool", "Whether it was booted with secure boot"),
    kubernetesVersion: plain("semver", "Version of the kubelet"),
    zone: plain("string", "Failure zone"),
    labels: {
      type: "map",
      summary: "Labels",
      items: plain("string", "Value of the label"),
    },
    caps: {
      type: "object",
      summary: "What it can do",
      fields: {
        lifecycle: plain("bool", "Whether it has the services for installing"),
      },
    },
    etcd: {
      type: "object",
      summary: "Its part in etcd",
      fields: {
        member: plain("bool", "Whether it is a member"),
        leader: plain("bool", "Whether it leads"),
        learner: plain("bool", "Whether it has no vote yet"),
        healthy: plain("bool", "Whether it answered and has no error"),
        voters: plain("int", "Members with a vote"),
        dataDir: {
          type: "enum",
          summary: "Folder of the database",
          values: ["empty", "data", "unknown"],
        },
      },
    },
  },
};

/** Nodes, in order. */
export const nodesField: Field = {
  type: "list",
  summary: "Nodes, in order",
  items: nodeField,
};

/** The cluster: {@linkcode ClusterFacts}. */
export const clusterField: Field = {
  type: "object",
  summary: "The cluster",
  fields: {
    id: plain("string", "Id of the cluster"),
    name: plain("string", "Its name"),
    endpoint: plain("string", "URL of Kubernetes"),
    versions: {
      type: "list",
      summary: "Versions of the system that run, oldest first",
      items: plain("semver", "Version"),
    },
  },
};

/** What went wrong, in `rescue`. */
export const errorField: Field = {
  type: "object",
  summary: "What went wrong",
  fields: {
    code: plain("string", "Kind of the failure"),
    step: plain("string", "Id of the step"),
    message: plain("string", "What happened"),
  },
};
