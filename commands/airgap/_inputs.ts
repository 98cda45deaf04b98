/** Shared by the commands for air-gapped clusters: image lists and registry access. */

import { withV } from "../../lib/version.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import {
  type Registry,
  registryClient,
} from "../../workflows/image_cache/registry.ts";
import { userLogins } from "../../workflows/image_cache/registry_logins.ts";
import { filesIn, isFolder } from "../../lib/files/exists.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { requireConfiguration } from "../../config/documents/require_configuration.ts";
import {
  ConfigError,
  NodesError,
  type OsctlError,
  UsageError,
} from "../../errors.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import {
  allNeeds,
  type ClosureImage,
  collectClosure,
  type Needs,
} from "../../workflows/airgap/closure.ts";
import {
  configurationFileNeeds,
  nodeNeeds,
} from "../../workflows/airgap/needs.ts";
import { isSite, loadSite } from "../../workflows/site/load_site.ts";
import { makeRenderer } from "../../workflows/site/render_node.ts";
import { toSiteEnvironment } from "../../workflows/site/site_environment.ts";
import { readSiteSecrets } from "../../workflows/site/site_secrets.ts";
import { parseReference } from "../../workflows/image_cache/reference.ts";
import { readConfiguration, readSource } from "../_configure/source.ts";
import { namesNodes } from "../_kit/globals.ts";
import {
  type Context,
  type Flag,
  InputProblem,
  rest,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";

/** Flags that select the images. */
export const closureInputs = {
  configurations: rest(
    "configuration files, or directories of them or of a site; default the cluster's nodes",
    { complete: "yaml", dash: true },
  ),
  imageList: text(
    "file with images, one per line; - for standard input",
    { complete: "files", dash: true },
  ),
  toOs: version(
    "also the images of an upgrade to this operating system release, such as v1.13.9",
  ),
  toKubernetes: version(
    "also the images of an upgrade to this Kubernetes version, such as v1.35.0",
  ),
};

type ClosureInputs = Values<typeof closureInputs>;

function version(summary: string): Flag<string | undefined> {
  return {
    ...text(summary),
    parse(value) {
      if (/^v?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(value)) {
        return withV(value);
      }
      throw new InputProblem("must be a version such as v1.35.0");
    },
  };
}

/** Images, and problems with the list. */
export interface Closure {
  readonly images: readonly ClosureImage[];
  /** Error for nodes that did not answer. */
  readonly failure?: OsctlError;
}

/**
 * Collects the selected images. Prints a note about possible further images to standard error.
 *
 * @param named True to query named nodes in addition to files; false if the nodes have another purpose.
 * @throws {UsageError} If a list has other content.
 * @throws {ConfigError} If a file cannot be read.
 */
export async function findClosure(
  context: Context<ClosureInputs>,
  named = true,
): Promise<Closure> {
  const { input, globals, note } = context;
  const { configurations, imageList } = input;
  const parts: Needs[] = [];
  if (imageList !== undefined) {
    parts.push(await readImageList(imageList, context));
  }
  for (const path of configurations) {
    parts.push(...await readConfigurationNeeds(path, context));
  }
  const isCluster = named && namesNodes(globals) ||
    configurations.length === 0 && imageList === undefined;
  const asked = isCluster ? await fromNodes(context) : { needs: [] };
  const { images, notes } = allNeeds([...parts, ...asked.needs]);
  for (const text of notes) note(`warning: ${text}`);
  const { failure } = asked;
  return {
    images: collectClosure(images),
    failure,
  };
}

/** The nodes of the cluster, or the named ones. */
export function clusterNodes(
  { nodes, globals, reopen }: Pick<
    Context<unknown>,
    "nodes" | "globals" | "reopen"
  >,
): Nodes {
  return namesNodes(globals) ? nodes : reopen({
    nodes: ["@all"],
    alsoAt: [],
    nodeTimeoutMs: globals.nodeTimeout,
  });
}

async function fromNodes(
  context: Context<ClosureInputs>,
): Promise<
  { readonly needs: readonly Needs[]; readonly failure?: OsctlError }
> {
  const { input, globals } = context;
  const nodes = clusterNodes(context);
  const heard = new Map<string, Needs>();
  try {
    const names = await nodes.names();
    const answers = nodes.call(
      (client) => nodeNeeds(client, parseTargets(input)),
      { deadlineMs: 3 * globals.nodeTimeout },
    );
    for await (const { node, value } of answers) heard.set(node, value);
    // They answer in any order.
    return { needs: names.flatMap((name) => heard.get(name) ?? []) };
  } catch (error) {
    if (!(error instanceof NodesError) || heard.size === 0) throw error;
    return { needs: [...heard.values()], failure: error };
  } finally {
    if (nodes !== context.nodes) nodes.close();
  }
}

async function readConfigurationNeeds(
  path: string,
  context: Context<ClosureInputs>,
): Promise<readonly Needs[]> {
  if (await isSite(path)) return await readSiteNeeds(path, context);
  const files = await isFolder(path)
    ? await filesIn(path, (name) => /\.ya?ml$/.test(name))
    : [path];
  if (files.length === 0) {
    throw new UsageError(`"${path}" contains no configuration files`, {
      hint: "Configuration files end in .yaml or .yml",
    });
  }
  const needs: Needs[] = [];
  // One file at a time: errors are reported in order.
  for (const file of files) {
    const { text, name } = await readConfiguration(file, context);
    const loaded = loadDocuments(text, name);
    requireConfiguration(loaded, name);
    const { documents } = loaded;
    const targets = parseTargets(context.input);
    needs.push(configurationFileNeeds(documents, name, targets));
  }
  return needs;
}

/** Images of every node of a site, with the installer of its schematic and version. */
async function readSiteNeeds(
  path: string,
  { input, environment, signal }: Context<ClosureInputs>,
): Promise<readonly Needs[]> {
  const own = toSiteEnvironment(environment, signal);
  const { site } = await loadSite(path, own);
  const { bundle } = await readSiteSecrets(site, own);
  const render = makeRenderer(site, bundle, own);
  const needs: Needs[] = [];
  for (const node of site.nodes) {
    const { documents } = await render(node);
    needs.push(
      configurationFileNeeds(documents, node.host, parseTargets(input)),
    );
  }
  return needs;
}

async function readImageList(
  path: string,
  context: Context<ClosureInputs>,
): Promise<Needs> {
  const bounds = { limitMib: 16, expected: "a list of images" };
  const { text, name } = await readSource(path, context, bounds);
  const images = text.split("\n")
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
    .filter((line) => line !== "")
    .map((image) => ({ image: parseReference(image).text, source: name }));
  if (images.length === 0) throw new UsageError(`"${name}" contains no images`);
  return { images, notes: [] };
}

function parseTargets(
  { toOs, toKubernetes }: ClosureInputs,
): { readonly os?: string; readonly kubernetes?: string } {
  return {
    os: toOs,
    kubernetes: toKubernetes,
  };
}

/** Flags for registry access. */
export const registryInputs = {
  caFile: text(
    "CA certificates of registries, PEM, beside those of the system",
    {
      complete: "files",
    },
  ),
  insecure: toggle("allow plain HTTP for registries without TLS"),
};

interface OpenRegistries extends Disposable {
  readonly registry: Registry;
}

/**
 * Opens access to registries; sends nothing.
 *
 * @throws {ConfigError} If the CA file or the credentials file cannot be read.
 */
export async function openRegistries(
  { input, environment, signal }: Context<Values<typeof registryInputs>>,
): Promise<OpenRegistries> {
  const login = await userLogins(environment.env, signal);
  const client = input.caFile === undefined
    ? undefined
    : Deno.createHttpClient({ caCerts: await certificates(input.caFile) });
  return {
    registry: registryClient({
      insecure: input.insecure,
      login,
      signal,
      client,
    }),
    [Symbol.dispose]: () => client?.close(),
  };
}

async function certificates(path: string): Promise<string[]> {
  const expected = "CA certificates";
  const text = await readBoundedText({ path, limitMib: 1, expected }) ?? "";
  const found = text.match(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  );
  if (found !== null) return [...found];
  throw new ConfigError(`"${path}" contains no certificate`, {
    hint: "Give the CA certificates of the registry as PEM",
  });
}
