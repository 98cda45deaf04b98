/** `cluster.network`. */

import { assignment, openText, words } from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { list, struct } from "../shapes.ts";

const flannel: StructShape = struct({
  extraArgs: {
    shape: list(assignment),
    summary: "Further arguments of flannel",
    examples: [{ value: ["--iface-can-reach=192.0.2.1"] }],
  },
});

const cni: StructShape = struct({
  name: {
    shape: words(["flannel", "custom", "none"]),
    summary: "Which plugin connects pods",
    examples: [{ value: "flannel" }],
  },
  urls: {
    shape: list(openText),
    summary: "Manifests of a custom plugin",
    examples: [{ value: ["https://example.com/cni.yaml"] }],
  },
  flannel: {
    shape: flannel,
    optional: true,
    summary: "Settings of flannel",
    examples: [{ value: { extraArgs: ["--iface-can-reach=192.0.2.1"] } }],
  },
});

/** The network of pods and services. */
export const clusterNetwork: StructShape = struct({
  cni: {
    shape: cni,
    optional: true,
    summary: "The plugin that connects pods",
    initial: "flannel",
    examples: [
      {
        title: "A plugin from its manifests",
        value: { name: "custom", urls: ["https://example.com/cni.yaml"] },
      },
      { title: "None; somebody installs it later", value: { name: "none" } },
    ],
  },
  dnsDomain: {
    shape: openText,
    always: true,
    summary: "Domain of the names of pods and services",
    initial: "cluster.local",
    examples: [{ value: "cluster.local" }],
  },
  podSubnets: {
    shape: list(openText),
    always: true,
    merge: "replace",
    summary: "Networks of pods, at most one for each version of IP",
    initial: "10.244.0.0/16",
    examples: [{ value: ["10.244.0.0/16", "2001:db8:10::/56"] }],
  },
  serviceSubnets: {
    shape: list(openText),
    always: true,
    merge: "replace",
    summary: "Networks of services, at most one for each version of IP",
    initial: "10.96.0.0/12",
    examples: [{ value: ["10.96.0.0/12", "2001:db8:20::/112"] }],
  },
});
