import type { NodeSystem } from "./node_system.ts";
import { isFactoryOnly } from "../../config/releases.ts";
import {
  type InstallerReference,
  parseInstaller,
  plainAt,
} from "./installer_reference.ts";
import {
  kubernetesProblem,
  kubernetesRange,
} from "../../config/kubernetes_range.ts";
import { pathProblem } from "../../lib/version.ts";

/** Upgrade rules a user may override. */
export const upgradeAllowances = ["version-path", "image-identity"] as const;

type UpgradeAllowance = (typeof upgradeAllowances)[number];

/** A violated upgrade rule. */
export interface UpgradeProblem {
  /** Code of the safety rule. */
  readonly rule: "S8" | "S9";
  readonly text: string;
  readonly allowance: UpgradeAllowance;
}

/** Compares a node with an image, by the image's name only. */
export function upgradeProblems(
  system: NodeSystem,
  image: InstallerReference,
): readonly UpgradeProblem[] {
  const { version } = image;
  const path = version === undefined ? [] : [
    pathProblem(system.version, version),
    kubernetesProblem(system.kubernetes, version),
  ];
  const identity = [
    ...contentProblems(system, image),
    ...secureBootProblems(system, image),
    ...platformProblems(system, image),
    ...publicationProblems(system, image),
  ];
  return [
    ...path.flatMap((text) =>
      text === undefined
        ? []
        : [{ rule: "S8", text, allowance: "version-path" } as const]
    ),
    ...identity.map((text) =>
      ({ rule: "S9", text, allowance: "image-identity" }) as const
    ),
  ];
}

/** Facts missing in an image name that only a registry has. */
export function unknownsOfImage(
  { version, schematic, plain }: InstallerReference,
): readonly string[] {
  return [
    "whether the image exists and for which architectures",
    ...version === undefined ? ["its version"] : [],
    ...version !== undefined && kubernetesRange(version) === undefined
      ? ["which versions of Kubernetes it supports"]
      : [],
    ...schematic === undefined && !plain ? ["the extensions in it"] : [],
  ];
}

/** Reports whether a node runs an image already, as far as its name tells. */
export function runsAlready(
  system: NodeSystem,
  image: InstallerReference,
): boolean {
  if (image.version !== system.version || image.text.includes("@")) {
    return false;
  }
  return image.schematic === undefined
    ? image.plain && listLosses(system).length === 0
    : image.schematic === system.schematic;
}

function listLosses({ extensions, customized }: NodeSystem): readonly string[] {
  const names = extensions.map(({ name }) => name);
  return names.length === 0 && customized ? ["its customization"] : names;
}

function contentProblems(
  system: NodeSystem,
  image: InstallerReference,
): readonly string[] {
  const losses = listLosses(system);
  const isSame = image.schematic !== undefined &&
    image.schematic === system.schematic;
  if (losses.length === 0 || isSame) return [];
  const things = losses.join(", ");
  if (image.plain) return [`the image does not contain ${things}`];
  if (image.schematic !== undefined) {
    const name = image.schematic.slice(0, 12);
    return [
      `the image has another schematic (${name}…), and the node's holds ${things}`,
    ];
  }
  const own = system.installImage;
  const isOwn = own !== undefined &&
    parseInstaller(own).repository === image.repository;
  return isOwn
    ? []
    : [`the image name does not show whether it contains ${things}`];
}

function secureBootProblems(
  { secureBoot: has }: NodeSystem,
  { secureBoot: wants }: InstallerReference,
): readonly string[] {
  if (has === undefined || wants === undefined || has === wants) return [];
  return has
    ? ["the node runs with Secure Boot, but the image is built without it"]
    : ["the node runs without Secure Boot, but the image is built for it"];
}

function publicationProblems(
  system: NodeSystem,
  { plain, version }: InstallerReference,
): readonly string[] {
  return plain && version !== undefined && isFactoryOnly(version)
    ? [
      `${version} is not published under this name; use ${
        plainAt(version, system)
      }`,
    ]
    : [];
}

function platformProblems(
  { platform: is }: NodeSystem,
  { platform: wants }: InstallerReference,
): readonly string[] {
  return is === "" || wants === undefined || is === wants
    ? []
    : [`the node runs on ${is}, and the image is for ${wants}`];
}
