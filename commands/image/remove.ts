import { imageRemove } from "../../workflows/operations/node/image_remove.ts";
import { actInputs, type Change, changing } from "../_kit/operate.ts";
import { type AnyCommand, imageName, type Values, word } from "../_kit/mod.ts";
import { namespaceFlag } from "./_namespace.ts";

const inputs = {
  image: {
    ...word("image as listed, with tag or digest"),
    parse: ([image = ""]: readonly string[]): string => imageName(image),
  },
  namespace: namespaceFlag,
  ...actInputs("5m0s"),
};

export const change = {
  operation: imageRemove,
  prepare: ({ image, namespace }) => ({ input: { image, namespace } }),
  changedFacts: [],
} satisfies Change<Values<typeof inputs>>;

export const command: AnyCommand = {
  summary: "Remove a container image from nodes",
  description:
    `Needs nodes v1.13 or later. Only this name is removed: the layers stay while another name of the image is on the node,
such as the one with its digest, or while a container uses them.`,
  aliases: ["image rm", "images remove", "images rm"],
  inputs,
  examples: [
    "image remove registry.k8s.io/kube-apiserver:v1.33.4 --nodes @controlplane",
    "image remove docker.io/library/alpine:3 --namespace inmem --nodes 10.0.0.2",
  ],
  ...changing,
};
