/** Configuration changes that require a reboot. */

import { podAccessField } from "../../talos.ts";
import { canonical } from "../documents/encode.ts";
import { type ConfigDocument, mainKind } from "../documents/load.ts";
import { isOlderMinor } from "../../lib/version.ts";
import type { OsVersion } from "../documents/schema.ts";
import { type ConfigNode, findChild } from "../tree/node.ts";
import { sameValue } from "../tree/resolve.ts";

/** Keys of the main document that are applied without a reboot. */
const live = new Set(["debug", "cluster"]);

/** The same for `machine`. */
const liveInMachine = new Set([
  "ca",
  "acceptedCAs",
  "time",
  "certSANs",
  "install",
  "network",
  "sysfs",
  "sysctls",
  "logging",
  "controlPlane",
  "kubelet",
  "kernel",
  "registries",
  "pods",
  "seccompProfiles",
  "nodeAnnotations",
  "nodeLabels",
  "nodeTaints",
]);

/** The same for `machine.features`. */
const liveInFeatures = new Set([
  podAccessField,
  "kubePrism",
  "hostDNS",
  "imageCache",
  "nodeAddressSortAlgorithm",
]);

/**
 * Finds changes that make a node reboot. Other documents than the main one never do.
 *
 * The node decides; this mirrors the behaviour of its version.
 *
 * @param version Version of the node; if unknown, versions before v1.14 are assumed to reboot.
 * @returns Paths in the main document: `machine.type`.
 */
export function rebootNeed(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
  version?: OsVersion,
): readonly string[] {
  if (!rebootsForConfiguration(version)) return [];
  const [old, now] = [findRoot(from), findRoot(to)];
  const machines = [
    findChild(old, "machine"),
    findChild(now, "machine"),
  ] as const;
  const features = machines.map((machine) => findChild(machine, "features"));
  return [
    ...listChanges(old, now, new Set([...live, "machine"]), ""),
    ...listChanges(
      ...machines,
      new Set([...liveInMachine, "features"]),
      "machine",
    ),
    ...listChanges(
      features[0],
      features[1],
      liveInFeatures,
      "machine.features",
    ),
  ];
}

/** Reports whether nodes of a version reboot for a configuration, automatically or with mode `reboot`. */
export function rebootsForConfiguration(
  version: OsVersion | undefined,
): boolean {
  return version === undefined || isOlderMinor(version, "1.14");
}

function findRoot(
  documents: readonly ConfigDocument[],
): ConfigNode | undefined {
  const main = documents.find(({ kind }) => kind === mainKind);
  return main && canonical(main);
}

function listChanges(
  old: ConfigNode | undefined,
  now: ConfigNode | undefined,
  exempt: ReadonlySet<string>,
  path: string,
): readonly string[] {
  const keys = new Set([...listKeys(old), ...listKeys(now)]);
  return [...keys].filter((key) => {
    if (exempt.has(key)) return false;
    const [a, b] = [findChild(old, key), findChild(now, key)];
    return a === undefined || b === undefined || !sameValue(a, b);
  }).map((key) => path === "" ? key : `${path}.${key}`);
}

function listKeys(node: ConfigNode | undefined): readonly string[] {
  return node?.kind === "map" ? node.entries.map(({ key }) => key) : [];
}
