/** Makes a site from a `talconfig.yaml` with its environment, secrets and patches. */

import { toCursor } from "../../../config/documents/cursor.ts";
import { parseContract } from "../../../config/generate/contract.ts";
import { parseSecrets } from "../../../config/generate/secrets_file.ts";
import { isEncrypted, parseSecretFile } from "../../../config/sops/file.ts";
import {
  type ConfigNode,
  findChild,
  type MapNode,
  toTree,
} from "../../../config/tree/node.ts";
import { toPlain } from "../../../config/tree/resolve.ts";
import { substituteVariables } from "../../../config/tree/substitute_variables.ts";
import { withValue } from "../../../config/tree/with_value.ts";
import { writeDocuments } from "../../../config/tree/write.ts";
import { ConfigError } from "../../../errors.ts";
import { exists } from "../../../lib/files/exists.ts";
import { addressFamily } from "../../../lib/ip.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { withV } from "../../../lib/version.ts";
import { defaultRelease } from "../../../talos.ts";
import type { SourceProblem } from "../../runbooks/language/problem.ts";
import { makeSchematic, parseSchematic } from "../../upgrade/schematic.ts";
import type { NewNode, SiteContent, SiteSettings } from "../make_site.ts";
import { makeNodePatch } from "../place_patches.ts";
import type { SiteEnvironment } from "../site_environment.ts";
import { SiteError } from "../site_error.ts";
import { findFolder, inFolder } from "../../../lib/files/atomic_file.ts";
import { readSiteText } from "../site_file.ts";
import { versionKey } from "../site_keys.ts";
import {
  type Field,
  findText,
  isZero,
  listFields,
  setFields,
} from "./fields.ts";
import { clusterKeys, nodeKeys, type TalhelperKeys } from "./keys.ts";
import {
  applySources,
  type ImportContext,
  type PatchSource,
  readContents,
  readPatchSources,
  start,
} from "./patches.ts";

/** A site made of a `talconfig.yaml`. */
interface ImportedSite extends SiteContent {
  /** What has no equal, by key and line; patches add to it when they are applied. */
  readonly problems: readonly SourceProblem[];
  /** Variables that are not set; patches add to it as well. */
  readonly unset: readonly SourceProblem[];
}

/**
 * Reads a `talconfig.yaml`.
 *
 * @throws {SiteError} If variables are not set.
 * @throws {ConfigError} If a file is missing or invalid, or a patch cannot be applied.
 */
export async function importTalconfig(
  file: string,
  environment: SiteEnvironment,
): Promise<ImportedSite> {
  const folder = findFolder(file);
  const problems: SourceProblem[] = [];
  const unset: SourceProblem[] = [];
  const { values, secretTexts } = await readVariables(folder, environment);
  const substitute = (root: ConfigNode) =>
    substituteVariables(
      root,
      (name) => values.get(name) ?? environment.env(name),
      (problem) => {
        const hint = "Set it in talenv.yaml, or in the environment";
        unset.push({ ...problem, hint });
      },
    );
  const read = async (path: string, expected: string) => {
    const text = await readSiteText(path, expected);
    const [document] = await parseSecretFile(text, path, environment);
    const root = document && substitute(document.root);
    if (root?.kind === "map") return root;
    throw new ConfigError(`Cannot read "${path}": it is not a mapping`);
  };
  const cluster = await read(file, "a talconfig.yaml of talhelper");
  const secretsPath = (await findFiles(folder, "talsecret")).at(-1);
  if (secretsPath === undefined) {
    const path = inFolder(folder, "talsecret.yaml");
    throw new ConfigError(`There are no secrets: "${path}" does not exist`, {
      hint: `Generate some with: osctl gen secrets -o ${path}`,
    });
  }
  const bundle = await read(secretsPath, "a secrets bundle");
  const place = { ...start, file };
  for (const key of ["clusterName", "endpoint", "kubernetesVersion"]) {
    if (findChild(cluster, key) !== undefined) continue;
    unset.push({ place, message: `Key "${key}" is missing` });
  }
  if (unset.length > 0) throw new SiteError(unset);
  const version = withV(findText(cluster, versionKey) ?? defaultRelease);
  const importer: ImportContext = {
    ...{ folder, environment, substitute, version },
    contract: parseContract(version),
    report: (problem) => problems.push(problem),
  };
  reportKeys(cluster, clusterKeys, importer);
  if (findChild(cluster, versionKey) === undefined) {
    const message = `Key "${versionKey}" is missing: ${version} is used`;
    importer.report({ place, message, hint: "talhelper uses its newest one" });
  }
  const nodes: NewNode[] = [];
  const list = findChild(cluster, "nodes");
  for (const { value } of list?.kind === "list" ? list.items : []) {
    if (value.kind !== "map") continue;
    reportKeys(value, nodeKeys, importer);
    nodes.push(await importNode(value, cluster, importer));
  }
  return {
    name: findText(cluster, "clusterName") ?? "",
    settings: { ...readSettings(cluster, clusterKeys), talosVersion: version },
    nodes,
    secrets: await parseSecrets(writeDocuments([bundle]), secretsPath),
    ...{ secretTexts, problems, unset },
  };
}

