import { writeFileAtomic } from "../../../lib/files/atomic_file.ts";
import { ConfigError } from "../../../errors.ts";
import { legacyFlags } from "../../../talos.ts";
import { defaultKubernetes } from "../../../config/images.ts";
import { findRelease } from "../../../config/releases.ts";
import {
  chooseEtcd,
  type ClusterAccess,
  type ClusterLocation,
  defaultVersions,
  embedded,
  embeddedConfigurations,
  etcdKinds,
  paceNames,
  playedRelease,
} from "../../../provisioners/mod.ts";
import {
  clusterInputs,
  configurationFiles,
  locateCluster,
  refuseConfigurationFiles,
} from "../_cluster.ts";
import {
  createCluster,
  type CreatedRow,
  createdView,
  parseKubernetes,
  readableOsconfig,
  sayNext,
} from "../_create_cluster.ts";
import {
  choice,
  type Command,
  duration,
  integer,
  text,
  toggle,
  type Values,
} from "../../_kit/mod.ts";

const inputs = {
  ...clusterInputs,
  controlplanes: integer("number of control planes", {
    initial: 1,
    least: 1,
    most: 1_000,
  }),
  workers: integer("number of workers", {
    initial: 1,
    least: 0,
    most: 10_000,
  }),
  kubernetesVersion: text("version of Kubernetes", {
    shown: `${defaultKubernetes}, or that of --os-version`,
  }),
  osVersion: text(
    "version of the operating system, v1.8 to v1.14, or a release such as v1.12.0",
    { shown: defaultVersions.tag },
  ),
  osconfigDestination: text("client configuration to merge the context into", {
    aliases: [legacyFlags.osconfigDestination],
    complete: "files",
    shown: "same as --osconfig",
  }),
  etcd: choice(
    "etcd of the control planes: the installed program, or a model of its member list",
    etcdKinds,
    { initial: "auto" },
  ),
  pace: choice(
    "duration of reboots: seven seconds as on a quick machine, two, or none",
    paceNames,
    { initial: "machine" },
  ),
  skipInjectingConfig: toggle(
    "leave the nodes unconfigured; write controlplane.yaml and worker.yaml",
  ),
  waitTimeout: duration("timeout for the nodes to become ready", {
    initial: "20m0s",
  }),
};

type CreateEmbeddedInputs = Values<typeof inputs>;

export const command = {
  summary: "Create a cluster of simulated nodes in a background process",
  description:
    `The nodes answer on loopback addresses like real nodes. No root privileges, container engine or network are needed. The
cluster's context is added to the client configuration and becomes the current one.

Up to seven control planes run the installed etcd program; OSCTL_ETCD names another one. With --etcd model, only the
member list is modeled; from outside it looks the same.

The nodes answer like those of --os-version: with its calls, resource types, fields and configuration documents. An
upgrade changes that on each node.

With --skip-injecting-config the nodes stay in maintenance mode until "osctl apply-config --insecure" configures them.`,
  inputs,
  examples: [
    "cluster create embedded",
    "cluster create embedded --name lab --controlplanes 3 --workers 2",
    "cluster create embedded --os-version v1.9",
  ],
  view: createdView,
  async *run(context) {
    const { input, environment, note } = context;
    const versions = resolveVersions(input);
    const place = locateCluster(input, environment);
    const { osconfigDestination } = input;
    const osconfig = await readableOsconfig(osconfigDestination, context);
    if (input.skipInjectingConfig) await refuseConfigurationFiles();
    const etcd = await chooseEtcd({
      kind: input.etcd,
      program: environment.env("OSCTL_ETCD"),
      controlplanes: input.controlplanes,
    });
    const spec = {
      controlplanes: input.controlplanes,
      workers: input.workers,
      ...versions,
      unconfigured: input.skipInjectingConfig,
      pace: input.pace,
      etcd,
    };
    yield await createCluster(context, {
      place,
      osconfig,
      create: (options) => embedded.create(place, spec, options),
      async prepare(access) {
        if (!input.skipInjectingConfig) return;
        await writeConfigurations(place, access, note);
      },
    });
    sayNext(input.name, context);
  },
} satisfies Command<CreatedRow, CreateEmbeddedInputs>;

/** Writes the configurations for nodes in maintenance mode. */
async function writeConfigurations(
  place: ClusterLocation,
  { nodes: [address = ""] }: ClusterAccess,
  note: (text: string) => void,
): Promise<void> {
  const texts = await embeddedConfigurations(place, address);
  for (const [role, path] of Object.entries(configurationFiles)) {
    // Both have the roles as keys.
    const text = texts[role as keyof typeof configurationFiles];
    await writeFileAtomic(path, text, { overwrite: false });
    note(`Created ${path}`);
  }
}

/** Versions of the nodes; throws ConfigError if they cannot be simulated, or are incompatible. */
function resolveVersions(
  { osVersion: given, kubernetesVersion: wanted }: CreateEmbeddedInputs,
): { readonly osVersion: string; readonly kubernetesVersion: string } {
  const osVersion = playedRelease(given ?? defaultVersions.tag);
  if (osVersion === undefined) {
    throw new ConfigError(
      `Invalid value "${given}" for --os-version: simulated nodes support v1.8 to v1.14`,
      { hint: `Give a version such as v1.12 or ${defaultVersions.tag}` },
    );
  }
  const kubernetesVersion = parseKubernetes(
    wanted ?? (given ? findRelease(osVersion).kubernetes : defaultKubernetes),
    osVersion,
    "Change --kubernetes-version or --os-version",
  );
  return { osVersion, kubernetesVersion };
}
