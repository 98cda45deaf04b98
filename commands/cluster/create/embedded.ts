import { readOsconfig } from "../../../config/osconfig_file.ts";
import { ConfigError } from "../../../errors.ts";
import { createEmbedded, removeEmbedded } from "../../../provisioners/mod.ts";
import {
  addContext,
  type ClusterInputs,
  clusterInputs,
  osconfigOf,
  placeOf,
} from "../../_kit/cluster.ts";
import {
  type Command,
  duration,
  integer,
  lines,
  text,
} from "../../_kit/mod.ts";

/** A cluster that was created. */
export interface CreatedRow {
  /** Name of the cluster. */
  readonly name: string;
  /** `host:port` or host of every control plane. */
  readonly endpoints: readonly string[];
  /** Address of every node. */
  readonly nodes: readonly string[];
  /** Client configuration that got the context. */
  readonly osconfig: string;
  /** Name of the context. */
  readonly context: string;
}

/** Inputs of the command. */
export interface CreateEmbeddedInputs extends ClusterInputs {
  /** `--controlplanes`. */
  readonly controlplanes: number;
  /** `--workers`. */
  readonly workers: number;
  /** `--kubernetes-version`. */
  readonly kubernetesVersion: string;
  /** `--os-version`. */
  readonly osVersion: string | undefined;
  /** `--osconfig-destination`. */
  readonly osconfigDestination: string | undefined;
  /** `--wait-timeout`, in milliseconds. */
  readonly waitTimeout: number;
}

/** `osctl cluster create embedded`: simulated nodes in a background process. */
export const command: Command<CreatedRow, CreateEmbeddedInputs> = {
  summary: "Create a cluster of simulated nodes in a background process",
  description:
    `The nodes answer on loopback addresses as real ones would. Neither root nor a container engine nor a network is
needed. The cluster's context is put into the client configuration and becomes the current one.`,
  inputs: {
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
    kubernetesVersion: text("version of Kubernetes", { initial: "1.34.1" }),
    osVersion: text("version of the operating system, such as v1.12.0"),
    osconfigDestination: text("client configuration that gets the context", {
      complete: "files",
      shown: "that of --osconfig",
    }),
    waitTimeout: duration("longest wait until the nodes are ready", {
      initial: "20m0s",
    }),
  },
  examples: [
    "cluster create embedded",
    "cluster create embedded --name lab --controlplanes 3 --workers 2",
  ],
  view: lines(({ name, nodes, context, osconfig }) =>
    `Cluster "${name}" is ready: ${nodes.length} nodes; context "${context}" in ${osconfig}`
  ),
  async *run({ input, globals, world, signal }) {
    checkVersions(input);
    const place = placeOf(input, world);
    const osconfig = await osconfigOf(
      input.osconfigDestination ?? globals.osconfig,
      world,
    );
    // One that cannot be read is told before anything is made.
    await readOsconfig(osconfig.path);
    const access = await createEmbedded(place, {
      controlplanes: input.controlplanes,
      workers: input.workers,
      kubernetesVersion: input.kubernetesVersion.replace(/^v/, ""),
      osVersion: input.osVersion,
    }, { waitMs: input.waitTimeout, signal, osconfig: osconfig.path });
    const { endpoints, nodes } = access;
    yield {
      name: input.name,
      endpoints,
      nodes,
      osconfig: osconfig.path,
      context: await addContext(osconfig, input.name, access)
        .catch(async (error) => {
          await removeEmbedded(place);
          throw error;
        }),
    };
  },
};

function checkVersions(
  { osVersion, kubernetesVersion }: CreateEmbeddedInputs,
): void {
  if (osVersion !== undefined && !/^v\d+\.\d+\.\d+/.test(osVersion)) {
    throw new ConfigError(`Invalid value "${osVersion}" for --os-version`, {
      hint: "Give a version such as v1.12.0",
    });
  }
  if (!/^v?\d+\.\d+\.\d+/.test(kubernetesVersion)) {
    throw new ConfigError(
      `Invalid value "${kubernetesVersion}" for --kubernetes-version`,
      { hint: "Give a version such as 1.34.1" },
    );
  }
}