async function findFiles(folder: string, stem: string) {
  const found = [];
  for (const suffix of [".yaml", ".sops.yaml", ".yml", ".sops.yml"]) {
    const path = inFolder(folder, `${stem}${suffix}`);
    if (await exists(path)) found.push(path);
  }
  return found;
}

/** Reads the files of variables; later ones win. */
async function readVariables(folder: string, environment: SiteEnvironment) {
  const values = new Map<string, string>();
  const secretTexts: string[] = [];
  for (const path of await findFiles(folder, "talenv")) {
    // Lines such as NAME=value are allowed, too.
    const text = (await readSiteText(path, "variables"))
      .replace(/^(?:export )?(\w+)=/gm, "$1: ");
    const isSecret = isEncrypted(text, path);
    for (const { root } of await parseSecretFile(text, path, environment)) {
      for (const { key, value } of root.kind === "map" ? root.entries : []) {
        if (value.kind !== "scalar") continue;
        values.set(key, value.text);
        if (isSecret && value.text.length > 3) secretTexts.push(value.text);
      }
    }
  }
  return { values, secretTexts };
}

/** Reports unknown keys, and those without an equal. */
function reportKeys(
  root: MapNode,
  keys: TalhelperKeys,
  importer: ImportContext,
): void {
  const { report } = importer;
  for (const { key, value, at } of root.entries) {
    const rule = Object.hasOwn(keys, key) ? keys[key] : undefined;
    const place = at ?? value.at ?? start;
    if (rule === undefined) {
      const message = `Key "${key}" is unknown to talhelper, too`;
      const near = nearest(key, Object.keys(keys));
      const hint = near === undefined ? "Remove it" : `Did you mean "${near}"?`;
      report({ place, message, hint });
    } else if (rule.hint !== undefined && !isZero(value)) {
      const message = `Key "${key}" has no equal`;
      report({ place, message, hint: rule.hint });
    } else if (rule.keys !== undefined && value.kind === "map") {
      reportKeys(value, rule.keys, importer);
    }
  }
}

