import { UsageError } from "../../errors.ts";
import { findRelease } from "../../config/releases.ts";
import { parseContract } from "../../config/generate/contract.ts";
import { parseEndpoint } from "../../config/generate/machine_options.ts";
import { generateSecrets } from "../../config/generate/secrets.ts";
import { renderSecrets } from "../../config/generate/secrets_file.ts";
import { writeFilesAtomic } from "../../lib/files/file_set.ts";
import { readProgram } from "../../lib/run_program.ts";
import { splitPath, trimSlashes } from "../../lib/files/atomic_file.ts";
import { defaultRelease } from "../../talos.ts";
import { working } from "../../transport/call/open_calls.ts";
import type { SiteEnvironment } from "../../workflows/site/site_environment.ts";
import { encryptFiles } from "../../config/sops/new_files.ts";
import { makeStarter } from "../../workflows/site/starter.ts";
import {
  type Command,
  type Context,
  lines,
  optionalWord,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { describeCluster } from "../../workflows/site/describe_cluster.ts";
import { makeSite } from "../../workflows/site/make_site.ts";
import {
  type InitRow,
  readLiveNodes,
  requireFree,
  writeSite,
} from "./_new_site.ts";
import { siteEnvironment, siteSchemaText } from "./_site.ts";

const inputs = {
  directory: optionalWord(
    "directory to create; with --from-live, default the name of the cluster",
  ),
  endpoint: text("URL of the Kubernetes API, such as https://10.0.0.10:6443"),
  fromLive: toggle("make the site of the running cluster of --nodes"),
  os: text("operating system version", { initial: defaultRelease }),
  kubernetesVersion: text("Kubernetes version", {
    shown: "that of the operating system version",
  }),
  secretsProvider: text(
    "program that stores the secrets: PROGRAM secrets put CLUSTER",
    { complete: "files" },
  ),
};

export const command = {
  summary: "Create a site",
  description:
    `Writes a commented site.yaml with its JSON Schema for editors, new secrets, and patches to start from. Existing files
are not changed. Secrets are encrypted if a rule of a .sops.yaml in the directory, or above it, says so; with
--secrets-provider, a program stores them, unless it has some.

With --from-live, the site is that of a running cluster: it renders to exactly what each node has. What nodes have in
common is in all/ and the folders of the roles; the secrets are those of the cluster. All members of the cluster of the
node are read; name all nodes where discovery is off.`,
  inputs,
  examples: [
    "site init lab --endpoint https://10.0.0.10:6443 --os v1.13.9",
    "site init lab --from-live --nodes 10.0.0.2",
  ],
  view: lines(({ path }) => path),
  writes: true,
  async *run(context) {
    yield* context.input.fromLive
      ? await initFromLive(context)
      : await initStarter(context);
  },
} satisfies Command<InitRow, Values<typeof inputs>>;

type InitContext = Context<Values<typeof inputs>>;

async function initStarter(
  context: InitContext,
): Promise<readonly InitRow[]> {
  const { input, environment: { now, cores = 1 } } = context;
  const { directory, os, secretsProvider: provider } = input;
  if (directory === undefined || input.endpoint === undefined) {
    const missing = directory === undefined ? "A directory" : "Flag --endpoint";
    throw new UsageError(`${missing} is missing`, {
      hint: "Example: osctl site init lab --endpoint https://10.0.0.10:6443",
    });
  }
  const endpoint = publicEndpoint(input.endpoint);
  const folder = trimSlashes(directory);
  const contract = parseContract(os);
  const kubernetes = input.kubernetesVersion ?? findRelease(os).kubernetes;
  const secrets = await working(
    "generating keys",
    () => generateSecrets({ contract, now: now(), cores }),
  );
  const text = renderSecrets(secrets);
  const name = splitPath(folder)[1];
  const starter = makeStarter({
    name,
    endpoint,
    os: os.replace(/^v/, ""),
    kubernetes: kubernetes.replace(/^v/, ""),
    schema: siteSchemaText(),
    secrets: provider === undefined ? text : { provider },
  });
  const environment = siteEnvironment(context);
  const { files } = await encryptFiles(
    folder,
    starter,
    ["secrets.yaml"],
    environment,
  );
  await requireFree([`${folder}/topf.yaml`, ...files.map(({ path }) => path)]);
  if (provider !== undefined) await store(provider, name, text, environment);
  await writeFilesAtomic(files);
  context.note(
    `Add the nodes to ${folder}/site.yaml; then "osctl site render --site ${folder} -o out" writes their configurations, and the client configuration out/osconfig`,
  );
  return files.map(({ path }) => ({ path }));
}

async function initFromLive(
  context: InitContext,
): Promise<readonly InitRow[]> {
  const { input: { directory, endpoint, kubernetesVersion }, note } = context;
  if (endpoint !== undefined || kubernetesVersion !== undefined) {
    const name = endpoint === undefined ? "kubernetes-version" : "endpoint";
    throw new UsageError(`Flag --${name} cannot be used with --from-live`, {
      hint: "The cluster has one",
    });
  }
  const live = await describeCluster(await readLiveNodes(context));
  const folder = trimSlashes(directory ?? live.name);
  const site = await makeSite(
    { ...live, folder, schema: siteSchemaText() },
    siteEnvironment(context),
  );
  return await writeSite(folder, site, note);
}

/** Stores new secrets, unless the provider has some of this cluster. */
async function store(
  provider: string,
  name: string,
  text: string,
  environment: SiteEnvironment,
): Promise<void> {
  const get = ["secrets", "get", name];
  if ((await readProgram(provider, get, environment)).trim() !== "") return;
  await readProgram(provider, ["secrets", "put", name], environment, text);
}

/** The endpoint is in every configuration and in git. */
function publicEndpoint(text: string): string {
  const endpoint = parseEndpoint(text);
  const { username, password } = new URL(endpoint);
  if (username === "" && password === "") return endpoint;
  throw new UsageError("Flag --endpoint has a user name or password", {
    hint: "Give it as https://10.0.0.1:6443",
  });
}
