import { clusterImages, defaultKubernetes } from "../../config/images.ts";
import {
  type Command,
  InputProblem,
  lines,
  text,
  type Values,
} from "../_kit/mod.ts";
import { namespaceFlag } from "./_namespace.ts";

/** A default image. */
export interface DefaultImageRow {
  readonly image: string;
}

const version = text("Kubernetes version", { initial: defaultKubernetes });

const inputs = {
  namespace: { ...namespaceFlag, hidden: true },
  kubernetesVersion: {
    ...version,
    parse: (typed: string) => kubernetesVersion(typed),
  },
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
  examples: ["image default", "image default --kubernetes-version 1.33.4"],
  view: lines(({ image }) => image),
  async *run({ input }) {
    for (const image of clusterImages(input.kubernetesVersion)) yield { image };
  },
} satisfies Command<DefaultImageRow, Values<typeof inputs>>;

function kubernetesVersion(typed: string): string {
  const found = /^v?(\d+\.\d+\.\d+(-[\w.]+)?)$/.exec(typed)?.[1];
  if (found !== undefined) return found;
  throw new InputProblem("must be a version such as 1.34.1");
}
