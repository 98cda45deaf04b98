/** Reads `site.yaml` or `topf.yaml` into one value. */

import { toCursor } from "../../config/documents/cursor.ts";
import { coreValue } from "../../config/tree/core_value.ts";
import {
  type ConfigNode,
  findChild,
  type MapNode,
} from "../../config/tree/node.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { ConfigError } from "../../errors.ts";
import { readProgram } from "../../lib/run_program.ts";
import {
  findFolder,
  inFolder,
  splitPath,
} from "../../lib/files/atomic_file.ts";
import { exists, isFolder } from "../../lib/files/exists.ts";
import { misread } from "../../lib/text/text_position.ts";
import {
  fit,
  suggest,
  withoutUnknown,
} from "../runbooks/language/match_shape.ts";
import type { SourceProblem } from "../runbooks/language/problem.ts";
import { listOf } from "../runbooks/language/shape.ts";
import { parseNodes } from "./parse_nodes.ts";
import { SiteError } from "./site_error.ts";
import type { KubernetesOptions, Site, SiteNode } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";
import { parseSecretFile } from "../../config/sops/file.ts";
import { readSiteText } from "./site_file.ts";
import { nodeShape, siteFile, topfFile } from "./site_keys.ts";

/** A read directory. */
export interface LoadedSite {
  readonly site: Site;
  /** Problems that do not prevent its use. */
  readonly warnings: readonly SourceProblem[];
}

/** Names of the file; a directory has one of them. */
const names = ["site.yaml", "topf.yaml"] as const;

/**
 * Reads a directory.
 *
 * @param given Its path, or that of its file.
 * @throws {SiteError} With every wrong key and value, by file, line and column.
 * @throws {ConfigError} If there is no file or two, or it is not YAML.
 */
export async function loadSite(
  given: string,
  environment: SiteEnvironment,
): Promise<LoadedSite> {
  const file = await findFile(given);
  return await parseSite(
    await readSiteText(file, "a site file"),
    file,
    environment,
  );
}

/** Parses the file of a directory. Throws like {@linkcode loadSite}. */
export async function parseSite(
  text: string,
  file: string,
  environment: SiteEnvironment,
): Promise<LoadedSite> {
  const isTopf = splitPath(file)[1] === names[1];
  const [document, second] = await parseSecretFile(text, file, environment);
  if (second !== undefined || document?.root.kind !== "map") {
    throw misread(
      file,
      undefined,
      second === undefined ? "it is not a mapping" : "it has two documents",
      "See: osctl explain site",
    );
  }
  const shape = isTopf ? topfFile : siteFile;
  const warnings: SourceProblem[] = [];
  const start = { file, line: 1, column: 1 };
  const all = document.root.entries;
  const old = all.find(({ key }) => key === "configDir");
  const given = { ...document.root, entries: all.filter((one) => one !== old) };
  // TOPF ignores keys that it does not know.
  const root = isTopf
    ? withoutUnknown(given, shape, (entry, known) => {
      const { key, value, at = value.at ?? start } = entry;
      const isOwn = Object.hasOwn(siteFile.keys, key) ||
        Object.hasOwn(nodeShape.keys, key);
      const hint = isOwn
        ? "It is a key of site.yaml"
        : suggest(key, Object.keys(known));
      warnings.push({ place: at, message: `Key "${key}" is ignored`, hint });
    }) as MapNode
    : given;
  const problems = [...fit(root, shape, start)];
  if (old !== undefined) {
    const { key, at: place = start } = old;
    const message = `"${key}" is an old name`;
    problems.push({ place, message, hint: "Write patchesDir" });
  }
  if (problems.length > 0) throw new SiteError(problems);
  const site = await toSite(root, { file, isTopf }, environment);
  return { site, warnings };
}

/** Reports whether a folder is that of a site. */
export async function isSite(folder: string): Promise<boolean> {
  const found = await Promise.all(
    names.map((name) => exists(`${folder}/${name}`)),
  );
  return found.includes(true);
}

async function findFile(given: string): Promise<string> {
  const place = given === "." ? "" : ` ${given}`;
  const hint = `Create a site with: osctl site init${place}`;
  if (!await isFolder(given)) {
    if (/\.ya?ml$/.test(given) || await exists(given)) return given;
    throw new ConfigError(`There is no site "${given}"`, { hint });
  }
  const folder = given.replace(/\/+$/, "");
  const paths = names.map((name) =>
    folder === "." ? name : `${folder}/${name}`
  );
  const found = [];
  for (const path of paths) if (await exists(path)) found.push(path);
  const [first, second] = found;
  if (second !== undefined) {
    throw new ConfigError(`"${given}" has both ${names.join(" and ")}`, {
      hint: "Keep one of them; site.yaml has all keys of topf.yaml",
    });
  }
  if (first !== undefined) return first;
  throw new ConfigError(`"${given}" has neither ${names.join(" nor ")}`, {
    hint,
  });
}

async function toSite(
  root: MapNode,
  { file, isTopf }: Pick<Site, "file" | "isTopf">,
  environment: SiteEnvironment,
): Promise<Site> {
  const at = toCursor(root);
  const text = (key: string) => at.get(key).text();
  const clusterName = text("clusterName") ?? "";
  const folder = findFolder(file);
  const provider = text("nodesProvider");
  const provided = provider === undefined
    ? []
    : await readProvided(provider, clusterName, environment);
  const nodes = parseNodes(root, provided);
  const program = text("secretsProvider");
  const path = inFolder(folder, text("secretsPath") ?? "secrets.yaml");
  return {
    file,
    folder,
    isTopf,
    clusterName,
    clusterEndpoint: text("clusterEndpoint") ?? "",
    kubernetesVersion: text("kubernetesVersion") ?? "",
    talosVersion: text("talosVersion"),
    patchesFolder: inFolder(folder, text("patchesDir") ?? ""),
    secrets: program === undefined ? { path } : { program },
    data: dataIn(root),
    nodes: inOrder(nodes),
    kubernetes: coreValue(findChild(root, "kubernetes")) as
      | KubernetesOptions
      | null ?? {},
    upgrade: coreValue(findChild(root, "upgrade")),
    checks: coreValue(findChild(root, "checks")),
  };
}

/** Values for templates in a mapping. */
function dataIn(root: ConfigNode): MapNode {
  const data = findChild(root, "data");
  return data?.kind === "map" ? data : { kind: "map", entries: [] };
}

async function readProvided(
  program: string,
  clusterName: string,
  environment: SiteEnvironment,
): Promise<readonly ConfigNode[]> {
  const file = `${program} nodes ${clusterName}`;
  const text = await readProgram(program, ["nodes", clusterName], environment);
  const [document] = readDocuments(text, file).documents;
  if (document === undefined) return [];
  const start = { file, line: 1, column: 1 };
  const problems = fit(document.root, listOf(nodeShape), start);
  if (problems.length > 0) throw new SiteError(problems);
  return document.root.kind === "list"
    ? document.root.items.map(({ value }) => value)
    : [];
}

/** Control planes first, then by name. */
function inOrder(nodes: readonly SiteNode[]): readonly SiteNode[] {
  const key = ({ role, host }: SiteNode) => `${role} ${host}`;
  return nodes.toSorted((a, b) => key(a) < key(b) ? -1 : 1);
}
