/** Machine configurations of a cluster of virtual machines. */

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
import { managerDocument } from "./agent/plan.ts";
import { type DocumentSettings, settingDocuments } from "./documents.ts";
import type { QemuSpec } from "./spec.ts";

/** Sources of configurations. */
export interface ConfigurationSources {
  /** Specification for generated configurations; omitted if all are given. */
  readonly spec: ClusterSpec;
  /** Existing configurations, YAML by role; default generated. */
  readonly given?:
    | Readonly<Record<"controlplane" | "worker", string>>
    | undefined;
  /** Settings from machine flags. */
  readonly settings: DocumentSettings;
  /** User patches by role. */
  readonly patches: Readonly<
    Record<"controlplane" | "worker", readonly Patch[]>
  >;
}

/**
 * Builds the configuration of every machine. Returns YAML by name. Throws `ConfigError` if a patch cannot be applied.
 */
export function configurationsFor(
  machines: QemuSpec["plan"]["machines"],
  sources: ConfigurationSources,
): ReadonlyMap<string, string> {
  const { manager } = sources.settings;
  if (manager !== undefined) {
    const text = stringify(managerDocument(manager));
    return new Map(machines.map(({ name }) => [name, text]));
  }
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
