/** Makes a site from a `talconfig.yaml` with its environment, secrets and patches. */

import { parseContract } from "../../../config/generate/contract.ts";
import type { SecretsBundle } from "../../../config/generate/secrets.ts";
import { parseSecrets } from "../../../config/generate/secrets_file.ts";
import {
  type MapEntry,
  type MapNode,
  toTree,
} from "../../../config/tree/node.ts";
import { readSops } from "../../../config/sops/format.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { toPlain } from "../../../config/tree/resolve.ts";
import { withValue } from "../../../config/tree/with_value.ts";
import { writeDocuments } from "../../../config/tree/write.ts";
import { ConfigError } from "../../../errors.ts";
import { splitPath } from "../../../lib/files/atomic_file.ts";
import { exists } from "../../../lib/files/exists.ts";
import { addressFamily } from "../../../lib/ip.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { withV } from "../../../lib/version.ts";
import { defaultRelease } from "../../../talos.ts";
import type { SourceProblem } from "../../runbooks/language/problem.ts";
import { type ReadVariable, substituteVariables } from "./envsubst.ts";
import type { NewNode, SiteSettings } from "../make_site.ts";
import { makeNodePatch } from "../place_patches.ts";
import { parseSchematic } from "../../upgrade/schematic.ts";
import type { SiteEnvironment } from "../site_environment.ts";
import { SiteError } from "../site_error.ts";
import { versionKey } from "../site_keys.ts";
import { parseSecretFile } from "../../../config/sops/file.ts";
import { inFolder, readSiteText } from "../site_file.ts";
import {
  type Entries,
  type Field,
  findText,
  isZero,
  type Keys,
  listFields,
  setFields,
  toEntries,
} from "./fields.ts";
import { clusterKeys, nodeKeys } from "./keys.ts";
import {
  applySources,
  type ImportContext,
  type PatchSource,
  readContents,
  readPatchSources,
  start,
} from "./patches.ts";

