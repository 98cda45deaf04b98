/** Patches of a `talconfig.yaml`. */

import {
  type ConfigDocument,
  mainKind,
} from "../../../config/documents/load.ts";
import type { Contract } from "../../../config/generate/contract.ts";
import { applyPatches, toPatch } from "../../../config/patch.ts";
import { readSops } from "../../../config/sops/format.ts";
import {
  type ConfigNode,
  findChild,
  type MapNode,
  type Place,
} from "../../../config/tree/node.ts";
import { type ReadDocument, readDocuments } from "../../../config/tree/read.ts";
import { writeDocuments } from "../../../config/tree/write.ts";
import { ConfigError } from "../../../errors.ts";
import { splitPath } from "../../../lib/files/atomic_file.ts";
import type { SourceProblem } from "../../runbooks/language/problem.ts";
import { type ReadVariable, substituteVariables } from "./envsubst.ts";
import { renderGoTemplate } from "../../../config/go_template/render.ts";
import {
  fromNode,
  type GoMap,
  type GoValue,
} from "../../../config/go_template/values.ts";
import { makeNodePatch, type NodePatch, readRoots } from "../place_patches.ts";
import type { SiteEnvironment } from "../site_environment.ts";
import { parseSecretFile } from "../../../config/sops/file.ts";
import { inFolder, readSiteText } from "../site_file.ts";
import { fieldNames } from "./keys.ts";

/** Place of values that have none. */
export const start: Place = { file: "", line: 1, column: 1 };

/** What reading a `talconfig.yaml` needs. */
export interface ImportContext {
  readonly folder: string;
  readonly environment: SiteEnvironment;
  readonly variables: ReadVariable;
  readonly report: (problem: SourceProblem) => void;
  /** Reports a variable that is not set. */
  readonly reportUnset: (problem: SourceProblem) => void;
  readonly contract: Contract;
  /** OS version with `v`. */
  readonly version: string;
}

/** A patch as it is written. */
export interface PatchSource {
  /** File or text, the same for the same patch. */
  readonly name: string;
  readonly text: string;
  readonly place: Place;
  readonly isEncrypted: boolean;
  readonly level?: NodePatch["level"];
  /** False for a patch in the file itself, whose variables are already replaced. */
  readonly hasVariables: boolean;
}

/**
 * Reads a list of patches.
 *
 * @param list Patches, and files of patches with `@`.
 * @param options Name of inline patches; for whom they are declared; whether `@` may be missing.
 */
