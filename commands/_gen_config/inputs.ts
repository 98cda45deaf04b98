/** Inputs of `gen config`. */

import { defaultImages, defaultKubernetes } from "../../config/images.ts";
import {
  type Contract,
  defaultContract,
} from "../../config/generate/contract.ts";
import {
  parseEndpoint,
  type RegistryMirrors,
} from "../../config/generate/machine_options.ts";
import { UsageError } from "../../errors.ts";
import { legacyFlags } from "../../talos.ts";
import {
  type Argument,
  choice,
  type Flag,
  imageName,
  InputProblem,
  strings,
  text,
  toggle,
  type Values,
  word,
} from "../_kit/mod.ts";
import { patchFlag } from "../_configure/patches.ts";

/** Generated files; also their names, without the extension of configurations. */
const outputTypes = ["controlplane", "worker", "osconfig"] as const;

/** One of {@linkcode outputTypes}. */
export type OutputType = (typeof outputTypes)[number];

/** Declarations of {@linkcode GenConfigInputs}. */
export const genConfigInputs = {
  clusterName: word("name of the cluster"),
  clusterEndpoint: endpointWord(),
  additionalSans: strings("additional names and addresses for certificates"),
  configPatch: patchFlag(
    "patch for all configurations, or @file",
  ),
  configPatchControlPlane: patchFlag("patch for control planes"),
  configPatchWorker: patchFlag("patch for workers"),
  dnsDomain: text("domain of services in the cluster", {
    initial: "cluster.local",
  }),
  installDisk: text("disk to install to; empty for none", {
    initial: "/dev/sda",
  }),
  installImage: {
    ...text("installer image", {
      shown: `${defaultImages.installer}, or that of --os-version`,
    }),
    parse: imageName,
  },
  kubernetesVersion: kubernetesVersionFlag(),
  osVersion: text(
    "operating system version the configuration must be valid for",
    {
      aliases: [legacyFlags.osVersion],
      shown: defaultContract.version,
    },
  ),
  output: text(
    "directory for the files, or path of the file if there is only one; - for standard output",
    { short: "o", complete: "files", dash: true },
  ),
  outputDir: text("directory for the files", {
    hidden: true,
    complete: "directories",
  }),
  outputTypes: outputTypesFlag(),
  skipK8sEtcd: toggle("leave out etcd and Kubernetes (v1.14)", {
    hidden: true,
  }),
  persist: toggle("keep the configuration on disk", {
    short: "p",
    initial: true,
  }),
  registryMirror: registryMirrorFlag(),
  validate: choice(
    "what to do if a node would reject the configuration: error, warn or off",
    [
      "error",
      "warn",
      "off",
    ],
    { initial: "warn" },
  ),
  version: choice("version of the configuration format", ["v1alpha1"], {
    initial: "v1alpha1",
  }),
  withClusterDiscovery: toggle("enable the discovery service", {
    initial: true,
  }),
  withDocs: toggle("add comments that explain each key", { initial: true }),
  withExamples: toggle("add commented examples", {
    initial: true,
  }),
  withKubespan: toggle("enable KubeSpan"),
  withSecrets: text('secrets bundle, from "gen secrets"', {
    complete: "files",
  }),
  force: toggle("replace existing files", { short: "f" }),
};

export type GenConfigInputs = Values<typeof genConfigInputs>;

/**
 * Refuses a flag that leaves out etcd and Kubernetes, if they are not separate documents.
 *
 * @throws {UsageError}
 */
export function refuseBefore14({ split, version }: Contract, flag: string) {
  if (split) return;
  throw new UsageError(
    `Cannot use ${flag} with version ${version}: nodes without etcd and Kubernetes need v1.14 or later`,
    { hint: "Add --os-version v1.14" },
  );
}

function endpointWord(): Argument<string> {
  const declared = word("URL of the API servers, usually at port 6443");
  return {
    ...declared,
    parse: (words) => parseEndpoint(declared.parse(words)),
  };
}

function kubernetesVersionFlag(): Flag<string | undefined> {
  return {
    ...text("Kubernetes version; empty for the node's default", {
      shown: `${defaultKubernetes}, or that of --os-version`,
    }),
    parse(value) {
      const version = value.replace(/^v/, "");
      if (/^$|^\d+\.\d+\.\d+([-+][\w.+-]+)?$/.test(version)) return version;
      throw new InputProblem("must be a version such as 1.34.1, or empty");
    },
  };
}

function outputTypesFlag(): Flag<readonly OutputType[]> {
  const { parse: _, ...declared } = strings("files to generate", {
    short: "t",
    initial: outputTypes,
  });
  return {
    ...declared,
    initial: outputTypes,
    parse(value, before = []) {
      const types = value.split(",").map(parseOutputType);
      return [...new Set([...before, ...types])];
    },
  };
}

function parseOutputType(value: string): OutputType {
  const name = value.trim() === legacyFlags.osconfig
    ? "osconfig"
    : value.trim();
  const type = outputTypes.find((known) => known === name);
  if (type !== undefined) return type;
  throw new InputProblem(`must be one or more of ${outputTypes.join(", ")}`);
}

/** The flag for registry mirrors. */
export function registryMirrorFlag(): Flag<RegistryMirrors> {
  const { parse: _, ...declared } = strings(
    "registry mirror, as <registry host>=<mirror URL>",
  );
  return {
    ...declared,
    initial: new Map(),
    parse(value, before = new Map()) {
      const mirrors = new Map(before);
      for (const mirror of value.split(",")) {
        const [, host, url] = /^\s*([^=\s]+)=(\S+)\s*$/.exec(mirror) ?? [];
        if (host === undefined || url === undefined) {
          throw new InputProblem(
            "must be <registry host>=<mirror URL>, such as docker.io=https://mirror.example.org",
          );
        }
        if (!/^https?:\/\/[^/]/.test(url)) {
          throw new InputProblem(
            `must have a URL after the equals sign: ${host}=http://${
              url.replace(/^.*:\/\//, "")
            }`,
          );
        }
        mirrors.set(host, [...mirrors.get(host) ?? [], url]);
      }
      return mirrors;
    },
  };
}
