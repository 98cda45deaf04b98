/** `gen config` and its alias. */

import { resolveLinks, trimSlashes } from "../../lib/files/atomic_file.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { parseUrl } from "../../config/documents/checks.ts";
import { type NewFile, writeFilesAtomic } from "../../lib/files/file_set.ts";
import { renderAdminOsconfig } from "../../config/generate/client.ts";
import {
  defaultContract,
  parseContract,
} from "../../config/generate/contract.ts";
import {
  type ClusterIdentity,
  existingAmong,
  type ExistingFile,
  identityText,
  isSameCluster,
  readIdentity,
} from "../../config/generate/identity.ts";
import {
  generateSecrets,
  type SecretsBundle,
} from "../../config/generate/secrets.ts";
import { readSecretsFile } from "../../config/generate/secrets_file.ts";
import { ConfigError, UsageError } from "../../errors.ts";
import { bytes, type Command, type Context } from "../_kit/mod.ts";
import { type Basis, documentsFor, patchesFor } from "./documents.ts";
import {
  type GenConfigInputs,
  genConfigInputs,
  type OutputType,
  refuseBefore14,
} from "./inputs.ts";
import { backupPath } from "../../lib/files/exists.ts";
import { working } from "../../transport/call/open_calls.ts";

type GenConfigContext = Context<GenConfigInputs>;

/** Defines the command. */
export function genConfigCommand(
  name: string,
): Command<Uint8Array, GenConfigInputs> {
  return {
    summary: "Generate machine and client configurations for a cluster",
    description:
      `Writes a configuration for control planes, one for workers, and an admin client configuration. The endpoint is the URL
of the Kubernetes API: the address of the control plane or of a load balancer, usually with port 6443.

Without --with-secrets, new keys and tokens are generated; they exist only in these files. Existing files are replaced
only with --force; files of another cluster are kept as a dated copy.

The client configuration gets the values of --endpoints and --nodes. TAG in the environment is the installer tag
unless --install-image is given.`,
    inputs: genConfigInputs,
    examples: [
      `${name} cluster1 https://10.5.0.2:6443 --endpoints 10.5.0.2`,
      `${name} cluster1 https://cluster1.example.org:6443 --with-secrets secrets.yaml --config-patch @disks.yaml -o cluster1`,
      `${name} cluster1 https://10.5.0.2:6443 --with-secrets secrets.yaml -t worker -o -`,
    ],
    output: "own",
    view: bytes(),
    run,
  };
}

async function* run(context: GenConfigContext): AsyncIterable<Uint8Array> {
  const { input, environment, note } = context;
  const targets = listTargets(input, Deno.cwd());
  const contract = input.osVersion === undefined
    ? defaultContract
    : parseContract(input.osVersion);
  if (input.skipK8sEtcd) refuseBefore14(contract, "--skip-k8s-etcd");
  const patches = await patchesFor(context);
  const given = input.withSecrets === undefined
    ? undefined
    : await readSecretsFile(input.withSecrets);
  const paths = targets.flatMap(({ path }) => path ?? []);
  const existing = await existingAmong(paths);
  if (input.withSecrets !== undefined) {
    await refuseSecretsFile(existing, input.withSecrets);
  }
  if (existing.length > 0 && !input.force) {
    throw takenError(existing, given && await readIdentity(given));
  }
  note("generating PKI and tokens");
  const [now, cores] = [environment.now(), environment.cores ?? 1];
  const secrets = given ??
    await working(
      "generating keys",
      () => generateSecrets({ contract, now, cores }),
    );
  const basis = { contract, secrets, patches };
  const files: { path: string; content: string }[] = [];
  for (const { type, path } of targets) {
    const content = await renderContent(type, basis, context);
    if (path === undefined) yield new TextEncoder().encode(content);
    else files.push({ path, content });
  }
  await write(files, { existing, secrets }, context);
  proposeEndpoint(targets, context);
}

async function write(
  files: readonly { readonly path: string; readonly content: string }[],
  { existing, secrets }: {
    readonly existing: readonly ExistingFile[];
    readonly secrets: SecretsBundle;
  },
  { input: { force }, environment, note }: GenConfigContext,
): Promise<void> {
  const made = await readIdentity(secrets);
  const copies = await copyExisting(existing, made, environment.now());
  await writeFilesAtomic([...copies, ...files], { overwrite: force });
  for (const { path } of copies) note(`Kept the previous file as ${path}`);
  for (const { path } of files) note(`Created ${path}`);
}

