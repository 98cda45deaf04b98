/** What `gen config` makes out of its inputs: documents, patched and checked. */

import { annotate } from "../../config/documents/comments.ts";
import type { ConfigDocument } from "../../config/documents/load.ts";
import { problemText, refuse } from "../../config/documents/problem.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import { type Contract, toOsVersion } from "../../config/generate/contract.ts";
import { machineConfig } from "../../config/generate/machine_config.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { applyPatches, type Patch } from "../../config/patch.ts";
import { validateDocuments } from "../../config/validate.ts";
import { imagePrefix } from "../../talos.ts";
import type { Context } from "../_kit/mod.ts";
import { readPatches } from "../_configure/patches.ts";
import type { GenConfigInputs } from "./inputs.ts";

type ConfiguredRole = "controlplane" | "worker";

/** What decides the documents beside the inputs. */
export interface Basis {
  /** Version that has to understand them. */
  readonly contract: Contract;
  /** Secrets of the cluster. */
  readonly secrets: SecretsBundle;
  /** Patches by role, in the order they are applied. */
  readonly patches: Readonly<Record<ConfiguredRole, readonly Patch[]>>;
}

type GenContext = Pick<
  Context<GenConfigInputs>,
  "input" | "environment" | "signal" | "note"
>;

/**
 * Reads the patches; those for all come before those for one role. Throws `ConfigError` if one cannot
 * be read, or is none.
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
 * Makes the documents for one role, patches and checks them, and adds the comments asked for.
 *
 * @param context Inputs, and where warnings about what a node would refuse go.
 * @throws {ConfigError} If a patch does not fit, or with `--validate=error` a node would refuse the result.
 */
export function documentsFor(
  role: ConfiguredRole,
  { contract, secrets, patches }: Basis,
  context: GenContext,
): readonly ConfigDocument[] {
  const { input, environment, note } = context;
  const tag = environment.env("TAG");
  const installImage = input.installImage ??
    (tag ? `${imagePrefix}/installer:${tag}` : undefined);
  const { kubernetesVersion } = input;
  const generated = machineConfig({
    clusterName: input.clusterName,
    endpoint: input.clusterEndpoint,
    contract,
    secrets,
    installDisk: input.installDisk,
    ...(installImage !== undefined && { installImage }),
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
    sans: input.additionalSans,
    dnsDomain: input.dnsDomain,
    persist: input.persist,
    discovery: input.withClusterDiscovery,
    kubespan: input.withKubespan,
    registryMirrors: input.registryMirror,
  }, role);
  const patched = applyPatches(generated, patches[role]);
  for (const text of patched.notes) note(`${role}: ${text}`);
  // What patches added is numbered after their own files.
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
  if (input.validate === "error") refuse(`the ${role} configuration`, problems);
  for (const problem of problems) {
    const { identity } = problem;
    note(`WARNING: ${role}: ${identity}: ${problemText(problem)}`);
  }
}
