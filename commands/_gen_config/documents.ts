/** Generates, patches and checks the documents of `gen config`. */

import { annotate } from "../../config/documents/comments.ts";
import type { ConfigDocument } from "../../config/documents/load.ts";
import { problemText, refuse } from "../../config/documents/problem.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import { type Contract, toOsVersion } from "../../config/generate/contract.ts";
import { machineConfig } from "../../config/generate/machine_config.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { applyPatches, type Patch } from "../../config/patch.ts";
import { unsupportedKubernetes } from "../../config/kubernetes_fit.ts";
import { validateDocuments } from "../../config/validate.ts";
import { defaultKubernetes } from "../../config/images.ts";
import { defaultInstaller } from "../../config/releases.ts";
import type { Context } from "../_kit/mod.ts";
import { readPatches } from "../_configure/patches.ts";
import type { GenConfigInputs } from "./inputs.ts";

type ConfiguredRole = "controlplane" | "worker";

/** Basis of the documents, in addition to the inputs. */
export interface Basis {
  /** Target Talos version contract. */
  readonly contract: Contract;
  readonly secrets: SecretsBundle;
  /** Patches by role, in the order they are applied. */
  readonly patches: Readonly<Record<ConfiguredRole, readonly Patch[]>>;
}

type GenContext = Pick<
  Context<GenConfigInputs>,
  "input" | "environment" | "signal" | "note"
>;

/**
 * Reads the patches; those for all roles come before those for one. Throws
 * `ConfigError` if one cannot be read, or is not a patch.
 */
export async function patchesFor(
  context: GenContext,
): Promise<Basis["patches"]> {
  const { input } = context;
  const all = await readPatches(input.configPatch, context);
  const controlplane = await readPatches(
    input.configPatchControlPlane,
    context,
  );
  const worker = await readPatches(input.configPatchWorker, context);
  return {
    controlplane: [...all, ...controlplane],
    worker: [...all, ...worker],
  };
}

/**
 * Generates, patches and checks the documents of one role, and adds comments if requested.
 *
 * @param context Inputs, and the note for validation warnings.
 * @throws {ConfigError} If a patch does not fit, or if the result is invalid with `--validate=error`.
 */
export function documentsFor(
  role: ConfiguredRole,
  { contract, secrets, patches }: Basis,
  context: GenContext,
): readonly ConfigDocument[] {
  const { input, environment, note } = context;
  const tag = environment.env("TAG");
  const installImage = input.installImage ??
    (tag ? defaultInstaller(tag) : undefined);
  const kubernetesVersion = input.kubernetesVersion ??
    (input.osVersion === undefined ? defaultKubernetes : undefined);
  const generated = machineConfig({
    clusterName: input.clusterName,
    endpoint: input.clusterEndpoint,
    contract,
    secrets,
    installDisk: input.installDisk,
    installImage,
    kubernetesVersion,
    sans: input.additionalSans,
    dnsDomain: input.dnsDomain,
    persist: input.persist,
    discovery: input.withClusterDiscovery,
    kubernetes: !input.skipK8sEtcd,
    kubespan: input.withKubespan,
    registryMirrors: input.registryMirror,
  }, role);
  const patched = applyPatches(generated, patches[role]);
  for (const text of patched.notes) note(`${role}: ${text}`);
  // Patch positions count from the patch file.
  const documents = patched.documents.map((document, index) => ({
    ...document,
    number: index + 1,
  }));
  const version = toOsVersion(contract);
  check(role, documents, version, context);
  const { withDocs: docs, withExamples: examples } = input;
  return documents.map((one) => annotate(one, { docs, examples, version }));
}

function check(
  role: ConfiguredRole,
  documents: readonly ConfigDocument[],
  osVersion: OsVersion,
  { input, note }: GenContext,
): void {
  if (input.validate === "off") return;
  const loaded = { documents, problems: [], empty: [] };
  const problems = validateDocuments(loaded, { mode: "metal", osVersion });
  const unfit = unsupportedKubernetes(documents, osVersion);
  if (input.validate === "error") {
    const errors = unfit.map((one) => ({ ...one, level: "error" as const }));
    refuse(`the ${role} configuration`, [...problems, ...errors]);
  }
  for (const problem of [...problems, ...unfit]) {
    const { identity } = problem;
    note(`warning: ${role}: ${identity}: ${problemText(problem)}`);
  }
}
