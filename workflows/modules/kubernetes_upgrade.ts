/** `k8s.pullImages`, `k8s.setImage`: steps of a Kubernetes upgrade on nodes. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { memberNamed } from "../../transport/node/members.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../transport/gen/machine_configuration.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { sendConfiguration } from "../configuration/send.ts";
import {
  type ComponentName,
  componentNames,
  configuredImage,
  currentImage,
  keep,
  staticPodNames,
  targetImage,
  withImage,
} from "../kubernetes/components.ts";
import { imagePull } from "../operations/node/image_pull.ts";
import { imageDigest, type NodeImage } from "../operations/node/node_images.ts";
import type { NodeContext, Operation } from "../operations/operation.ts";
import { confirmOutcome, untilSeen } from "../operations/poll.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import type { Module } from "./module.ts";
import {
  addComments,
  type AddedComments,
  addedComments,
  commentsField,
} from "./configuration_comments.ts";
import {
  type ModuleInput,
  readChoice,
  readText,
} from "../runbook_cel/values.ts";

const versionField: ValueFields = {
  version: {
    type: "semver",
    required: true,
    summary: "Version of Kubernetes",
  },
};

/** Inputs with image registry and path, by component. */
const imageInputs: Readonly<Record<ComponentName, string>> = {
  "kube-apiserver": "apiserverImage",
  "kube-controller-manager": "controllerManagerImage",
  "kube-scheduler": "schedulerImage",
  "kube-proxy": "proxyImage",
  kubelet: "kubeletImage",
};

const imageFields: ValueFields = Object.fromEntries(
  componentNames.map((component) => [imageInputs[component], {
    type: "string",
    initial: keep,
    summary:
      `Registry and path of the ${component} image; keep for those it has now`,
  }]),
);

type PullInput = {
  readonly images: readonly NodeImage[];
};

/** Missing images. */
type PullKey = {
  readonly missing: readonly string[];
};

const pullAll: Operation<PullInput, PullKey, PullKey> = {
  name: "k8s.pullImages",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  observe: async (context, input) => ({
    missing: await findMissing(context, input),
  }),
  plan: ({ missing }) => missing.map((image) => ({ action: `pull ${image}` })),
  key: (seen) => seen,
  async *apply(context, { images }, { missing }) {
    for (const input of images) {
      if (!missing.includes(input.image)) continue;
      // Sequential: parallel pulls would only share the bandwidth.
      yield* imagePull.apply(context, input, { before: null });
    }
  },
  reconcile: async (context, input) =>
    (await findMissing(context, input)).length === 0 ? "done" : "not-started",
  async *verify(context, input) {
    yield* [];
    const missing = await findMissing(context, input);
    return missing.length === 0
      ? { outcome: "done", reason: `${input.images.length} images` }
      : {
        outcome: "failed",
        reason: `the node does not list ${missing.join(", ")}`,
      };
  },
};

async function findMissing(
  context: NodeContext,
  { images }: PullInput,
): Promise<readonly string[]> {
  const digests = await Promise.all(
    images.map((input) => imageDigest(context, input)),
  );
  return images.filter((_, index) => digests[index] === undefined)
    .map(({ image }) => image);
}

/** Pulls the images of a version before anything is changed. */
export const k8sPullImages: Module = {
  kind: "change",
  name: "k8s.pullImages",
  summary: "Pull the images of a Kubernetes version on a node",
  scope: "node",
  operation: pullAll,
  input: { ...versionField, ...imageFields },
  output: {},
  retryable: ["unavailable", "deadline", "not-started"],
  widenable: ["registry"],
  codes: { failed: "registry" },
  changedFacts: [],
  timeout: "15m",
  async prepare({ node, client, cluster }, input) {
    const text = await readMachineConfiguration(client);
    const { documents } = loadDocuments(text, node);
    const member = memberNamed(await cluster.members(), node);
    const runs = (component: ComponentName) =>
      member?.controlPlane !== false ||
      !staticPodNames.some((name) => name === component);
    const images = await Promise.all(
      componentNames.filter(runs).map(async (component) => {
        // Workers do not name the kube-proxy image, but run it, too.
        const before = await currentImage(client, documents, component);
        return {
          image: formatTarget(component, before, input, imageInputs[component]),
          namespace: component === "kubelet" ? "system" : "cri",
        } as const;
      }),
    );
    return { input: { images } };
  },
};

