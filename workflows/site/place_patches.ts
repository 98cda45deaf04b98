/** Puts the patches of nodes into the folders of a site. */

import { patchBetween } from "../../config/diff.ts";
import {
  type ConfigDocument,
  findFields,
  identify,
} from "../../config/documents/load.ts";
import { redact } from "../../config/documents/redact.ts";
import { applyPatches, toPatch } from "../../config/patch.ts";
import type { MapNode } from "../../config/tree/node.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { writeDocuments } from "../../config/tree/write.ts";
import { opening } from "../runbook_cel/template_text.ts";
import { type PatchRoots, splitCommon } from "../../config/patches/common.ts";
import { listPatchFolders } from "./site_file.ts";
import { formatRole, type SiteNode } from "./site.ts";

/** One of the patches that make a node's configuration. */
export interface NodePatch {
  /** Name of its file, without folder; the same patch has the same name on all nodes. */
  readonly name: string;
  readonly roots: PatchRoots;
  /** The file as its author wrote it; absent if the patch is generated. */
  readonly text?: string;
  /** For whom it is declared; default for the node. A patch for all nodes comes after those of single nodes. */
  readonly level?: "all" | "role";
  /** True if it was encrypted. */
  readonly isSecret?: boolean;
}

/** A node, and what its configuration has to be. */
interface WantedNode extends Pick<SiteNode, "host" | "role"> {
  /** What the site makes of it without patches. */
  readonly base: readonly ConfigDocument[];
  readonly wanted: readonly ConfigDocument[];
  /** In the order of application. */
  readonly patches: readonly NodePatch[];
}

/** A patch file of a site. */
interface PatchFile {
  readonly path: string;
  readonly content: string;
  /** True if it has a private key, a token or another secret. */
  readonly hasSecrets: boolean;
}

interface PlacedPatch extends NodePatch {
  readonly folder: string;
}

/** Creates the patch from one configuration to another. */
export function makeNodePatch(
  name: string,
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
): NodePatch {
  return { name, roots: readRoots(patchBetween(from, to), name) };
}

/** Reads the documents of a patch. */
export function readRoots(text: string, file: string): PatchRoots {
  return readDocuments(text, file).documents.flatMap(({ root }) =>
    root.kind === "map" ? [root] : []
  );
}

/**
 * Puts patches into `all/`, folders of roles and of nodes: each as far up as its nodes allow. Where this changes the
 * order of patches that overlap, a last patch of the node mends it.
 */
export function placePatches(
  nodes: readonly WantedNode[],
): readonly PatchFile[] {
  const patches = nodes.flatMap((node) => node.patches);
  const names = new Set(
    [false, true].flatMap((isLast) =>
      patches.filter(({ level }) => (level === "all") === isLast)
        .map(({ name }) => name)
    ),
  );
  const placed = [...names].flatMap((name) => placeOne(nodes, name));
  const mended = nodes.flatMap((node) => {
    const made = applyPlaced(node, placed);
    const patch = makeNodePatch("order.yaml", made, node.wanted);
    return inNode({ node, patch });
  });
  const folders = Map.groupBy(
    [...placed, ...mended],
    ({ folder }) => folder,
  );
  return [...folders].flatMap(([folder, patches]) =>
    patches.map(({ name, roots, text, isSecret = false }, index) => ({
      path: `${folder}/${numbered(name, index, patches.length)}`,
      content: (text ?? writeDocuments(roots))
        .replaceAll(opening, () => `$${opening}`),
      hasSecrets: isSecret || roots.some(hasSecret),
    }))
  );
}

/** Files of a folder are applied in the order of their names. */
function numbered(name: string, index: number, count: number): string {
  if (count === 1) return name;
  const { length } = `${10 * count}`;
  return `${String(10 * (index + 1)).padStart(length, "0")}-${name}`;
}

interface Owner {
  readonly node: WantedNode;
  readonly patch: NodePatch;
}

function placeOne(
  nodes: readonly WantedNode[],
  name: string,
): readonly PlacedPatch[] {
  const owners = nodes.flatMap((node) => {
    const patch = node.patches.find((one) => one.name === name);
    return patch === undefined ? [] : [{ node, patch }];
  });
  // Files of the same name in different places are different patches.
  const texts = new Set(owners.map(({ patch }) => patch.text));
  if (texts.size > 1) return owners.flatMap(inNode);
  const level = owners[0]?.patch.level;
  const isEverywhere = owners.length === nodes.length && level !== "role" &&
    (nodes.length > 1 || level === "all");
  const [all, left] = isEverywhere
    ? splitOff(owners, "all")
    : [[], owners] as const;
  const roles = (["controlplane", "worker"] as const).flatMap((role) => {
    const own = left.filter(({ node }) => node.role === role);
    const { length } = nodes.filter((node) => node.role === role);
    if (own.length < length || length === 0) return own.flatMap(inNode);
    const [common, rest] = splitOff(own, formatRole({ role }));
    return [...common, ...rest.flatMap(inNode)];
  });
  return [...all, ...roles];
}

function inNode({ node, patch }: Owner): readonly PlacedPatch[] {
  return patch.roots.length === 0
    ? []
    : [{ ...patch, folder: `node/${node.host}` }];
}

/** Splits off what all owners have in common. A node that is alone in its role shares the Kubernetes part only. */
function splitOff(
  owners: readonly Owner[],
  folder: string,
): readonly [readonly PlacedPatch[], readonly Owner[]] {
  const [first] = owners;
  if (first === undefined) return [[], []];
  const { patch } = first;
  const isAlone = owners.length === 1;
  if (patch.text !== undefined) {
    return isAlone && patch.level === undefined
      ? [[], owners]
      : [[{ ...patch, folder }], []];
  }
  const { common, rest } = splitCommon(
    owners.map((one) => one.patch.roots),
    isAlone ? isKubernetes : undefined,
  );
  return [
    common.length === 0 ? [] : [{ ...patch, folder, roots: common }],
    owners.map(({ node, patch }, index) => ({
      node,
      patch: { ...patch, roots: rest[index] ?? [] },
    })),
  ];
}

function isKubernetes(kind: string, key: string): boolean {
  return kind === "" ? key === "cluster" : kind.startsWith("Kube");
}

/** What the files make of a node. */
function applyPlaced(
  { base, role, host }: WantedNode,
  placed: readonly PlacedPatch[],
): readonly ConfigDocument[] {
  const node = { role, host, groups: [] };
  const folders = listPatchFolders({ patchesFolder: "" }, node);
  const patches = folders.flatMap((folder) =>
    placed.filter((one) => one.folder === folder).flatMap(({ roots, name }) =>
      roots.map((root) => toPatch([{ root, number: 1 }], `${folder}/${name}`))
    )
  );
  return applyPatches(base, patches).documents;
}

function hasSecret(root: MapNode): boolean {
  const found = identify(root, 1);
  if ("message" in found) return false;
  let isFound = false;
  redact(root, found.schema && findFields(found.schema), (_, text, why) => {
    isFound ||= why === "secret" && text !== "";
    return text;
  });
  return isFound;
}
