/** Configurations of the nodes of a cluster of virtual machines. */

import { stringify } from "yaml";
import { encodeDocuments } from "../../config/documents/encode.ts";
import {
  type ConfigDocument,
  loadDocuments,
} from "../../config/documents/load.ts";
import { refuse } from "../../config/documents/problem.ts";
import { machineConfig } from "../../config/generate/machine_config.ts";
import type {
  ClusterSpec,
  GeneratedRole,
} from "../../config/generate/machine_options.ts";
import { applyPatches, type Patch, readPatch } from "../../config/patch.ts";
import { type DocumentSettings, settingDocuments } from "./documents.ts";
import type { QemuSpec } from "./spec.ts";

/** What configurations are made from. */
export interface ConfigurationSources {
  /** What generated ones have in common; omitted when all are given. */
  readonly spec: ClusterSpec;
  /** Configurations that are there already, YAML by role; omitted, they are generated. */
  readonly given?:
    | Readonly<Record<"controlplane" | "worker", string>>
    | undefined;
  /** What flags of the machines change. */
  readonly settings: DocumentSettings;
  /** Patches of the user by role. */
  readonly patches: Readonly<
    Record<"controlplane" | "worker", readonly Patch[]>
  >;
}

/** Makes the configuration of every machine. Returns YAML by name. Throws `ConfigError` if a patch does not fit. */
export function configurationsFor(
  machines: QemuSpec["plan"]["machines"],
  sources: ConfigurationSources,
): ReadonlyMap<string, string> {
  const changes = settingDocuments(sources.settings);
  return new Map(machines.map(({ name, type }) => {
    const role = type === "worker" ? "worker" : "controlplane";
    const own = [
      ...changes.all,
      ...changes[role],
      ...changes.node.get(name) ?? [],
    ].map((one) => readPatch(stringify(one), "settings of the cluster"));
    const { documents } = applyPatches(
      initial(type, sources),
      [...own, ...sources.patches[role]],
    );
    return [name, encodeDocuments(documents)];
  }));
}

function initial(
  type: GeneratedRole,
  { spec, given }: ConfigurationSources,
): readonly ConfigDocument[] {
  if (given === undefined) return machineConfig(spec, type);
  const role = type === "worker" ? "worker" : "controlplane";
  const { documents, problems } = loadDocuments(given[role], `${role}.yaml`);
  refuse(`${role}.yaml`, problems);
  return documents;
}
