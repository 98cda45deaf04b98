/** Machine configurations for the nodes of a cluster. */

import { type ConfigDocument, identify } from "../documents/load.ts";
import { type Plain, treeOf } from "../tree/node.ts";
import { clusterSection } from "./cluster_section.ts";
import { machineSection } from "./machine_section.ts";
import type { ClusterSpec, MachineRole } from "./machine_options.ts";

/**
 * Makes the configuration of the nodes with one role. The same spec gives the same documents every
 * time. Returns the main document first, in the form `encodeDocuments` takes.
 */
export function machineConfig(
  spec: ClusterSpec,
  role: MachineRole,
): readonly ConfigDocument[] {
  const made = [mainDocument(spec, role), ...furtherDocuments(spec)];
  return [
    ...made.map((value, index) => documentOf(value, index + 1)),
    ...(spec.documents ?? []).map((document, index) => ({
      ...document,
      number: made.length + index + 1,
    })),
  ];
}

function mainDocument(spec: ClusterSpec, role: MachineRole): Plain {
  return {
    version: "v1alpha1",
    debug: false,
    persist: spec.persist ?? true,
    machine: machineSection(spec, role),
    cluster: clusterSection(spec, role),
  };
}

/** What has a place in the main document of older versions. */
function furtherDocuments(
  { contract, registryMirrors = new Map() }: ClusterSpec,
): readonly Plain[] {
  const apiVersion = "v1alpha1";
  const mirrors = contract.mirrorDocuments ? [...registryMirrors] : [];
  const hostnames = contract.hostnameDocument ? ["stable"] : [];
  return [
    ...mirrors.toSorted(byHost).map(([name, urls]) => ({
      apiVersion,
      kind: "RegistryMirrorConfig",
      name,
      endpoints: urls.map((url) => ({ url })),
    })),
    ...hostnames.map((auto) => ({ apiVersion, kind: "HostnameConfig", auto })),
  ];
}

type Mirror = readonly [host: string, urls: readonly string[]];

function byHost([a]: Mirror, [b]: Mirror): number {
  return a < b ? -1 : 1;
}

function documentOf(value: Plain, number: number): ConfigDocument {
  const document = identify(treeOf(value), number);
  if (!("message" in document)) return document;
  throw new TypeError(document.message);
}
