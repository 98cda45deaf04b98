/** The document that has no `kind`: one node and what its cluster has in common. */

import { defaultImages } from "../../images.ts";
import { boolean, words } from "../scalars/scalars.ts";
import type { DocumentKind, ExampleValue } from "../schema.ts";
import { cluster } from "./cluster.ts";
import {
  example32Bytes,
  exampleCertificate,
  exampleKey,
  exampleOther32Bytes,
  examplePair,
  exampleToken,
} from "../example_material.ts";
import { machine } from "./machine.ts";
import { field, flag } from "../shapes.ts";

const workerMachine: ExampleValue = {
  type: "worker",
  token: exampleToken,
  ca: { crt: exampleCertificate, key: "" },
  certSANs: [],
  install: { disk: "/dev/sda", image: defaultImages.installer, wipe: false },
};

const workerCluster: ExampleValue = {
  id: example32Bytes,
  secret: exampleOther32Bytes,
  controlPlane: { endpoint: "https://cluster.example.com:6443" },
  clusterName: "production",
  token: exampleToken,
  ca: { crt: exampleCertificate, key: "" },
};

const controlPlaneMachine: ExampleValue = {
  ...workerMachine,
  type: "controlplane",
  ca: examplePair,
};

const controlPlaneCluster: ExampleValue = {
  ...workerCluster,
  secretboxEncryptionSecret: example32Bytes,
  ca: examplePair,
  aggregatorCA: examplePair,
  serviceAccount: { key: exampleKey },
  etcd: { ca: examplePair },
};

/** The configuration of a node and its cluster. */
export const v1alpha1: DocumentKind = {
  kind: "v1alpha1",
  summary: "Main configuration of a node and its cluster",
  named: false,
  fields: {
    version: field(words(["v1alpha1"]), "API version of the document", {
      always: true,
      initial: "v1alpha1",
      example: "v1alpha1",
    }),
    debug: flag("Also prints service logs to the console"),
    persist: field(boolean, "Keeps the configuration on disk", {
      optional: true,
      deprecated: "",
    }),
    machine: field(machine, "Settings of this node", {
      always: true,
      optional: true,
      required: true,
      example: controlPlaneMachine,
    }),
    cluster: field(
      cluster,
      "Settings of the cluster, the same on all its nodes",
      {
        always: true,
        optional: true,
        required: true,
        example: controlPlaneCluster,
      },
    ),
  },
  examples: [
    {
      title: "A control plane",
      value: {
        version: "v1alpha1",
        machine: controlPlaneMachine,
        cluster: controlPlaneCluster,
      },
    },
    {
      title: "A worker",
      value: {
        version: "v1alpha1",
        machine: workerMachine,
        cluster: workerCluster,
      },
    },
  ],
};
