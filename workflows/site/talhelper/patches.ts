/** Patches of a `talconfig.yaml`, and other files that it names. */

import {
  type ConfigDocument,
  mainKind,
} from "../../../config/documents/load.ts";
import type { Contract } from "../../../config/generate/contract.ts";
import { renderGoTemplate } from "../../../config/go_template/render.ts";
import {
  fromNode,
  type GoMap,
  type GoValue,
} from "../../../config/go_template/values.ts";
import { applyPatches, toPatch } from "../../../config/patch.ts";
import { isEncrypted, parseSecretFile } from "../../../config/sops/file.ts";
import {
  type ConfigNode,
  findChild,
  type MapNode,
  type Place,
  toTree,
  withValues,
} from "../../../config/tree/node.ts";
import { type ReadDocument, readDocuments } from "../../../config/tree/read.ts";
import { withValue } from "../../../config/tree/with_value.ts";
import { writeDocuments } from "../../../config/tree/write.ts";
import { ConfigError } from "../../../errors.ts";
import { inFolder, splitPath } from "../../../lib/files/atomic_file.ts";
import type { SourceProblem } from "../../runbooks/language/problem.ts";
import { makeNodePatch, type NodePatch, readRoots } from "../place_patches.ts";
import type { SiteEnvironment } from "../site_environment.ts";
import { readSiteText } from "../site_file.ts";
import { fieldNames } from "./keys.ts";

/** Place of values that have none. */
export const start: Place = { file: "", line: 1, column: 1 };

/** What reading a `talconfig.yaml` needs. */
export interface ImportContext {
  readonly folder: string;
  readonly environment: SiteEnvironment;
  /** Replaces variables, and reports those that are not set. */
  readonly substitute: (root: ConfigNode) => ConfigNode;
  readonly report: (problem: SourceProblem) => void;
  readonly contract: Contract;
  /** OS version with `v`. */
  readonly version: string;
}

/** A patch as it is written. */
export interface PatchSource
  extends Pick<NodePatch, "name" | "level" | "isSecret"> {
  readonly text: string;
  readonly place: Place;
  /** False for a patch in the file itself, whose variables are already replaced. */
  readonly hasVariables: boolean;
}