function formatTarget(
  component: ComponentName,
  before: string,
  input: ModuleInput,
  name: string,
): string {
  return targetImage(component, before, {
    repository: readText(input, name) ?? keep,
    version: readText(input, "version") ?? "",
  });
}

type ImageInput = {
  readonly component: ComponentName;
  readonly image: string;
  readonly comments: AddedComments;
};

/** Facts of a node before an image change. */
type ImageSeen = ImageInput & {
  readonly hash: string;
  /** Configured image; empty if none is set. */
  readonly before: string;
};

type ImageKey = {
  /** Hash of the previous configuration. */
  readonly from: string;
};

const setImage: Operation<ImageInput, ImageSeen, ImageKey> = {
  name: "k8s.setImage",
  effect: "write",
  idempotency: "converge",
  quorum: () => "none",
  async observe({ node, client }, input) {
    const text = await readMachineConfiguration(client);
    const { documents } = loadDocuments(text, node);
    const before = configuredImage(documents, input.component);
    return { ...input, before, hash: await configurationHash(documents) };
  },
  plan: ({ before }, { component, image }) =>
    before === image ? [] : [{
      action: `change ${component} from ${before || "none"} to ${image}`,
    }],
  already: (_, { component, image }) => `${component} has ${image}`,
  key: ({ hash }) => ({ from: hash }),
  async *apply({ client }, { component, image, comments }) {
    const text = await readMachineConfiguration(client);
    const wanted = withImage(text, component, image);
    if (wanted === text) return;
    const { warnings } = await sendConfiguration(client, {
      text: await addComments(client, wanted, comments),
      mode: Mode.NO_REBOOT,
      deadlineMs: 30_000,
    });
    for (const text of warnings) yield { text };
  },
  reconcile: (context, { component, image }) =>
    confirmOutcome(context, async () => {
      const text = await readMachineConfiguration(context.client);
      const { documents } = loadDocuments(text, context.node);
      return configuredImage(documents, component) === image;
    }),
  verify: (context, { component, image }) =>
    untilSeen(context, async () => {
      const text = await readMachineConfiguration(context.client);
      const { documents } = loadDocuments(text, context.node);
      return configuredImage(documents, component) === image
        ? { verdict: { outcome: "done", reason: `${component} has ${image}` } }
        : { missing: `the image of ${component} is unchanged` };
    }),
};

/** Sets the image of a component to a version. */
export const k8sSetImage: Module = {
  kind: "change",
  name: "k8s.setImage",
  summary: "Change the version of a Kubernetes component on a node",
  scope: "node",
  operation: setImage,
  input: {
    component: {
      type: "enum",
      values: componentNames,
      required: true,
      summary: "Component",
    },
    ...versionField,
    image: {
      type: "string",
      initial: keep,
      summary: "Registry and path of the image; keep for those it has now",
    },
    ...commentsField,
  },
  output: {
    image: { type: "string", summary: "Image of the component" },
  },
  retryable: ["unavailable", "deadline", "not-started"],
  timeout: "5m",
  async prepare({ node, client }, input) {
    const component = readChoice(input, "component", componentNames);
    const text = await readMachineConfiguration(client);
    const { documents } = loadDocuments(text, node);
    const before = await currentImage(client, documents, component);
    const image = formatTarget(component, before, input, "image");
    const comments = addedComments(input);
    return {
      input: { component, image, comments },
      toOutput: () => ({ image }),
    };
  },
};
