/** Names of installer images, and the facts they contain. */

import { isFactoryOnly, plainSchematic } from "../../config/releases.ts";
import { imageFactory, imagePrefix } from "../../talos.ts";
import type { NodeSystem } from "./node_system.ts";
import { isOlder, parseVersion } from "../../lib/version.ts";

/** A parsed installer image name. */
export interface InstallerReference {
  readonly text: string;
  /** Registry and path, without tag and digest. */
  readonly repository: string;
  /** Version in the tag; `undefined` if there is none. */
  readonly version: string | undefined;
  /** Schematic id, 64 hexadecimal digits; `undefined` if not in the name. */
  readonly schematic: string | undefined;
  /** Platform; `undefined` if not in the name. */
  readonly platform: string | undefined;
  /** True if it is for secure boot; `undefined` if not in the name. */
  readonly secureBoot: boolean | undefined;
  /** True for the vendor's own image, without extensions. */
  readonly plain: boolean;
}

const plainInstaller = `${imagePrefix}/installer`;

/** Parses the name of an installer image. `text`: `registry/path:tag`, `registry/path@digest`, or both. */
export function parseInstaller(text: string): InstallerReference {
  const [named = ""] = text.split("@");
  // The colon of a registry's port is followed by a slash.
  const [, repository = named, tag = ""] = /^(.+):([^:/]+)$/.exec(named) ?? [];
  const parts = repository.split("/");
  const last = parts.at(-1) ?? "";
  const kind = /^(?:([a-z0-9-]+)-)?installer(-secureboot)?$/
    .exec(parts.at(-2) ?? "");
  const isMade = /^[0-9a-f]{64}$/.test(last) && kind !== null;
  const plain = repository === plainInstaller;
  return {
    text,
    repository,
    version: parseVersion(tag) === undefined ? undefined : tag,
    schematic: isMade ? last : undefined,
    platform: isMade ? kind[1] : undefined,
    secureBoot: isMade ? kind[2] !== undefined : plain ? false : undefined,
    plain,
  };
}

interface InstallerContent {
  /** Host of the image factory, without path. */
  readonly host?: string;
  /** Version with `v`. */
  readonly version: string;
  readonly schematic: string;
  /** Platform: `metal`. */
  readonly platform: string;
  readonly secureBoot: boolean;
}

/** First version with separate images for each platform. */
const perPlatform = "v1.10.0";

/** Name of the image of a schematic. */
export function madeInstaller(
  { host = imageFactory, version, schematic, platform, secureBoot }:
    InstallerContent,
): string {
  const prefix = isOlder(version, perPlatform) || platform === ""
    ? ""
    : `${platform}-`;
  const suffix = secureBoot ? "-secureboot" : "";
  return `${host}/${prefix}installer${suffix}/${schematic}:${version}`;
}

/** Requested image or version. */
export type ImageChoice = {
  /** Name of the image; null when derived from the version. */
  readonly image: string | null;
  /** Version with `v`, for the current image; null when the image is named. */
  readonly to: string | null;
};

/** Name of the image for a node. */
export function installerFor(
  { image, to }: ImageChoice,
  system: NodeSystem,
): InstallerReference {
  return parseInstaller(image ?? keepInstaller(system, to ?? system.version));
}

function keepInstaller(system: NodeSystem, version: string): string {
  const { schematic, customized, platform } = system;
  const own = parseInstaller(system.installImage ?? plainInstaller);
  const isOwn = own.schematic !== undefined && own.schematic === schematic;
  if (isOwn) return `${own.repository}:${version}`;
  const isMade = schematic !== undefined &&
    (customized || own.schematic !== undefined);
  if (!isMade && own.plain) return plainAt(version, system);
  // A custom image, not from an image factory.
  if (!isMade) return `${own.repository}:${version}`;
  return madeInstaller({
    ...own.schematic === undefined ? {} : { host: parseHost(own.repository) },
    version,
    schematic,
    platform,
    secureBoot: system.secureBoot === true,
  });
}

/** Name of the image that follows the one in a configuration, for nodes whose state is unknown. */
export function installerForFile(image: string, version: string): string {
  const { plain, repository } = parseInstaller(image);
  return plain ? plainAt(version, {}) : `${repository}:${version}`;
}

/** Name of the image without extensions, which newer releases publish through the image factory only. */
export function plainAt(
  version: string,
  { platform, secureBoot }: Partial<NodeSystem>,
): string {
  if (!isFactoryOnly(version)) return `${plainInstaller}:${version}`;
  return madeInstaller({
    version,
    schematic: plainSchematic,
    platform: platform || "metal",
    secureBoot: secureBoot === true,
  });
}

function parseHost(repository: string): string {
  return repository.split("/").slice(0, -2).join("/");
}
