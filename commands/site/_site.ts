/** The site of a command: its directory, its nodes. */

import { fits, parseSelector } from "../../transport/node/label_selector.ts";
import { checkSelector, isSelector } from "../../transport/node/open_nodes.ts";
import { ConfigError, UsageError } from "../../errors.ts";
import { checks } from "../../workflows/checks/all.ts";
import { toJsonSchema } from "../../workflows/runbooks/language/json_schema.ts";
import { sourceProblemText } from "../../workflows/runbooks/language/problem.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import {
  checkFolders,
  formatSiteProblem,
} from "../../workflows/site/check_site.ts";
import { type LoadedSite, loadSite } from "../../workflows/site/load_site.ts";
import type { Site, SiteNode } from "../../workflows/site/site.ts";
import {
  type SiteEnvironment,
  toSiteEnvironment,
} from "../../workflows/site/site_environment.ts";
import {
  makeRenderer,
  type RenderedNode,
} from "../../workflows/site/render_node.ts";
import { readSiteSecrets } from "../../workflows/site/site_secrets.ts";
import { siteFile } from "../../workflows/site/site_keys.ts";
import { type Context, type Flag, type Globals, text } from "../_kit/mod.ts";

/** Inputs of every command of a site. */
export interface SiteInputs {
  readonly site: string;
}

/** Declarations of {@linkcode SiteInputs}. */
export const siteInputs = {
  site: text("directory of the site, or its file", {
    initial: ".",
    complete: "directories",
  }) satisfies Flag<string>,
};

type SiteContext = Pick<
  Context<SiteInputs>,
  "input" | "environment" | "signal" | "note"
>;

/** What reading the site may use. */
export function siteEnvironment(
  { environment, signal }: Pick<SiteContext, "environment" | "signal">,
): SiteEnvironment {
  return toSiteEnvironment(environment, signal);
}

/** Reads the site, and prints its warnings. Throws `ConfigError` if it is not valid. */
export async function openSite(context: SiteContext): Promise<LoadedSite> {
  const { input: { site }, note } = context;
  const loaded = await loadSite(site, siteEnvironment(context));
  for (const problem of loaded.warnings) {
    note(`warning: ${sourceProblemText(problem)}`);
  }
  return loaded;
}

/** A read site with the configurations of the selected nodes. */
export interface RenderedNodes {
  readonly site: Site;
  readonly bundle: SecretsBundle;
  readonly rendered: readonly RenderedNode[];
}

/** Reads a site and renders its selected nodes; warns of open secrets, and of patches that are not applied. */
export async function renderNodes(
  context: Context<SiteInputs>,
): Promise<RenderedNodes> {
  const { globals, note } = context;
  const { site } = await openSite(context);
  const nodes = selectSiteNodes(site, globals);
  for (const problem of await checkFolders(site)) {
    note(formatSiteProblem(problem));
  }
  const environment = siteEnvironment(context);
  const { bundle, warning } = await readSiteSecrets(site, environment);
  if (warning !== undefined) note(`warning: ${warning}`);
  const render = makeRenderer(site, bundle, environment);
  const rendered: RenderedNode[] = [];
  for (const node of nodes) rendered.push(await render(node));
  return { site, bundle, rendered };
}

/**
 * The nodes of the site that `--nodes` and `--selector` choose; all without them. Throws `UsageError` if a name is
 * unknown, or none is left.
 */
export function selectSiteNodes(
  { nodes }: Site,
  globals: Pick<Globals, "nodes" | "selector">,
): readonly SiteNode[] {
  const { selector } = globals;
  const chosen = globals.nodes.length === 0
    ? nodes
    : nodes.filter((node) => globals.nodes.some((name) => isNamed(node, name)));
  for (const name of globals.nodes) {
    if (isSelector(name)) checkSelector(name);
    if (nodes.some((node) => isNamed(node, name))) continue;
    throw new UsageError(`The site has no node "${name}"`, {
      hint: `Its nodes: ${nodes.map(({ host }) => host).join(", ")}`,
    });
  }
  const conditions = selector === undefined ? [] : parseSelector(selector);
  const left = chosen.filter(({ host, role, labels }) =>
    fits(
      new Map([["hostname", host], ["role", role], ...Object.entries(labels)]),
      conditions,
    )
  );
  if (left.length > 0) return left;
  if (nodes.length > 0) {
    throw new UsageError(`No node matches the selector "${selector}"`);
  }
  throw new ConfigError("The site has no nodes", {
    hint: `Add some to "nodes"; see: osctl explain site.nodes`,
  });
}

function isNamed({ host, ip, role }: SiteNode, name: string): boolean {
  return name === host || name === ip || name === "@all" ||
    name === (role === "worker" ? "@workers" : "@controlplane");
}

/** The JSON Schema of `site.yaml` as a file. */
export function siteSchemaText(): string {
  const vocabulary = { modules: [], checks: [...checks.values()] };
  const schema = toJsonSchema(siteFile, "Site of osctl", vocabulary);
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** Flag `--site` of another command for the same site, for hints. */
export function siteFlag(site: string): string {
  return site === "." ? "" : ` --site ${site}`;
}
