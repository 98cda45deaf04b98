import { clusterImages, defaultKubernetes } from "../../config/images.ts";
import { findRelease } from "../../config/releases.ts";
import {
  type Command,
  type Flag,
  InputProblem,
  lines,
  text,
  type Values,
} from "../_kit/mod.ts";
import { releaseFlag } from "../_release_flag.ts";
import { namespaceFlag } from "./_namespace.ts";

/** A default image. */
interface DefaultImageRow {
  readonly image: string;
}

const version = text("Kubernetes version", {
  shown: `${defaultKubernetes}, or that of --os-version`,
  aliases: ["k8s-version"],
});

const inputs = {
  namespace: { ...namespaceFlag, hidden: true },
  kubernetesVersion: {
    ...version,
    parse: (typed: string) => versionTag(typed).replace(/^v/, ""),
  },
  etcdVersion: tagFlag("etcd"),
  flannelVersion: tagFlag("flannel"),
  corednsVersion: tagFlag("CoreDNS"),
  kubeNetworkPoliciesVersion: tagFlag("kube-network-policies"),
  osVersion: releaseFlag("operating system version whose defaults to list"),
};

export const command = {
  summary: "List the default Kubernetes images",
  description: `No node or registry is contacted.`,
  aliases: [
    "image k8s-bundle",
    "images default",
    "images k8s-bundle",
    "images",
  ],
  inputs,
  examples: ["image default", "image default --os-version v1.14"],
  view: lines(({ image }) => image),
  async *run({ input }) {
    const { osVersion, kubernetesVersion } = input;
    const kubernetes = kubernetesVersion ??
      (osVersion && findRelease(osVersion).kubernetes);
    const images = clusterImages(kubernetes, osVersion, {
      etcd: input.etcdVersion,
      flannel: input.flannelVersion,
      coreDns: input.corednsVersion,
      networkPolicies: input.kubeNetworkPoliciesVersion,
    });
    for (const image of images) yield { image };
  },
} satisfies Command<DefaultImageRow, Values<typeof inputs>>;

function tagFlag(component: string): Flag<string | undefined> {
  const shown = "that of the operating system version";
  const flag = text(`${component} version, as in its image tag`, { shown });
  return { ...flag, parse: (typed: string) => versionTag(typed) };
}

function versionTag(typed: string): string {
  if (/^v?\d+\.\d+\.\d+(-[\w.]+)?$/.test(typed)) return typed;
  throw new InputProblem("must be a version such as 1.34.1");
}
