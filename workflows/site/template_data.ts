/** What Go templates of a site see. */

import type { ResolvedNode } from "./expressions.ts";
import { renderGoTemplate } from "../../config/go_template/render.ts";
import {
  fromNode,
  type GoMap,
  type GoValue,
} from "../../config/go_template/values.ts";
import { formatRole, type Site } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";

/** Renders a template of the site. Throws `ConfigError` by line and column. */
export function renderTemplate(
  text: string,
  file: string,
  { site, node, env }: Pick<SiteEnvironment, "env"> & {
    readonly site: Site;
    readonly node: ResolvedNode;
  },
): string {
  const root: GoMap = new Map<string, GoValue>([
    ["ClusterName", site.clusterName],
    ["ClusterEndpoint", site.clusterEndpoint],
    ["KubernetesVersion", site.kubernetesVersion],
    ["TalosVersion", site.talosVersion ?? ""],
    ["SchematicID", node.schematicId],
    ["Data", fromNode(site.data)],
    ["Node", toMap(node)],
    ["PatchesDir", site.patchesFolder],
  ]);
  return renderGoTemplate(text, root, { file, env });
}

function toMap(node: ResolvedNode): GoMap {
  return new Map<string, GoValue>([
    ["Host", node.host],
    ["Role", formatRole(node)],
    ["IP", node.ip ?? null],
    ["Data", fromNode(node.data)],
    ["TalosVersion", node.talosVersion ?? ""],
    ["Factory", node.factory],
    ["Platform", node.platform],
    ["SecureBoot", node.secureBoot],
    ["Labels", new Map(Object.entries(node.labels))],
    ["Groups", node.groups],
  ]);
}