/** A site made of a `talconfig.yaml`. */
export interface ImportedSite {
  readonly name: string;
  readonly settings: SiteSettings;
  readonly nodes: readonly NewNode[];
  readonly secrets: SecretsBundle;
  /** Values that were encrypted, which patches may have in plain text. */
  readonly secretTexts: readonly string[];
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
  const [own] = splitPath(file);
  const folder = own === "." ? "" : own;
  const problems: SourceProblem[] = [];
  const unset: SourceProblem[] = [];
  const { variables, secretTexts } = await readVariables(folder, environment);
  const read = async (path: string, expected: string) => {
    const text = await readSiteText(path, expected);
    const [document] = await parseSecretFile(text, path, environment);
    const root = document &&
      substituteVariables(document.root, variables, (one) => unset.push(one));
    if (root?.kind === "map") return root;
    throw new ConfigError(`Cannot read "${path}": it is not a mapping`);
  };
  const root = await read(file, "a talconfig.yaml of talhelper");
  const secretsPath = (await findFiles(folder, "talsecret")).at(-1);
  if (secretsPath === undefined) {
    const path = inFolder(folder, "talsecret.yaml");
    throw new ConfigError(`There are no secrets: "${path}" does not exist`, {
      hint: `Generate some with: osctl gen secrets -o ${path}`,
    });
  }
  const bundle = await read(secretsPath, "a secrets bundle");
  const cluster = toEntries(root);
  for (const key of ["clusterName", "endpoint", "kubernetesVersion"]) {
    if (cluster.has(key)) continue;
    const place = { ...start, file };
    unset.push({ place, message: `Key "${key}" is missing` });
  }
  if (unset.length > 0) throw new SiteError(unset);
  const version = withV(findText(cluster, "talosVersion") ?? defaultRelease);
  const importer: ImportContext = {
    folder,
    environment,
    variables,
    contract: parseContract(version),
    version,
    report: (problem) => problems.push(problem),
    reportUnset: (problem) => unset.push(problem),
  };
  reportKeys(root, clusterKeys, importer);
  if (!cluster.has(versionKey)) {
    const place = { ...start, file };
    const message = `Key "${versionKey}" is missing: ${version} is used`;
    importer.report({ place, message, hint: "talhelper uses its newest one" });
  }
  const nodes: NewNode[] = [];
  const list = cluster.get("nodes")?.value;
  for (const { value } of list?.kind === "list" ? list.items : []) {
    if (value.kind !== "map") continue;
    reportKeys(value, nodeKeys, importer);
    nodes.push(await importNode(toEntries(value), cluster, importer));
  }
  return {
    name: findText(cluster, "clusterName") ?? "",
    settings: { ...readSettings(cluster, clusterKeys), talosVersion: version },
    nodes,
    secrets: await parseSecrets(writeDocuments([bundle]), secretsPath),
    secretTexts,
    problems,
    unset,
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

/** Variables of the files, then those of the process. */
async function readVariables(folder: string, environment: SiteEnvironment) {
  const values = new Map<string, string>();
  const secretTexts: string[] = [];
  for (const path of await findFiles(folder, "talenv")) {
    // Lines such as NAME=value are allowed, too.
    const text = (await readSiteText(path, "variables"))
      .replace(/^(?:export )?(\w+)=/gm, "$1: ");
    const isSecret =
      readSops(readDocuments(text, path).documents) !== undefined;
    for (const { root } of await parseSecretFile(text, path, environment)) {
      for (const { key, value } of root.kind === "map" ? root.entries : []) {
        if (value.kind !== "scalar") continue;
        values.set(key, value.text);
        if (isSecret && value.text.length > 3) secretTexts.push(value.text);
      }
    }
  }
  const variables: ReadVariable = (name) =>
    values.get(name) ?? environment.env(name);
  return { variables, secretTexts };
}

/** Reports unknown keys, and those without an equal. */
function reportKeys(root: MapNode, keys: Keys, importer: ImportContext): void {
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
  own: Entries,
  cluster: Entries,
  importer: ImportContext,
): Promise<NewNode> {
  const isControlPlane = findText(own, "controlPlane") === "true";
  const defaults = cluster.get(isControlPlane ? "controlPlane" : "worker");
  const role = toEntries(defaults?.value);
  const settings = mergeEntries(own, role);
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
  const isOver = findText(own, "overridePatches") === "true" &&
    own.has("patches");
  const roleName = isControlPlane ? "control-plane" : "worker";
  const lists = [
    ...isOver
      ? []
      : [{ list: role.get("patches"), name: roleName, level: "role" }] as const,
    { list: own.get("patches"), name: host },
    { list: cluster.get("patches"), name: "all", level: "all" },
    { list: settings.get("extraManifests"), name: host, isFile: true },
  ] as const;
  const sources: PatchSource[] = [];
  for (const { list, ...options } of lists) {
    sources.push(...await readPatchSources(list?.value, options, importer));
  }
  const labels = [...toEntries(settings.get("nodeLabels")?.value).values()]
    .flatMap(({ key, value }) =>
      value.kind === "scalar" && !value.text.includes("{{")
        ? [[key, value.text] as const]
        : []
    );
  const addresses = (findText(own, "ipAddress") ?? "").split(",")
    .map((one) => one.trim()).filter((one) => one !== "");
  const ip = addresses.find((one) => addressFamily(one) !== undefined);
  const others = addresses.filter((one) => one !== ip);
  const at = own.get("ipAddress")?.at;
  if (others.length > 0 && at !== undefined) {
    const message = `Address ${others.join(", ")} of "${host}" is left out`;
    importer.report({ place: at, message, hint: "A node has one IP address" });
  }
  return {
    settings: {
      host,
      ...ip !== undefined && { ip },
      role: roleName,
      ...readSettings(settings, nodeKeys),
      ...await readSchematic(settings.get("schematic"), importer),
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

/** Settings of a node with the defaults of its role: a key of the node replaces that of the role, lists are joined. */
function mergeEntries(own: Entries, role: Entries): Entries {
  const joined = (key: string, flag: string): readonly MapEntry[] => {
    const [mine, theirs] = [own.get(key), role.get(key)];
    const isOver = findText(own, flag) === "true";
    if (mine?.value.kind !== "list" || theirs?.value.kind !== "list") return [];
    const items = [...mine.value.items, ...isOver ? [] : theirs.value.items];
    return [{ ...mine, value: { ...mine.value, items } }];
  };
  const set = [...own.values()].filter(({ value }) => !isZero(value));
  return new Map([
    ...role.values(),
    ...set,
    ...joined("certSANs", "overrideMachineCertSANs"),
    ...joined("extraManifests", "overrideExtraManifests"),
  ].map((entry) => [entry.key, entry]));
}

/** Settings of `site.yaml`, or of a node in it. */
function readSettings(entries: Entries, keys: Keys): SiteSettings {
  let root = toTree({}) as MapNode;
  const add = (entries: Entries, keys: Keys): void => {
    for (const { rule, value } of listFields(entries, keys)) {
      const path = rule.site?.split(".");
      if (path !== undefined) {
        root = withValue(root, path as [string, ...string[]], value);
      } else if (rule.keys !== undefined && rule.keys !== nodeKeys) {
        add(toEntries(value), rule.keys);
      }
    }
  };
  add(entries, keys);
  return toPlain(root) as SiteSettings;
}

/** The schematic by its parts; by its id if a site has no names for them. */
async function readSchematic(
  entry: MapEntry | undefined,
  { report }: ImportContext,
): Promise<SiteSettings> {
  if (entry === undefined || isZero(entry.value)) return {};
  const { overlay, customization, ...others } = toPlain(
    entry.value,
  ) as SiteSettings;
  const { systemExtensions, extraKernelArgs, ...more } =
    (customization ?? {}) as SiteSettings;
  const { officialExtensions, ...rest } =
    (systemExtensions ?? {}) as SiteSettings;
  if (Object.keys({ ...others, ...more, ...rest }).length === 0) {
    return {
      ...officialExtensions ? { extensions: officialExtensions } : {},
      ...extraKernelArgs ? { kernelArgs: extraKernelArgs } : {},
      ...overlay ? { overlay } : {},
    };
  }
  const place = entry.at ?? start;
  const message = `The schematic is imported as its id`;
  report({ place, message, hint: "Keep it in a file, as schematicId: @FILE" });
  const text = writeDocuments([entry.value]);
  const { id } = await parseSchematic(text, place.file);
  return { schematicId: id };
}
