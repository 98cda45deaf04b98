/** `cluster.controllerManager`, `.scheduler` and `.proxy`, and what they share with the API server. */

import { defaultImages, defaultKubernetes } from "../../images.ts";
import { boolean, openText, string, words } from "../scalars/scalars.ts";
import type { Field, Fields, StructShape } from "../schema.ts";
import { field, flag, free, list, map, openFree, struct } from "../shapes.ts";

const volume: StructShape = struct({
  hostPath: field(openText, "Path on the node", {
    always: true,
    example: "/var/lib/example",
  }),
  mountPath: field(openText, "Path inside the pod", {
    always: true,
    example: "/etc/kubernetes/example",
  }),
  readonly: field(boolean, "The pod cannot write there", {
    initial: "false",
    example: true,
  }),
});

const resources: StructShape = struct({
  requests: field(openFree, "What is set aside: cpu and memory", {
    example: { cpu: "500m", memory: "1Gi" },
  }),
  limits: field(openFree, "What is the most it gets: cpu and memory", {
    example: { cpu: 2, memory: "2500Mi" },
  }),
});

/** `image` of a component of Kubernetes; `name` is that of the image, without a tag. */
export function imageField(name: string): Field {
  const image = `${name}:v${defaultKubernetes}`;
  return field(openText, "Image it is started from", {
    initial: image,
    example: image,
  });
}

/** `extraArgs` of a component. */
export const extraArgs: Field = field(
  map(string),
  "Further flags of the program, without dashes",
  { example: { v: "4", "feature-gates": "ServerSideApply=true" } },
);

/** `extraVolumes` of a component. */
export const extraVolumes: Field = field(
  list(volume),
  "Folders and files of the node that its pod also sees",
  {
    example: [{
      hostPath: "/var/lib/example",
      mountPath: "/etc/kubernetes/example",
      readonly: true,
    }],
  },
);

/** `env` of a component. */
export const env: Field = field(map(string), "Environment variables", {
  example: { GOMAXPROCS: "4" },
});

/** `resources` of a component. */
export const resourcesField: Field = field(
  resources,
  "Processor time and memory of its pod",
  {
    optional: true,
    example: {
      requests: { cpu: "500m", memory: "1Gi" },
      limits: { cpu: 2, memory: "2500Mi" },
    },
  },
);

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
  config: field(
    free,
    "Further settings in the scheduler's own configuration format",
    {
      example: {
        profiles: [{
          schedulerName: "default-scheduler",
          plugins: { score: { disabled: [{ name: "ImageLocality" }] } },
        }],
      },
    },
  ),
});

/** The proxy on every node. */
export const proxy: StructShape = struct({
  disabled: flag("No proxy runs; something else must take its place"),
  image: imageField(defaultImages.proxy),
  mode: field(
    words(["nftables", "iptables", "ipvs"]),
    "How packets are directed to pods",
    { example: "nftables" },
  ),
  extraArgs: {
    ...extraArgs,
    examples: [{ value: { "conntrack-max-per-core": "65536" } }],
  },
});
