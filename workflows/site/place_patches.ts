/** Puts the patches of nodes into the folders of a site. */

import { diffDocuments, patchBetween } from "../../config/diff.ts";
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
import { type PatchRoots, splitCommon } from "./common_patches.ts";
import type { SiteNode } from "./site.ts";

/** One of the patches that make a node's configuration. */
export interface NodePatch {
  /** Name of its file, without folder; the same patch has the same name on all nodes. */
  readonly name: string;
  readonly roots: PatchRoots;
  /** The file as its author wrote it; absent if the patch is generated. */
  readonly text?: string;
  /** True for a patch that is the same on all nodes, and comes after those of single nodes. */
  readonly isLast?: boolean;
}

/** A node, and what its configuration has to be. */
export interface WantedNode extends Pick<SiteNode, "host" | "role"> {
  /** What the site makes of it without patches. */
  readonly base: readonly ConfigDocument[];
  readonly wanted: readonly ConfigDocument[];
  /** In the order of application. */
  readonly patches: readonly NodePatch[];
}

/** A patch file of a site. */
export interface PatchFile {
  /** Path in the directory. */
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
 * Puts patches into `all/`, folders of roles and of nodes: each as far up as its nodes allow. Order matters where
 * patches overlap: if the folders cannot keep it, patches move down to the nodes.
 */
export function placePatches(
  nodes: readonly WantedNode[],
): readonly PatchFile[] {
  const ways = [
    () => place(nodes, { isSplit: true }),
    () => place(nodes, { isSplit: true, keepsLast: true }),
    () => place(nodes, {}),
  ];
  const squashed = () =>
    place(
      nodes.map((node) => ({
        ...node,
        patches: [makeNodePatch("node.yaml", node.base, node.wanted)],
      })),
      {},
    );
  const placed =
    ways.map((way) => way()).find((all) =>
      nodes.every((node) => isReached(node, all))
    ) ?? squashed();
  return placed.map(({ folder, name, roots, text }) => ({
    path: `${folder}/${name}`,
    content: text ?? writeDocuments(roots),
    hasSecrets: roots.some(hasSecret),
  }));
}

interface PlaceOptions {
  /** Whether generated patches are split into what nodes have in common and the rest. */
  readonly isSplit?: boolean;
  /** Whether patches that come last are put into the folders of nodes. */
  readonly keepsLast?: boolean;
}

function place(
  nodes: readonly WantedNode[],
  options: PlaceOptions,
): readonly PlacedPatch[] {
  const names = [
    ...new Set(
      nodes.flatMap(({ patches }) => patches.map(({ name }) => name)),
    ),
  ];
  return names.flatMap((name, index) => {
    const number = String(10 * (index + 1)).padStart(2, "0");
    return placeOne(nodes, name, options).map((patch) => ({
      ...patch,
      name: names.length === 1 ? name : `${number}-${name}`,
    }));
  });
}

interface Owner {
  readonly node: WantedNode;
  readonly patch: NodePatch;
}

function placeOne(
  nodes: readonly WantedNode[],
  name: string,
  { isSplit = false, keepsLast = false }: PlaceOptions,
): readonly PlacedPatch[] {
  const owners = nodes.flatMap((node) => {
    const patch = node.patches.find((one) => one.name === name);
    return patch === undefined ? [] : [{ node, patch }];
  });
  const isDown = !isSplit ||
    keepsLast && owners.some(({ patch }) => patch.isLast);
  if (isDown) return owners.flatMap((owner) => inNode(owner));
  const isEverywhere = owners.length === nodes.length && nodes.length > 1;
  const [all, left] = isEverywhere
    ? splitOff(owners, "all")
    : [[], owners] as const;
  const roles = (["controlplane", "worker"] as const).flatMap((role) => {
    const own = left.filter(({ node }) => node.role === role);
    const { length } = nodes.filter((node) => node.role === role);
    if (own.length < length || length === 0) return own.flatMap(inNode);
    const folder = role === "worker" ? "worker" : "control-plane";
    const [common, rest] = splitOff(own, folder);
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
  const isText = patch.text !== undefined &&
    owners.every((one) => one.patch.text === patch.text);
  if (isText && !isAlone) return [[{ ...patch, folder }], []];
  if (isText) return [[], owners];
  const { common, rest } = splitCommon(
    owners.map((one) => one.patch.roots),
    isAlone ? isKubernetes : undefined,
  );
  const { text: _, ...generated } = patch;
  return [
    common.length === 0 ? [] : [{ ...generated, folder, roots: common }],
    common.length === 0 ? owners : owners.map(({ node, patch }, index) => {
      const { text: _, ...generated } = patch;
      return { node, patch: { ...generated, roots: rest[index] ?? [] } };
    }),
  ];
}

function isKubernetes(kind: string, key: string): boolean {
  return kind === "" ? key === "cluster" : kind.startsWith("Kube");
}

/** Reports whether the files make a node what it has to be. */
function isReached(
  { base, wanted, role, host }: WantedNode,
  placed: readonly PlacedPatch[],
): boolean {
  const folders = [
    "all",
    role === "worker" ? "worker" : "control-plane",
    `node/${host}`,
  ];
  const patches = folders.flatMap((folder) =>
    placed.filter((one) => one.folder === folder).flatMap(({ roots, name }) =>
      roots.map((root) => toPatch([{ root, number: 1 }], `${folder}/${name}`))
    )
  );
  const { documents } = applyPatches(base, patches);
  return diffDocuments(documents, wanted).length === 0;
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