/** Reads a file that the `talconfig.yaml` names, decrypted. */
async function readNamed(
  name: string,
  expected: string,
  { folder, environment }: ImportContext,
) {
  const file = inFolder(folder, name.trim().replace(/^\.\//, ""));
  const raw = await readSiteText(file, expected);
  // Templates are often no YAML.
  const isSecret = /^sops:/m.test(raw) && isEncrypted(raw, file);
  const text = isSecret
    ? writeDocuments(
      (await parseSecretFile(raw, file, environment)).map(({ root }) => root),
    )
    : raw;
  return { file, text, isSecret };
}

/**
 * Reads a list of patches.
 *
 * @param list Patches, and files of patches with `@`.
 * @param options Name of inline patches; for whom they are declared; whether `@` may be missing.
 */
export async function readPatchSources(
  list: ConfigNode | undefined,
  { name, isFile = false, level }: {
    readonly name: string;
    readonly isFile?: boolean;
    readonly level?: NodePatch["level"];
  },
  importer: ImportContext,
): Promise<readonly PatchSource[]> {
  const sources: PatchSource[] = [];
  for (const { value } of list?.kind === "list" ? list.items : []) {
    const text = value.kind === "scalar" ? value.text : writeDocuments([value]);
    if (!isFile && !text.startsWith("@")) {
      sources.push({
        name: `${name}-${sources.length + 1}.yaml`,
        text,
        level,
        place: value.at ?? start,
        hasVariables: false,
      });
      continue;
    }
    const read = await readNamed(text.replace(/^@/, ""), "a patch", importer);
    if (read.text.trim() === "") continue;
    const [, own] = splitPath(read.file);
    sources.push({
      ...read,
      name: `${own.replace(/(\.sops)?\.(ya?ml|json)$/, "")}.yaml`,
      level,
      place: { ...start, file: read.file },
      hasVariables: true,
    });
  }
  return sources;
}

/** Applies patches in order; those that cannot be read are reported and skipped. */
export function applySources(
  sources: readonly PatchSource[],
  before: readonly ConfigDocument[],
  importer: ImportContext,
): {
  readonly documents: readonly ConfigDocument[];
  readonly patches: readonly NodePatch[];
} {
  let documents = before;
  const patches: NodePatch[] = [];
  for (const source of sources) {
    const { text, place, level, isSecret, hasVariables } = source;
    const isTemplate = text.includes("{{");
    const replaces = hasVariables && text.includes("$");
    let read: readonly ReadDocument[];
    try {
      const rendered = isTemplate
        ? renderFields(text, place.file, documents, importer)
        : text;
      read = readDocuments(rendered, place.file).documents;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const message = `Patch is not imported: ${error.message}`;
      const hint =
        "Write the values of the node into it, or use expressions of a site";
      importer.report({ place, message, hint });
      continue;
    }
    if (replaces) {
      read = read.map((document) => ({
        ...document,
        root: importer.substitute(document.root),
      }));
    }
    const patch = toPatch(read, place.file);
    const from = documents;
    documents = applyPatches(from, [patch]).documents;
    const name = findFreeName(source.name, patches);
    const roots = read.flatMap(({ root }) => root.kind === "map" ? [root] : []);
    const isWritten = isSecret || replaces;
    patches.push({
      ...patch.kind === "merge" && !isTemplate
        ? {
          name,
          roots,
          text: isWritten ? writeDocuments(roots) : closed(text, roots),
        }
        : makeNodePatch(name, from, documents),
      level,
      isSecret,
    });
  }
  return { documents, patches };
}

/** The name, with a number if other patches have it. */
function findFreeName(name: string, patches: readonly NodePatch[]): string {
  const stem = name.slice(0, -".yaml".length);
  const taken =
    patches.filter((one) => one.name.replace(/(-\d+)?\.yaml$/, "") === stem)
      .length;
  return taken === 0 ? name : `${stem}-${taken + 1}.yaml`;
}

/** Ends the last line, unless that changes the value of a block. */
function closed(text: string, roots: readonly MapNode[]): string {
  const whole = `${text.trimEnd()}\n`;
  return writeDocuments(readRoots(whole, "")) === writeDocuments(roots)
    ? whole
    : text;
}

/** Renders templates in labels and annotations. */
export function renderLabels(
  documents: readonly ConfigDocument[],
  importer: ImportContext,
): readonly ConfigDocument[] {
  return documents.map((document) => {
    if (document.kind !== mainKind) return document;
    let { root } = document;
    for (const key of ["nodeLabels", "nodeAnnotations"]) {
      const map = findChild(findChild(root, "machine"), key);
      if (map?.kind !== "map") continue;
      const rendered = withValues(map, (value) => {
        if (value.kind !== "scalar" || !value.text.includes("{{")) return value;
        const { text, at = start } = value;
        return toTree(renderFields(text, at.file, documents, importer));
      });
      root = withValue(root, ["machine", key], rendered);
    }
    return { ...document, root };
  });
}

/** Renders a template, which sees the main document. */
function renderFields(
  text: string,
  file: string,
  documents: readonly ConfigDocument[],
  { environment: { env } }: ImportContext,
): string {
  const main = documents.find(({ kind }) => kind === mainKind);
  const fields = main && rename(main.root, "");
  const root: GoMap = fields instanceof Map ? fields : new Map();
  return renderGoTemplate(text, root, { file, env });
}

/** Gives fields the names that templates use. */
function rename(node: ConfigNode, path: string): GoValue {
  if (node.kind === "list") {
    return node.items.map(({ value }) => rename(value, path));
  }
  if (node.kind === "scalar") return fromNode(node);
  return new Map(node.entries.map(({ key, value }) => {
    const own = path === "" ? key : `${path}.${key}`;
    return [fieldNames[own] ?? key, rename(value, own)] as const;
  }));
}

/** Reads the contents of files named with `@` in the elements of a list. */
export async function readContents(
  list: ConfigNode,
  key: string,
  importer: ImportContext,
): Promise<ConfigNode> {
  if (list.kind !== "list") return list;
  const items = [];
  for (const item of list.items) {
    const { value } = item;
    const content = findChild(value, key);
    if (value.kind !== "map" || content === undefined) {
      items.push(item);
      continue;
    }
    const skips = findChild(value, "skipEnvsubst");
    const isRaw = skips?.kind === "scalar" && skips.text === "true";
    let text = content.kind === "scalar" ? content.text : "";
    if (text.startsWith("@")) {
      const read = await readNamed(
        text.slice(1),
        "the contents of a file",
        importer,
      );
      const at = { ...start, file: read.file };
      const node = { ...toTree(read.text), at };
      const done = isRaw ? node : importer.substitute(node);
      text = done.kind === "scalar" ? done.text : read.text;
    }
    const { entries } = withValue(value, [key], toTree(text));
    const kept = entries.filter((entry) => entry.key !== "skipEnvsubst");
    items.push({ ...item, value: { ...value, entries: kept } });
  }
  return { ...list, items };
}
