/** Files of a new site. */

import type { NewFile } from "../../lib/files/file_set.ts";
import { type Plain, toTree } from "../../config/tree/node.ts";
import { writeTree } from "../../config/tree/write.ts";
import type { SiteEnvironment } from "./site_environment.ts";
import { inFolder } from "./site_file.ts";
import { versionKey } from "./site_keys.ts";
import { encryptByRule } from "../../config/sops/file.ts";

/** Schema file named in the first line of `site.yaml`. */
const schemaName = "site.schema.json";

/** Settings of a new site. */
export interface StarterSite {
  readonly name: string;
  /** URL of the Kubernetes API. */
  readonly endpoint: string;
  /** OS version without `v`. */
  readonly os: string;
  /** Kubernetes version without `v`. */
  readonly kubernetes: string;
  /** JSON Schema of `site.yaml`. */
  readonly schema: string;
  /** Secrets bundle, YAML, or the program that has it. */
  readonly secrets: string | { readonly provider: string };
}

/** Makes the files of a new site, valid and commented; their paths are relative. */
export function makeStarter(site: StarterSite): readonly NewFile[] {
  return [
    ...withSchema(siteText(site), site.schema),
    { path: "all/install.yaml", content: installText },
    { path: "control-plane/etcd.yaml", content: etcdText },
    ...typeof site.secrets === "string"
      ? [{ path: "secrets.yaml", content: site.secrets }]
      : [],
  ];
}

/** Makes `site.yaml` with these settings, and its schema. */
export function makeSiteFiles(
  settings: Plain,
  schema: string,
): readonly NewFile[] {
  return withSchema(writeTree(toTree(settings)), schema);
}

/**
 * Encrypts those files with secrets for which a rule says so.
 *
 * @param files New files, with paths in the folder.
 * @param secretPaths Paths of those with secrets.
 * @returns The files with their whole paths, and which of the secrets are not encrypted: git ignores these.
 */
export async function encryptFiles(
  folder: string,
  files: readonly NewFile[],
  secretPaths: readonly string[],
  environment: SiteEnvironment,
): Promise<{
  readonly files: readonly NewFile[];
  readonly plainPaths: readonly string[];
}> {
  const encrypted: NewFile[] = [];
  const plain = new Set<string>();
  for (const file of files) {
    const path = inFolder(folder, file.path);
    const text = secretPaths.includes(file.path)
      ? await encryptByRule(String(file.content), path, environment)
      : file.content;
    if (text === undefined) plain.add(file.path);
    encrypted.push({ path, content: text ?? file.content });
  }
  const plainPaths = secretPaths.filter((path) => plain.has(path));
  if (plainPaths.length === 0) return { files: encrypted, plainPaths };
  const lines = plainPaths.map((path) => `${path}\n`);
  const content = `# Not encrypted.\n${lines.join("")}`;
  encrypted.push({ path: inFolder(folder, ".gitignore"), content });
  return { files: encrypted, plainPaths };
}

function withSchema(text: string, schema: string): readonly NewFile[] {
  const first = `# yaml-language-server: $schema=${schemaName}
# A cluster in a directory. All keys: osctl explain site
`;
  return [
    { path: "site.yaml", content: `${first}${text}` },
    { path: schemaName, content: schema },
  ];
}

function siteText(
  { name, endpoint, os, kubernetes, secrets }: StarterSite,
): string {
  const provider = typeof secrets === "string"
    ? ""
    : `secretsProvider: ${JSON.stringify(secrets.provider)}\n`;
  return `clusterName: ${JSON.stringify(name)}
clusterEndpoint: ${endpoint}
kubernetesVersion: ${kubernetes}
${versionKey}: ${os}
${provider}
# Patches of all nodes are in all/, of a role in control-plane/ and worker/,
# of a group in group/<name>/, of one node in node/<host>/; later ones win.

# System extensions and kernel arguments of the installer image:
# extensions: [iscsi-tools, util-linux-tools]
# kernelArgs: [console=ttyS0]

nodes: []
# nodes:
#   - host: cp-1
#     ip: 10.0.0.2
#     role: control-plane
#   - host: worker-1
#     ip: 10.0.0.5
#     role: worker
#     groups: [storage]
#     data: {disk: /dev/nvme0n1}

# groups:
#   storage:
#     labels: {example.com/storage: "true"}
`;
}

const installText = `# Merged into the configuration of every node.
machine:
  install:
    disk: /dev/sda
    # A value of the node, else the default:
    # disk: \${{ has(node.data.disk) ? node.data.disk : "/dev/sda" }}
`;

const etcdText = `# Merged into the configurations of control planes.
cluster:
  etcd:
    extraArgs:
      election-timeout: "5000"
`;
