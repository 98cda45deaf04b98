/** Images that a node or a configuration needs, including those of planned upgrades. */

import {
  type ConfigDocument,
  loadDocuments,
} from "../../config/documents/load.ts";
import { fullImageName } from "../../config/images.ts";
import { domain } from "../../talos.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { readContainers } from "../../transport/node/containers.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { readSpec, unlessHidden } from "../../transport/node/read_resource.ts";
import { imageNamespaces, readImages } from "../operations/node/node_images.ts";
import { installerFor } from "../upgrade/installer_reference.ts";
import { type NodeSystem, readNodeSystem } from "../upgrade/node_system.ts";
import { allNeeds, type NeededImage, type Needs } from "./closure.ts";
import { configurationNeeds } from "./configuration_images.ts";
import { plannedNeeds, type Targets } from "./planned_images.ts";

/** Timeout for each request, in milliseconds. */
const deadlineMs = 30_000;

/**
 * Finds the images a configuration needs.
 *
 * @param name Its file.
 * @param targets Target versions of the planned upgrades.
 */
export function configurationFileNeeds(
  documents: readonly ConfigDocument[],
  name: string,
  targets: Targets,
): Needs {
  return allNeeds([
    configurationNeeds(documents, name),
    plannedNeeds({ documents, name }, targets),
  ]);
}

/**
 * Finds the images a node needs: those of its configuration, those it runs, and its installer.
 *
 * @param client The node.
 * @param targets Target versions of the planned upgrades.
 * @throws {RpcError} If the node does not report its version.
 */
export async function nodeNeeds(
  client: NodeClient,
  targets: Targets,
): Promise<Needs> {
  const [system, configuration, digests, running] = await Promise.all([
    readNodeSystem(client),
    unlessHidden(readMachineConfiguration(client)),
    readImages(client),
    runningImages(client),
  ]);
  const { node } = client;
  const { documents } = loadDocuments(
    configuration ?? "",
    `configuration of ${node}`,
  );
  const parts = [
    ...documents.length === 0
      ? []
      : [configurationNeeds(documents, node, system.version)],
    { images: [installer(node, system), ...running], notes: [] },
    plannedNeeds({ documents, name: node, system }, targets),
  ];
  const { images, notes } = allNeeds(parts);
  return {
    images: images.flatMap((needed) => withDigest(needed, digests)),
    notes: configuration === undefined
      ? [
        ...notes,
        `${node}: reading its configuration needs the role os:admin; only the images it runs or stores are listed`,
      ]
      : notes,
  };
}

/** Installer of the running system, with its schematic: a rollback needs it. */
function installer(node: string, system: NodeSystem): NeededImage {
  const { text } = installerFor({ image: null, to: null }, system);
  const names = system.extensions.map(({ name }) => name).join(", ");
  const source = `${node}: installer of the running system${
    names === "" ? "" : `, with ${names}`
  }`;
  return { image: text, source };
}

/** Kubernetes, kubelet and etcd containers. System containers are part of the OS image. */
async function runningImages(
  client: NodeClient,
): Promise<readonly NeededImage[]> {
  const { node } = client;
  const [pods = [], kubelet, etcd] = await Promise.all([
    unlessHidden(readContainers(client, true, { deadlineMs })),
    readSpec(client, {
      namespace: "k8s",
      type: `KubeletSpecs.kubernetes.${domain}`,
      id: "kubelet",
    }),
    readSpec(client, {
      namespace: "etcd",
      type: `EtcdSpecs.etcd.${domain}`,
      id: "etcd",
    }),
  ]);
  const services = Object.entries({ kubelet, etcd }).flatMap(([name, spec]) =>
    typeof spec?.image === "string" && spec.image !== ""
      ? [{ image: spec.image, source: `${node}: runs ${name}` }]
      : []
  );
  return [
    ...services,
    // Used by roles that may not read the configuration.
    ...kubelet === undefined ? await systemImages(client) : [],
    ...pods.map(({ image, podId }) => ({
      image,
      source: `${node}: runs ${podId}`,
    })),
  ];
}

/** Images of system containers, by tag. */
async function systemImages(
  { node, machine }: NodeClient,
): Promise<readonly NeededImage[]> {
  const namespace = imageNamespaces.system;
  const images = machine.imageList({ namespace }, { deadlineMs });
  const all = await unlessHidden(Array.fromAsync(images)) ?? [];
  return all.filter(({ name }) => /^[^@]+\/[^@]+$/.test(name))
    .map(({ name }) => ({
      image: name,
      source: `${node}: in its image store`,
    }));
}

/** Adds the digest from the node; an image the node knows only by digest gets its names. */
function withDigest(
  { image, source }: NeededImage,
  digests: ReadonlyMap<string, string>,
): readonly NeededImage[] {
  if (/^sha256:/.test(image)) {
    const names = [...digests].flatMap(([name, digest]) =>
      digest === image && name !== image && !name.includes("@") ? [name] : []
    );
    return names.map((name) => ({ image: name, source, digest: image }));
  }
  const digest = digests.get(fullImageName(image));
  return [{ image, source, digest }];
}
