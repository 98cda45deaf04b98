import {
  type ImageNamespace,
  imagePull,
} from "../../workflows/operations/image_pull.ts";
import {
  type ActInputs,
  actInputs,
  operate,
  outcomeView,
} from "../_kit/operate.ts";
import { type Command, word } from "../_kit/mod.ts";
import type { OutcomeRow } from "../../workflows/operations/run_on_nodes.ts";
import { namespaceFlag } from "./_namespace.ts";

/** What the command does to a node. */
export const operation: typeof imagePull = imagePull;

/** Inputs of the command. */
export interface PullInputs extends ActInputs {
  /** Argument `image`. */
  readonly image: string;
  /** `--namespace`. */
  readonly namespace: ImageNamespace;
}

/** `osctl image pull <image>`: pulls an image on nodes. */
export const command: Command<OutcomeRow, PullInputs> = {
  summary: "Pull a container image on nodes",
  description:
    `The reason of an image that is done is the digest the node lists it with. An image that is named by its digest and is
there already is not pulled again.`,
  aliases: ["image p", "images pull", "images p"],
  inputs: {
    image: word("image with tag or digest"),
    namespace: namespaceFlag,
    ...actInputs("30m0s"),
  },
  examples: [
    "image pull registry.k8s.io/kube-apiserver:v1.34.1 --nodes @controlplane",
    "image pull registry.k8s.io/etcd:v3.6.11 --namespace system --nodes 10.0.0.2",
  ],
  view: outcomeView,
  run: (context) => {
    const { image, namespace } = context.input;
    return operate(context, { operation, input: { image, namespace } });
  },
};