export async function readPatchSources(
  list: ConfigNode | undefined,
  { name, isFile = false, ...level }: {
    readonly name: string;
    readonly isFile?: boolean;
    readonly level?: NodePatch["level"];
  },
  { folder, environment }: ImportContext,
): Promise<readonly PatchSource[]> {
  const sources: PatchSource[] = [];
  for (const { value } of list?.kind === "list" ? list.items : []) {
    const text = value.kind === "scalar" ? value.text : writeDocuments([value]);
    const place = value.at ?? start;
    const path = text.startsWith("@")
      ? text.slice(1).trim()
      : isFile
      ? text
      : undefined;
    if (path === undefined) {
      const number = `${name}-${sources.length + 1}.yaml`;
      const inline = { name: number, text, isEncrypted: false };
      sources.push({ ...inline, ...level, place, hasVariables: false });
      continue;
    }
    const full = inFolder(folder, path.replace(/^\.\//, ""));
    const raw = await readSiteText(full, "a patch");
    if (raw.trim() === "") continue;
    // Templates are often no YAML.
    const secret = /^sops:/m.test(raw) &&
      readSops(readDocuments(raw, full).documents) !== undefined;
    const plain = secret ? await parseSecretFile(raw, full, environment) : [];
    sources.push({
      name: splitPath(full)[1].replace(/(\.sops)?\.(ya?ml|json)$/, "") +
        ".yaml",
      text: secret ? writeDocuments(plain.map(({ root }) => root)) : raw,
      place: { ...start, file: full },
      isEncrypted: secret,
      ...level,
      hasVariables: true,
    });
  }
  return sources;
}

/** Applies patches in order; those that cannot be read are reported and skipped. */
export function applySources(
  sources: readonly PatchSource[],
  before: readonly ConfigDocument[],
  { variables, environment, report, reportUnset }: ImportContext,
): {
  readonly documents: readonly ConfigDocument[];
  readonly patches: readonly NodePatch[];
} {
  let documents = before;
  const patches: NodePatch[] = [];
  for (const source of sources) {
    const { text, place, level, isEncrypted: isSecret } = source;
    const isTemplate = text.includes("{{");
    let read: readonly ReadDocument[];
    try {
      const rendered = isTemplate
        ? renderGoTemplate(text, toFields(documents), {
          file: place.file,
          env: environment.env,
        })
        : text;
      read = readDocuments(rendered, place.file).documents;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      report({
        place,
        message: `Patch is not imported: ${error.message}`,
        hint:
          "Write the values of the node into it, or use expressions of a site",
      });
      continue;
    }
    let isChanged = isTemplate || isSecret;
    if (source.hasVariables && text.includes("$")) {
      isChanged = true;
      read = read.map((document) => ({
        ...document,
        root: substituteVariables(document.root, variables, reportUnset),
      }));
    }
    const patch = toPatch(read, place.file);
    const from = documents;
    documents = applyPatches(from, [patch]).documents;
    const taken = patches.filter(({ name }) =>
      name.replace(/(-\d+)?\.yaml$/, "") === source.name.slice(0, -5)
    ).length;
    const name = taken === 0
      ? source.name
      : source.name.replace(/\.yaml$/, `-${taken + 1}.yaml`);
    const roots = read.flatMap(({ root }) =>
      root.kind === "map" ? [root] : []
    );
    const isSimple = patch.kind === "merge" && !isTemplate;
    patches.push({
      ...isSimple
        ? {
          name,
          roots,
          text: isChanged ? writeDocuments(roots) : closed(text, roots),
        }
        : makeNodePatch(name, from, documents),
      ...level !== undefined && { level },
      ...isSecret && { isSecret },
    });
  }
  return { documents, patches };
}

/** Ends the last line, unless that changes the value of a block. */
function closed(text: string, roots: readonly MapNode[]): string {
  const whole = `${text.trimEnd()}\n`;
  return writeDocuments(readRoots(whole, "")) === writeDocuments(roots)
    ? whole
    : text;
}

/** Renders a value with templates, such as a label. */
export function renderField(
  text: string,
  documents: readonly ConfigDocument[],
  file: string,
  { environment: { env } }: ImportContext,
): string {
  return renderGoTemplate(text, toFields(documents), { file, env });
}

/** The main document with the names that templates use. */
function toFields(documents: readonly ConfigDocument[]): GoMap {
  const main = documents.find(({ kind }) => kind === mainKind);
  const fields = main && rename(main.root, "");
  return fields instanceof Map ? fields as GoMap : new Map();
}

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
  { folder, environment, variables, reportUnset }: ImportContext,
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
      const path = inFolder(folder, text.slice(1).trim().replace(/^\.\//, ""));
      text = await readSiteText(path, "the contents of a file");
      if (/^sops:/m.test(text)) {
        const documents = await parseSecretFile(text, path, environment);
        text = writeDocuments(documents.map(({ root }) => root));
      }
      const at = { ...start, file: path };
      const node = { kind: "scalar", text, plain: false, at } as const;
      const done = isRaw
        ? node
        : substituteVariables(node, variables, reportUnset);
      text = done.kind === "scalar" ? done.text : text;
    }
    const entries = value.entries.flatMap((entry) =>
      entry.key === "skipEnvsubst" ? [] : entry.key !== key ? [entry] : [{
        ...entry,
        value: { kind: "scalar", text, plain: false } as const,
      }]
    );
    items.push({ ...item, value: { ...value, entries } satisfies MapNode });
  }
  return { ...list, items };
}
