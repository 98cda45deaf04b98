/** `cluster.controllerManager`, `.scheduler` and `.proxy`, and what they share with the API server. */

import { defaultImages, defaultKubernetes } from "../../default_images.ts";
import { boolean, openText, string, words } from "../scalars/scalars.ts";
import type { Field, Fields, StructShape } from "../schema.ts";
import { free, list, map, openFree, struct } from "../shapes.ts";
import { flag } from "./flag.ts";

const volume: StructShape = struct({
  hostPath: {
    shape: openText,
    always: true,
    summary: "Path on the node",
    examples: [{ value: "/var/lib/example" }],
  },
  mountPath: {
    shape: openText,
    always: true,
    summary: "Path inside the pod",
    examples: [{ value: "/etc/kubernetes/example" }],
  },
  readonly: {
    shape: boolean,
    summary: "The pod cannot write there",
    initial: "false",
    examples: [{ value: true }],
  },
});

const resources: StructShape = struct({
  requests: {
    shape: openFree,
    summary: "What is set aside: cpu and memory",
    examples: [{ value: { cpu: "500m", memory: "1Gi" } }],
  },
  limits: {
    shape: openFree,
    summary: "What is the most it gets: cpu and memory",
    examples: [{ value: { cpu: 2, memory: "2500Mi" } }],
  },
});

/** `image` of a component of Kubernetes; `name` is that of the image, without a tag. */
export function imageField(name: string): Field {
  const image = `${name}:v${defaultKubernetes}`;
  return {
    shape: openText,
    summary: "Image it is started from",
    initial: image,
    examples: [{ value: image }],
  };
}

/** `extraArgs` of a component. */
export const extraArgs: Field = {
  shape: map(string),
  summary: "Further flags of the program, without dashes",
  examples: [{ value: { v: "4", "feature-gates": "ServerSideApply=true" } }],
};

/** `extraVolumes` of a component. */
export const extraVolumes: Field = {
  shape: list(volume),
  summary: "Folders and files of the node that its pod also sees",
  examples: [{
    value: [{
      hostPath: "/var/lib/example",
      mountPath: "/etc/kubernetes/example",
      readonly: true,
    }],
  }],
};

/** `env` of a component. */
export const env: Field = {
  shape: map(string),
  summary: "Environment variables",
  examples: [{ value: { GOMAXPROCS: "4" } }],
};

/** `resources` of a component. */
export const resourcesField: Field = {
  shape: resources,
  optional: true,
  summary: "Processor time and memory of its pod",
  examples: [{
    value: {
      requests: { cpu: "500m", memory: "1Gi" },
      limits: { cpu: 2, memory: "2500Mi" },
    },
  }],
};

function podFields(image: string): Fields {
  return {
    image: imageField(image),
    extraArgs,
    extraVolumes,
    env,
    resources: resourcesField,
  };
}

/** The controller manager on control planes. */
export const controllerManager: StructShape = struct(
  podFields(defaultImages.controllerManager),
);

/** The scheduler on control planes. */
export const scheduler: StructShape = struct({
  ...podFields(defaultImages.scheduler),
  config: {
    shape: free,
    summary: "Further settings in the scheduler's own configuration format",
    examples: [{
      value: {
        profiles: [{
          schedulerName: "default-scheduler",
          plugins: { score: { disabled: [{ name: "ImageLocality" }] } },
        }],
      },
    }],
  },
});

/** The proxy on every node. */
export const proxy: StructShape = struct({
  disabled: flag("No proxy runs; something else must take its place"),
  image: imageField(defaultImages.proxy),
  mode: {
    shape: words(["nftables", "iptables", "ipvs"]),
    summary: "How packets are directed to pods",
    examples: [{ value: "nftables" }],
  },
  extraArgs: {
    ...extraArgs,
    examples: [{ value: { "conntrack-max-per-core": "65536" } }],
  },
});
