import { findInstaller } from "../../config/documents/find_value.ts";
import type { ConfigDocument } from "../../config/documents/load.ts";
import {
  type ComponentName,
  componentNames,
  configuredImage,
  keep,
  targetImage,
} from "../kubernetes/components.ts";
import {
  installerFor,
  installerForFile,
} from "../upgrade/installer_reference.ts";
import type { NodeSystem } from "../upgrade/node_system.ts";
import type { NeededImage, Needs } from "./closure.ts";
import { configurationNeeds } from "./configuration_images.ts";

/** Target versions of an upgrade. */
export interface Targets {
  /** OS release, with `v`; absent for none. */
  readonly os?: string;
  /** Kubernetes version, with `v`; absent for none. */
  readonly kubernetes?: string;
}

interface UpgradeSubject {
  /** Its configuration; empty if unknown. */
  readonly documents: readonly ConfigDocument[];
  readonly name: string;
  /** The node's running system; absent for files. */
  readonly system?: NodeSystem;
}

/** Finds the images of upgrades: the installer with the schematic, the defaults of the release, and Kubernetes. */
export function plannedNeeds(
  subject: UpgradeSubject,
  { os, kubernetes }: Targets,
): Needs {
  return {
    images: [
      ...os === undefined ? [] : systemTargets(subject, os),
      ...kubernetes === undefined ? [] : kubernetesTargets(subject, kubernetes),
    ],
    notes: [],
  };
}

function systemTargets(
  { documents, name, system }: UpgradeSubject,
  os: string,
): readonly NeededImage[] {
  const source = `${name}: upgrade to ${os}`;
  const configured = findInstaller(documents);
  const image = system !== undefined
    ? installerFor({ image: null, to: os }, system).text
    : configured && installerForFile(configured, os);
  // The Kubernetes version does not depend on the OS release.
  const brought = configurationNeeds(documents, name, os).images
    .filter(({ part, origin }) => origin !== "" && !findComponent(part))
    .map(({ image, part, origin }) => ({
      image,
      source: `${source}: ${part} (${origin})`,
    }));
  return [...image === undefined ? [] : [{ image, source }], ...brought];
}

function findComponent(part: string): ComponentName | undefined {
  return componentNames.find((one) => one === part);
}

function kubernetesTargets(
  { documents, name }: UpgradeSubject,
  version: string,
): readonly NeededImage[] {
  return configurationNeeds(documents, name).images.flatMap(({ part }) => {
    const component = findComponent(part);
    if (component === undefined) return [];
    const before = configuredImage(documents, component);
    const image = targetImage(component, before, { repository: keep, version });
    return [{ image, source: `${name}: upgrade to ${version}: ${component}` }];
  });
}
