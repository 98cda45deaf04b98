/** Which installer image a node is to run. */

import type { NodeSystem } from "./node_system.ts";
import {
  type InstallerReference,
  madeInstaller,
  parseInstaller,
  plainInstaller,
} from "./installer_reference.ts";

/** What is asked for. */
export type ImageChoice = {
  /** Name of the image; null when it follows from the version. */
  readonly image: string | null;
  /** Version with `v`, for the image the node has already; null when the image is named. */
  readonly to: string | null;
};

/** Names the image for a node. */
export function installerFor(
  { image, to }: ImageChoice,
  system: NodeSystem,
): InstallerReference {
  return parseInstaller(image ?? kept(system, to ?? system.version));
}

/** The image a node has, in another version. */
function kept(system: NodeSystem, version: string): string {
  const { schematic, customized, platform } = system;
  const own = parseInstaller(system.installImage ?? plainInstaller);
  const isOwn = own.schematic !== undefined && own.schematic === schematic;
  if (isOwn) return `${own.repository}:${version}`;
  const isMade = schematic !== undefined &&
    (customized || own.schematic !== undefined);
  // Somebody's own image, made in some other way.
  if (!isMade) return `${own.repository}:${version}`;
  return madeInstaller({
    ...own.schematic === undefined ? {} : { host: hostOf(own.repository) },
    version,
    schematic,
    platform,
    secureBoot: system.secureBoot === true,
  });
}

function hostOf(repository: string): string {
  return repository.split("/").slice(0, -2).join("/");
}
