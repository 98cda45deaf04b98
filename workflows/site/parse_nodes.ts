/** Nodes of a site, with the settings of their groups and the cluster. */

import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { toPlain } from "../../config/tree/resolve.ts";
import {
  type ConfigNode,
  findChild,
  type MapNode,
} from "../../config/tree/node.ts";
import { plainSchematic } from "../../config/releases.ts";
import { withV } from "../../lib/version.ts";
import { imageFactory } from "../../talos.ts";
import { suggest } from "../runbooks/language/match_shape.ts";
import type { SourceProblem } from "../runbooks/language/problem.ts";
import type { Schematic } from "../upgrade/schematic.ts";
import { SiteError } from "./site_error.ts";
import type { SchematicChoice, SiteNode } from "./site.ts";

/**
 * Parses the nodes.
 *
 * @param root The file, which fits its shape.
 * @param provided Nodes of a provider, which fit theirs.
 * @throws {SiteError} If two have the same name, or a group is unknown.
 */
export function parseNodes(
  root: MapNode,
  provided: readonly ConfigNode[],
): readonly SiteNode[] {
  const list = findChild(root, "nodes");
  const own = list?.kind === "list" ? list.items.map(({ value }) => value) : [];
  const problems: SourceProblem[] = [];
  const nodes = new Map<string, SiteNode>();
  const groups = new Map(toCursor(root).get("groups").entries());
  for (const node of [...own, ...provided]) {
    const at = toCursor(node);
    const names = at.get("groups").texts();
    for (const name of names) {
      if (groups.has(name)) continue;
      problems.push({
        place: locate(at.get("groups")),
        message: `Unknown group "${name}"`,
        hint: groups.size === 0
          ? `Add it to "groups"`
          : suggest(name, groups.keys()),
      });
    }
    const around = names.flatMap((name) => groups.get(name) ?? []);
    const parsed = parseNode(at, [toCursor(root), ...around, at], problems);
    const first = nodes.get(parsed.host);
    if (first === undefined) {
      nodes.set(parsed.host, parsed);
      continue;
    }
    const message = `There are two nodes "${parsed.host}"`;
    problems.push({ place: parsed.place, message, first: first.place });
  }
  if (problems.length > 0) throw new SiteError(problems);
  return [...nodes.values()];
}

/** @param levels Settings of the cluster, its groups, and itself; later ones win. */
function parseNode(
  at: Cursor,
  levels: readonly Cursor[],
  problems: SourceProblem[],
): SiteNode {
  const [, ...own] = levels;
  const last = (key: string) =>
    levels.findLast((level) => level.get(key).node !== undefined)?.get(key);
  const version = last("talosVersion")?.text();
  return {
    host: at.get("host").text() ?? "",
    ip: at.get("ip").text(),
    role: at.get("role").text() === "control-plane" ? "controlplane" : "worker",
    groups: at.get("groups").texts(),
    labels: Object.fromEntries(
      levels.flatMap((level) =>
        level.get("labels").entries().map(([key, value]) =>
          [key, value.text() ?? ""] as const
        )
      ),
    ),
    data: mergeData(own),
    talosVersion: version === undefined ? undefined : withV(version),
    factory: last("factory")?.text() ?? imageFactory,
    platform: last("platform")?.text() ?? "metal",
    // As in TOPF, false does not undo the true of the cluster.
    secureBoot: levels.some((level) =>
      level.get("secureboot").truth() === true
    ),
    schematic: chooseSchematic(levels, problems),
    place: locate(at),
  };
}

function mergeData(levels: readonly Cursor[]): MapNode {
  const entries = new Map(
    levels.flatMap((level) => {
      const { node } = level.get("data");
      const all = node?.kind === "map" ? node.entries : [];
      return all.map((entry) => [entry.key, entry] as const);
    }),
  );
  return { kind: "map", entries: [...entries.values()] };
}

/** Names of extensions and kernel arguments add up; an id replaces what the levels around say. */
function chooseSchematic(
  levels: readonly Cursor[],
  problems: SourceProblem[],
): SchematicChoice {
  let choice: SchematicChoice = { id: plainSchematic };
  for (const level of levels) {
    const given = level.get("schematicId");
    const id = given.text();
    const extensions = level.get("extensions").texts()
      .map((name) => name.includes("/") ? name : `siderolabs/${name}`);
    const kernelArgs = level.get("kernelArgs").texts();
    const overlay = level.get("overlay").node;
    if (id !== undefined) {
      choice = id.startsWith("@") ? { path: id.slice(1) } : { id };
    }
    if (overlay === undefined && extensions.concat(kernelArgs).length === 0) {
      continue;
    }
    if (id !== undefined) {
      problems.push({
        place: locate(given),
        message:
          `"schematicId" cannot be combined with "extensions", "kernelArgs" or "overlay"`,
        hint: "Keep one of them",
      });
    }
    const outer: Schematic = "parts" in choice ? choice.parts : {};
    const parts = {
      ...outer,
      extensions: unite(outer.extensions, extensions),
      kernelArgs: unite(outer.kernelArgs, kernelArgs),
      ...overlay && { overlay: toPlain(overlay) },
    };
    choice = { parts };
  }
  return choice;
}

function unite(
  outer: readonly string[] = [],
  inner: readonly string[],
): readonly string[] {
  return [...new Set([...outer, ...inner])];
}

/** Every value of a file has a place. */
function locate({ node, at }: Cursor): SourceProblem["place"] {
  return node?.at ?? at ?? { file: "", line: 1, column: 1 };
}