/** A client configuration without endpoints gives no useful error. */
function proposeEndpoint(
  targets: readonly OutputTarget[],
  { input, globals, note }: GenConfigContext,
): void {
  const isMade = targets.some(({ type, path }) =>
    type === "osconfig" && path !== undefined
  );
  if (!isMade || globals.endpoints.length > 0) return;
  const { host } = parseUrl(input.clusterEndpoint) ?? {};
  note(
    `osconfig has no endpoints yet; if ${host} is a control plane: osctl config endpoint ${host}`,
  );
}

async function refuseSecretsFile(
  existing: readonly ExistingFile[],
  secrets: string,
): Promise<void> {
  const place = await resolveLinks(secrets);
  for (const { path } of existing) {
    if (await resolveLinks(path) !== place) continue;
    throw new ConfigError(
      `Cannot write "${path}": it is the file given with --with-secrets`,
      {
        hint: "Choose another path with --output",
      },
    );
  }
}

async function renderContent(
  type: OutputType,
  basis: Basis,
  context: GenConfigContext,
): Promise<string> {
  const { input, globals, environment } = context;
  if (type !== "osconfig") {
    return encodeDocuments(
      documentsFor(type, basis, context),
      basis.contract.singleQuotes ? "single" : "double",
    );
  }
  return await renderAdminOsconfig({
    clusterName: input.clusterName,
    secrets: basis.secrets,
    now: environment.now(),
    endpoints: globals.endpoints,
    nodes: globals.nodes,
  });
}

interface OutputTarget {
  readonly type: OutputType;
  /** Path; `undefined` for standard output. */
  readonly path: string | undefined;
}

const names: Readonly<Record<OutputType, string>> = {
  controlplane: "controlplane.yaml",
  worker: "worker.yaml",
  osconfig: "osconfig",
};

/**
 * Chooses output paths: in the working directory or the given one, or the given path for a single file. Throws
 * `UsageError` if the path does not fit the types.
 */
export function listTargets(
  { output = "", outputDir = "", outputTypes }: Pick<
    GenConfigInputs,
    "output" | "outputDir" | "outputTypes"
  >,
  cwd: string,
): readonly OutputTarget[] {
  if (output !== "" && outputDir !== "") {
    throw new UsageError("Flags --output and --output-dir cannot be combined", {
      hint: "Give --output",
    });
  }
  const [first, ...others] = outputTypes;
  if (first !== undefined && others.length === 0 && output !== "") {
    return [{ type: first, path: output === "-" ? undefined : output }];
  }
  if (output === "-") {
    throw new UsageError(
      "Only one type of file can be written to standard output",
      {
        hint: "Choose it with --output-types",
      },
    );
  }
  const directory = trimSlashes(output || outputDir || cwd);
  return outputTypes.map((type) => ({
    type,
    path: `${directory === "/" ? "" : directory}/${names[type]}`,
  }));
}

/**
 * Error for files that would be overwritten.
 *
 * @param existing At least one file.
 * @param made Cluster of the new files; `undefined` for a new cluster.
 */
function takenError(
  existing: readonly ExistingFile[],
  made: ClusterIdentity | undefined,
): ConfigError {
  const names = existing.map(({ path }) => `"${path}"`).join(", ");
  const state = existing.length === 1
    ? "it already exists"
    : "they already exist";
  const start = `Cannot write ${names}: ${state}`;
  const others = existing.filter(({ identity }) =>
    isKnown(identity) && !belongsTo(identity, made)
  );
  if (others.length === 0) {
    return new ConfigError(start, { hint: "Replace with --force" });
  }
  const lines = [
    `${start}, and for another cluster`,
    ...others.map(({ path, identity }) =>
      `  ${path}: ${identityText(identity)}`
    ),
    `  new: ${made ? identityText(made) : "a cluster with secrets made now"}`,
  ];
  return new ConfigError(lines.join("\n"), {
    hint:
      "Pass the secrets of that cluster with --with-secrets, or replace with --force, which keeps dated copies",
  });
}

/**
 * Backs up existing files whose secrets would be lost, unless they are known to be of the same cluster.
 *
 * @param now Current time, part of the file names.
 * @returns Files to write in addition.
 */
async function copyExisting(
  existing: readonly ExistingFile[],
  made: ClusterIdentity,
  now: Date,
): Promise<readonly NewFile[]> {
  const lost = existing.filter(({ identity, content }) =>
    content.length > 0 && !belongsTo(identity, made)
  );
  return await Promise.all(lost.map(async ({ path, content }) => ({
    path: await backupPath(path, now),
    content,
  })));
}

function isKnown({ id, fingerprint }: ClusterIdentity): boolean {
  return id !== undefined || fingerprint !== undefined;
}

function belongsTo(
  identity: ClusterIdentity,
  made: ClusterIdentity | undefined,
): boolean {
  return made !== undefined && isSameCluster(identity, made);
}