async function importNode(
  own: MapNode,
  cluster: MapNode,
  importer: ImportContext,
): Promise<NewNode> {
  const isControlPlane = findText(own, "controlPlane") === "true";
  const role = findChild(cluster, isControlPlane ? "controlPlane" : "worker");
  const settings = mergeSettings(own, role);
  const at = toCursor(settings);
  const host = findText(own, "hostname") ?? "";
  const fields: Field[] = [];
  for (
    const { rule, value } of [
      ...listFields(cluster, clusterKeys),
      ...listFields(settings, nodeKeys),
    ]
  ) {
    if (rule.controlPlane && !isControlPlane) continue;
    const read = rule.file === undefined
      ? value
      : await readContents(value, rule.file, importer);
    fields.push({ rule, value: read });
  }
  const ownPatches = findChild(own, "patches");
  const isOver = findText(own, "overridePatches") === "true" && ownPatches;
  const roleName = isControlPlane ? "control-plane" : "worker";
  const lists = [
    ...isOver ? [] : [{
      list: findChild(role, "patches"),
      name: roleName,
      level: "role",
    }] as const,
    { list: ownPatches, name: host },
    { list: findChild(cluster, "patches"), name: "all", level: "all" },
    { list: at.get("extraManifests").node, name: host, isFile: true },
  ] as const;
  const sources: PatchSource[] = [];
  for (const { list, ...options } of lists) {
    sources.push(...await readPatchSources(list, options, importer));
  }
  const labels = at.get("nodeLabels").entries().flatMap(([key, value]) => {
    const text = value.text() ?? "";
    return text.includes("{{") ? [] : [[key, text] as const];
  });
  const addresses = (findText(own, "ipAddress") ?? "").split(",")
    .map((one) => one.trim()).filter((one) => one !== "");
  const ip = addresses.find((one) => addressFamily(one) !== undefined);
  const others = addresses.filter((one) => one !== ip);
  if (others.length > 0) {
    const { at: place = start } = at.get("ipAddress");
    const message = `Address ${others.join(", ")} of "${host}" is left out`;
    importer.report({ place, message, hint: "A node has one IP address" });
  }
  return {
    settings: {
      ...{ host, ip, role: roleName },
      ...readSettings(settings, nodeKeys),
      ...await readSchematic(settings, importer),
      ...labels.length > 0 && { labels: Object.fromEntries(labels) },
    },
    configure(base) {
      const set = setFields(base, { fields, settings, host }, importer);
      const { documents, patches } = applySources(sources, set, importer);
      const first = makeNodePatch("talconfig.yaml", base, set);
      return { wanted: documents, patches: [first, ...patches] };
    },
  };
}

/** Settings of a node with the defaults of its role. */
function mergeSettings(own: MapNode, role: ConfigNode | undefined): MapNode {
  const defaults = role?.kind === "map" ? role.entries : [];
  const set = own.entries.flatMap((entry) => {
    const { key, value } = entry;
    if (isZero(value)) return [];
    const { joinedUnless } = nodeKeys[key] ?? {};
    const more = findChild(role, key);
    const isJoined = joinedUnless !== undefined && value.kind === "list" &&
      more?.kind === "list" && findText(own, joinedUnless) !== "true";
    if (!isJoined) return [entry];
    const items = [...value.items, ...more.items];
    return [{ ...entry, value: { ...value, items } }];
  });
  const merged = [...defaults, ...set].map((entry) =>
    [entry.key, entry] as const
  );
  return { kind: "map", entries: [...new Map(merged).values()] };
}

/** Settings of `site.yaml`, or of a node in it. */
function readSettings(root: ConfigNode, keys: TalhelperKeys): SiteSettings {
  let made = toTree({}) as MapNode;
  const add = (root: ConfigNode, keys: TalhelperKeys): void => {
    for (const { rule, value } of listFields(root, keys)) {
      const path = rule.site?.split(".");
      if (path !== undefined) {
        made = withValue(made, path as [string, ...string[]], value);
      } else if (rule.keys !== undefined && rule.keys !== nodeKeys) {
        add(value, rule.keys);
      }
    }
  };
  add(root, keys);
  return toPlain(made) as SiteSettings;
}

/** The schematic by its parts; by its id if a site has no names for them. */
async function readSchematic(
  settings: MapNode,
  { report }: ImportContext,
): Promise<SiteSettings> {
  const schematic = toCursor(settings).get("schematic");
  const { node, at: place = start } = schematic;
  if (node === undefined || isZero(node)) return {};
  const changes = schematic.get("customization");
  const extensions = changes.get("systemExtensions", "officialExtensions")
    .texts();
  const kernelArgs = changes.get("extraKernelArgs").texts();
  const overlay = schematic.get("overlay").node;
  const parts = {
    ...extensions.length > 0 && { extensions },
    ...kernelArgs.length > 0 && { kernelArgs },
    ...overlay && { overlay: toPlain(overlay) },
  };
  const { id } = await parseSchematic(writeDocuments([node]), place.file);
  if (id === (await makeSchematic(parts)).id) return parts;
  const message = "The schematic is imported as its id";
  report({ place, message, hint: "Keep it in a file, as schematicId: @FILE" });
  return { schematicId: id };
}
