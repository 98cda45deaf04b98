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
  type LanguageScalar,
  type LanguageStruct,
  listOf,
  mapOf,
  struct,
} from "../language/shape.ts";

/** Name of a Kubernetes object, or of a cluster or wave. */
const plainName: LanguageScalar = matching(
  "a name of lowercase letters, digits and dashes such as prod-eu-1",
  /^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$/,
);

const imageName: LanguageScalar = matching(
  "an image such as registry.example/osctl:1.4.0",
  /^[A-Za-z0-9][A-Za-z0-9._:@/-]*$/,
);

/** Workflow parameter with the image; waves are parameters as well. */
export const imageParameter = "osctl-image";

/** Matches every approval without data loss. */
export const everyTag = "*";

const answer: LanguageScalar = {
  ...tagName,
  expected: `a tag such as start, or "${everyTag}" for all`,
  fault: (node) => node.text === everyTag ? undefined : tagName.fault(node),
};

const wave = struct("wave", {
  name: { shape: plainName, summary: "Name of the wave", required: true },
  clusters: {
    shape: listOf(plainName, { filled: true, alone: true }),
    summary: "Clusters of the wave; each cluster belongs to one wave",
    required: true,
  },
  approve: {
    shape: truth,
    summary: "Whether the wave needs an approval to start",
    initial: "true, and false for the first",
  },
});

const volumes = struct("volumes", {
  state: {
    shape: plainName,
    summary: "PersistentVolumeClaim for runs; must be mountable on any node",
    initial: "osctl-runs",
  },
  osconfigs: {
    shape: plainName,
    summary: "Secret with a client configuration per cluster, by cluster name",
    initial: "osconfigs",
  },
  runbooks: {
    shape: plainName,
    summary: "ConfigMap with the runbook, if it is a file",
  },
});

/** A fleet file. */
export const fleetShape: LanguageStruct = struct("fleet", {
  apiVersion: {
    shape: oneOf(["osctl/v1"]),
    summary: "Version of the format",
    required: true,
  },
  kind: {
    shape: oneOf(["Fleet"]),
    summary: "Kind of the document",
    required: true,
  },
  name: { shape: plainName, summary: "Name of the fleet", initial: "fleet" },
  image: {
    shape: imageName,
    summary: "Container image with osctl",
    required: true,
  },
  waves: {
    shape: listOf(wave, { filled: true }),
    summary: "Waves of clusters, in order",
    required: true,
  },
  inputs: {
    shape: mapOf(variableName, free),
    summary: "Inputs of the runbook, the same for all clusters",
    initial: "{}",
  },
  yes: {
    shape: listOf(answer, { alone: true }),
    summary: "Approvals of the runbook to give in advance",
    initial: "[]",
  },
  parallel: {
    shape: count,
    summary: "Maximum number of clusters at once",
    initial: "10",
  },
  deadline: {
    shape: duration,
    summary: "Time limit for the whole fleet",
    initial: "48h",
  },
  grace: {
    shape: duration,
    summary: "Time for a pod to reach a safe point when it is stopped",
    initial: "50s",
  },
  volumes: { shape: volumes, summary: "Volumes for the pods" },
});
