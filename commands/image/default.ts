import { clusterImages, defaultKubernetes } from "../../config/images.ts";
import { findRelease } from "../../config/releases.ts";
import {
  type Command,
  InputProblem,
  lines,
  text,
  type Values,
} from "../_kit/mod.ts";
import { releaseFlag } from "../_release_flag.ts";
import { namespaceFlag } from "./_namespace.ts";

/** A default image. */
export interface DefaultImageRow {
  readonly image: string;
}

const version = text("Kubernetes version", {
  shown: `${defaultKubernetes}, or that of --os-version`,
});

const inputs = {
  namespace: { ...namespaceFlag, hidden: true },
  kubernetesVersion: {
    ...version,
    parse: (typed: string) => kubernetesVersion(typed),
  },
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
    for (const image of clusterImages(kubernetes, osVersion)) yield { image };
  },
} satisfies Command<DefaultImageRow, Values<typeof inputs>>;

function kubernetesVersion(typed: string): string {
  const found = /^v?(\d+\.\d+\.\d+(-[\w.]+)?)$/.exec(typed)?.[1];
  if (found !== undefined) return found;
  throw new InputProblem("must be a version such as 1.34.1");
}
