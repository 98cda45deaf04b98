import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { backupPath } from "../../lib/files/exists.ts";
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
import { readKubernetesPki } from "../../config/generate/kubernetes_pki.ts";
import {
  generateSecrets,
  type SecretsBundle,
} from "../../config/generate/secrets.ts";
import {
  renderSecrets,
  secretsFromConfig,
} from "../../config/generate/secrets_file.ts";
import { legacyFlags } from "../../talos.ts";
import { ConfigError } from "../../errors.ts";
import {
  bytes,
  type Command,
  type Context,
  type Flag,
  InputProblem,
  text,
  type Values,
} from "../_kit/mod.ts";
import { readConfiguration } from "../_configure/source.ts";
import { forceInputs } from "./_inputs.ts";
import { working } from "../../transport/call/open_calls.ts";

const inputs = {
  outputFile: text("output file; - for standard output", {
    initial: "secrets.yaml",
    short: "o",
    complete: "files",
    dash: true,
  }),
  fromControlplaneConfig: text(
    "control plane configuration to take the secrets from; - for standard input",
    { complete: "files", dash: true },
  ),
  fromKubernetesPki: text(
    "Kubernetes PKI directory to take CAs and keys from, such as /etc/kubernetes/pki",
    { short: "p", complete: "directories" },
  ),
  kubernetesBootstrapToken: bootstrapTokenFlag(),
  osVersion: text(
    "operating system version the secrets are for, such as v1.8",
    {
      aliases: [legacyFlags.osVersion],
      shown: defaultContract.version,
    },
  ),
  ...forceInputs,
};

type SecretsInputs = Values<typeof inputs>;

export const command = {
  summary: "Generate the secrets of a cluster",
  description:
    `Keep the file: configurations generated from the same secrets, with "osctl gen config --with-secrets", are for the
same cluster. The secrets of a running cluster can be taken from the configuration of one of its control planes, or from
the PKI directory of a kubeadm cluster; secrets that kubeadm does not have are generated. An existing file is replaced
only with --force, and kept as <file>.<date and time>.bak if it differs.`,
  inputs,
  examples: [
    "gen secrets",
    "gen secrets --from-controlplane-config controlplane.yaml -o secrets.yaml",
    "gen secrets --from-kubernetes-pki /etc/kubernetes/pki --kubernetes-bootstrap-token abcdef.0123456789abcdef",
  ],
  output: "own",
  view: bytes(),
  async *run(context) {
    const secrets = await secretsFor(context);
    if (context.input.outputFile === "-") {
      yield new TextEncoder().encode(renderSecrets(secrets));
    } else {
      await write(secrets, context);
    }
  },
} satisfies Command<Uint8Array, SecretsInputs>;

function bootstrapTokenFlag(): Flag<string | undefined> {
  return {
    ...text("bootstrap token to use; default a new one", { short: "t" }),
    secret: true,
    parse(value) {
      if (/^[0-9a-z]{6}\.[0-9a-z]{16}$/.test(value)) return value;
      throw new InputProblem("must have the form [a-z0-9]{6}.[a-z0-9]{16}");
    },
  };
}

async function secretsFor(
  context: Context<SecretsInputs>,
): Promise<SecretsBundle> {
  const { input, environment, note } = context;
  const { fromControlplaneConfig: config, fromKubernetesPki: pki } = input;
  const contract = input.osVersion
    ? parseContract(input.osVersion)
    : defaultContract;
  if (config !== undefined && pki === undefined) {
    if (input.kubernetesBootstrapToken !== undefined) {
      note(
        "--kubernetes-bootstrap-token is not used: the configuration has one",
      );
    }
    const { text, name } = await readConfiguration(config, context);
    return await secretsFromConfig(text, name);
  }
  if (config !== undefined) {
    note(
      "--from-controlplane-config is not used: --from-kubernetes-pki is given",
    );
  }
  return await working("generating keys", async () =>
    generateSecrets({
      contract,
      now: environment.now(),
      cores: environment.cores ?? 1,
      given: {
        bootstrapToken: input.kubernetesBootstrapToken,
        ...(pki !== undefined && { certs: await readKubernetesPki(pki) }),
      },
    }));
}

async function write(
  secrets: SecretsBundle,
  { input: { outputFile: path, force }, environment, note }: Context<
    SecretsInputs
  >,
): Promise<void> {
  const text = renderSecrets(secrets);
  const [existing] = await existingAmong([path]);
  if (existing !== undefined) {
    if (!force) throw takenError(existing, await readIdentity(secrets));
    const before = new TextDecoder().decode(existing.content);
    if (before !== "" && before !== text) {
      const backup = await backupPath(path, environment.now());
      await writeFileAtomic(backup, existing.content, { overwrite: false });
      note(`Kept the previous file as ${backup}`);
    }
  }
  await writeFileAtomic(path, text, { overwrite: force });
}

function takenError(
  { path, identity }: ExistingFile,
  made: ClusterIdentity,
): ConfigError {
  const start = `Cannot write "${path}": it already exists`;
  const hint = "Replace with --force, which keeps a dated copy";
  const { id, fingerprint } = identity;
  const isKnown = id !== undefined || fingerprint !== undefined;
  if (!isKnown) return new ConfigError(start, { hint });
  if (isSameCluster(identity, made)) {
    return new ConfigError(`${start}, for the same cluster`, { hint });
  }
  return new ConfigError(
    `${start}, and for another cluster\n` +
      `  ${path}: ${identityText(identity)}\n  new: ${identityText(made)}`,
    { hint },
  );
}
