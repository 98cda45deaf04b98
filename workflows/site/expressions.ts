/** `${{ … }}` in patches of a site. */

import { coreValue } from "../../config/tree/core_value.ts";
import type { ReadDocument } from "../../config/tree/read.ts";
import { ConfigError } from "../../errors.ts";
import type { Json } from "../../lib/json.ts";
import type { RunQueries } from "../runbook_cel/declare.ts";
import { evaluateTree } from "../runbook_cel/evaluate_tree.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import type { SourceProblem } from "../runbooks/language/problem.ts";
import { SiteError } from "./site_error.ts";
import { formatRole, type Site, type SiteNode } from "./site.ts";

const string = (summary: string) => ({ type: "string", summary }) as const;

/** Names in scope. */
const declarations: ValueFields = {
  site: {
    type: "object",
    summary: "The cluster",
    fields: {
      clusterName: string("Name"),
      clusterEndpoint: string("URL of the Kubernetes API"),
      kubernetesVersion: string("Kubernetes version without v"),
      data: { type: "any", summary: "Values of the file" },
    },
  },
  node: {
    type: "object",
    summary: "The node",
    fields: {
      host: string("Name"),
      ip: string("Address"),
      role: string("control-plane or worker"),
      talosVersion: string("OS version with v"),
      schematicId: string("Schematic of the installer image"),
      groups: { type: "list", summary: "Groups", items: string("Name") },
      labels: { type: "map", summary: "Labels", items: string("Value") },
      data: { type: "any", summary: "Values of the node and its groups" },
    },
  },
};

/** A node with the values that are not in the file. */
export type ResolvedNode = SiteNode & {
  /** Id of the schematic; in a template of one, what the file says. */
  readonly schematicId: string;
  /** OS version with `v`. */
  readonly version: string;
};

/** Evaluates the expressions of documents. Throws `SiteError` with every problem. */
export function evaluateExpressions(
  documents: readonly ReadDocument[],
  site: Site,
  node: ResolvedNode,
): readonly ReadDocument[] {
  const scope = toScope(site, node);
  const start = { file: site.file, line: 1, column: 1 };
  const problems: SourceProblem[] = [];
  const evaluated = documents.flatMap((document) => {
    const result = evaluateTree(document.root, declarations, scope, queries);
    for (const { at: place = start, ...problem } of result.problems) {
      problems.push({ ...problem, place });
    }
    return result.root === undefined
      ? []
      : [{ ...document, root: result.root }];
  });
  if (problems.length > 0) throw new SiteError(problems);
  return evaluated;
}

function toScope(
  { clusterName, clusterEndpoint, kubernetesVersion, data }: Site,
  node: ResolvedNode,
): Readonly<Record<string, Json>> {
  const { host, ip, groups, labels, schematicId, version } = node;
  return {
    site: {
      clusterName,
      clusterEndpoint,
      kubernetesVersion: kubernetesVersion.replace(/^v/, ""),
      data: coreValue(data),
    },
    node: {
      host,
      ...ip !== undefined && { ip },
      role: formatRole(node),
      talosVersion: version,
      schematicId,
      groups,
      labels,
      data: coreValue(node.data),
    },
  };
}

const queries: RunQueries = { reached: outsideRun, now: outsideRun };

/** A configuration must not depend on when it is rendered. */
function outsideRun(): never {
  throw new ConfigError("Functions reached and now are only for runbooks");
}
