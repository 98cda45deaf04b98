/** `cluster.network`. */

import { assignment, openText, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { field, list, struct } from "../shapes.ts";

const flannel: StructShape = struct({
  extraArgs: field(list(assignment), "Further arguments of flannel", {
    example: ["--iface-can-reach=192.0.2.1"],
  }),
});

const cni: StructShape = struct({
  name: field(
    words(["flannel", "custom", "none"]),
    "Which plugin connects pods",
    { example: "flannel" },
  ),
  urls: field(list(openText), "Manifests of a custom plugin", {
    example: ["https://example.com/cni.yaml"],
  }),
  flannel: field(flannel, "Settings of flannel", {
    optional: true,
    example: { extraArgs: ["--iface-can-reach=192.0.2.1"] },
  }),
});

/** The network of pods and services. */
export const clusterNetwork: StructShape = struct({
  cni: field(cni, "The plugin that connects pods", {
    optional: true,
    initial: "flannel",
    examples: [
      {
        title: "A plugin from its manifests",
        value: { name: "custom", urls: ["https://example.com/cni.yaml"] },
      },
      { title: "None; somebody installs it later", value: { name: "none" } },
    ],
  }),
  dnsDomain: field(openText, "Domain of the names of pods and services", {
    always: true,
    initial: "cluster.local",
    example: "cluster.local",
  }),
  podSubnets: field(
    list(openText),
    "Networks of pods, at most one for each version of IP",
    {
      always: true,
      merge: "replace",
      initial: "10.244.0.0/16",
      example: ["10.244.0.0/16", "2001:db8:10::/56"],
    },
  ),
  serviceSubnets: field(
    list(openText),
    "Networks of services, at most one for each version of IP",
    {
      always: true,
      merge: "replace",
      initial: "10.96.0.0/12",
      example: ["10.96.0.0/12", "2001:db8:20::/112"],
    },
  ),
});
