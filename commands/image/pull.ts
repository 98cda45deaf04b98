import { imagePull } from "../../workflows/operations/node/image_pull.ts";
import { actInputs, type Change, changing } from "../_kit/operate.ts";
import { type AnyCommand, imageName, type Values, word } from "../_kit/mod.ts";
import { namespaceFlag } from "./_namespace.ts";

const inputs = {
  image: {
    ...word("image, with tag or digest"),
    parse: ([image = ""]: readonly string[]): string => imageName(image),
  },
  namespace: namespaceFlag,
  ...actInputs("30m0s"),
};

export const change = {
  operation: imagePull,
  prepare: ({ image, namespace }) => ({ input: { image, namespace } }),
  changedFacts: [],
  codes: { failed: "registry" },
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Pull a container image on nodes",
  description:
    `The REASON column shows the digest of the pulled image. An image given by digest is not pulled again if the node has it.`,
  aliases: ["image p", "images pull", "images p"],
  inputs,
  examples: [
    "image pull registry.k8s.io/kube-apiserver:v1.34.1 --nodes @controlplane",
    "image pull registry.k8s.io/etcd:v3.6.11 --namespace system --nodes 10.0.0.2",
  ],
  ...changing,
};
