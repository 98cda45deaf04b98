/** Keys of a fleet file. */

import { tagName, variableName } from "../language/names.ts";
import {
  count,
  duration,
  matching,
  oneOf,
  truth,
} from "../language/scalars.ts";
import {
  free,
  listOf,
  mapOf,
  type ScalarShape,
  struct,
  type StructShape,
} from "../language/shape.ts";

/** Name of something in Kubernetes, and of what stands for it. */
const plainName: ScalarShape = matching(
  "a name of small letters, digits and dashes such as prod-eu-1",
  /^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$/,
);

const imageName: ScalarShape = matching(
  "an image such as registry.example/osctl:1.4.0",
  /^[A-Za-z0-9][A-Za-z0-9._:@/-]*$/,
);

/** Stands for every approval that loses no data. */
export const everyTag = "*";

const answer: ScalarShape = {
  ...tagName,
  expected: `a tag such as start, or "${everyTag}" for all`,
  fault: (node) => node.text === everyTag ? undefined : tagName.fault(node),
};

const wave = struct("wave", {
  name: { shape: plainName, summary: "Its name", required: true },
  clusters: {
    shape: listOf(plainName, { filled: true, alone: true }),
    summary: "Clusters it is done to, all at once; each in one wave",
    required: true,
  },
  approve: {
    shape: truth,
    summary: "Whether somebody has to let it begin",
    initial: "true, and false for the first",
  },
});

const volumes = struct("volumes", {
  state: {
    shape: plainName,
    summary: "Volume claim for runs; pods on any node can mount it",
    initial: "osctl-runs",
  },
  osconfigs: {
    shape: plainName,
    summary:
      "Secret with a client configuration under the name of each cluster",
    initial: "osconfigs",
  },
  runbooks: {
    shape: plainName,
    summary: "ConfigMap with the runbook, for those that are files",
  },
});

/** A fleet file. */
export const fleetShape: StructShape = struct("fleet", {
  apiVersion: {
    shape: oneOf(["osctl/v1"]),
    summary: "Version of the format",
    required: true,
  },
  kind: { shape: oneOf(["Fleet"]), summary: "What it is", required: true },
  name: { shape: plainName, summary: "Its name", initial: "fleet" },
  image: {
    shape: imageName,
    summary: "Image with osctl in it",
    required: true,
  },
  waves: {
    shape: listOf(wave, { filled: true }),
    summary: "Clusters, in the order they are done in",
    required: true,
  },
  inputs: {
    shape: mapOf(variableName, free),
    summary: "Values of the runbook's inputs, the same for all clusters",
    initial: "{}",
  },
  yes: {
    shape: listOf(answer, { alone: true }),
    summary: "Approvals of the runbook that nobody is asked for",
    initial: "[]",
  },
  parallel: {
    shape: count,
    summary: "Clusters at once",
    initial: "10",
  },
  deadline: {
    shape: duration,
    summary: "Longest time for all of it",
    initial: "48h",
  },
  grace: {
    shape: duration,
    summary: "Time a pod has to reach a safe point",
    initial: "50s",
  },
  volumes: { shape: volumes, summary: "What pods mount" },
});
