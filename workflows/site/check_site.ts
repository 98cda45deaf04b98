/** Finds every problem of a site. */

import { DocumentsError, faultText } from "../../config/documents/problem.ts";
import { findPosition } from "../../config/documents/find_value.ts";
import { namesIn } from "../../lib/files/exists.ts";
import { ConfigError } from "../../errors.ts";
import { formatCount } from "../../lib/text/count.ts";
import { MisreadError } from "../../lib/text/text_position.ts";
import { makeRenderer } from "./render_node.ts";
import type { Site, SiteNode } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";
import { SiteError } from "./site_error.ts";
import { inFolder } from "../../lib/files/atomic_file.ts";
import { versionKey } from "./site_keys.ts";
import { readSiteSecrets } from "./site_secrets.ts";

/** A problem of a site. */
export interface SiteProblem {
  readonly level: "error" | "warning";
  /** File; null if there is none. */
  readonly file: string | null;
  /** Line, from 1; null if unknown. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  /** Nodes that have it; empty for the whole site. */
  readonly nodes: readonly string[];
}

/** Checks a site that could be read: secrets, folders, and the configuration of every node. */
export async function checkSite(
  site: Site,
  environment: SiteEnvironment,
): Promise<readonly SiteProblem[]> {
  const problems = [...await checkFolders(site), ...checkVersions(site)];
  try {
    const secrets = await readSiteSecrets(site, environment);
    if (secrets.warning !== undefined) {
      problems.push(toProblem("warning", secrets.warning));
    }
    const render = makeRenderer(site, secrets.bundle, environment);
    for (const node of site.nodes) {
      problems.push(...await checkNode(() => render(node), node));
    }
  } catch (error) {
    problems.push(...fromError(error));
  }
  return merged(problems);
}

/** The problems of an error that reading the site has thrown. Throws any other. */
export function fromError(
  error: unknown,
  nodes: readonly string[] = [],
): readonly SiteProblem[] {
  if (!(error instanceof ConfigError)) throw error;
  const whole = toProblem("error", withHint(error.message, error.hint), nodes);
  if (error instanceof SiteError) {
    return error.problems.map(({ place, message, hint }) => ({
      ...whole,
      message: withHint(message, hint),
      ...place,
    }));
  }
  if (error instanceof MisreadError) {
    const { file, at, fault, hint } = error;
    return [{ ...whole, message: withHint(fault, hint), file, ...at }];
  }
  if (!(error instanceof DocumentsError)) return [whole];
  return error.problems.map((problem) =>
    problem.at === undefined
      ? whole
      : { ...whole, message: faultText(problem), ...problem.at }
  );
}

async function checkNode(
  render: () => ReturnType<ReturnType<typeof makeRenderer>>,
  { host }: SiteNode,
): Promise<readonly SiteProblem[]> {
  try {
    const { problems, documents } = await render();
    return problems.map((problem) => {
      const { level, identity } = problem;
      const message = `${identity}: ${faultText(problem)}`;
      const { root } = documents[problem.document - 1] ?? {};
      // A problem names the value around when its own is missing, which may be in any patch.
      const place = root && findPosition(root, problem.path);
      return { ...toProblem(level, message, [host]), ...place };
    });
  } catch (error) {
    return fromError(error, [host]);
  }
}

/** Folders of nodes and groups that do not exist: a typing error, or an old name. */
export async function checkFolders(
  { patchesFolder, nodes, isTopf }: Site,
): Promise<readonly SiteProblem[]> {
  const wanted = {
    node: nodes.map(({ host }) => host),
    ...!isTopf && { group: nodes.flatMap(({ groups }) => groups) },
  };
  const problems: SiteProblem[] = [];
  for (const [kind, known] of Object.entries(wanted)) {
    const folder = inFolder(patchesFolder, kind);
    for (const name of await namesIn(folder)) {
      if (known.includes(name)) continue;
      const message = kind === "node"
        ? `there is no node "${name}": these patches are not applied`
        : `no node is in group "${name}": these patches are not applied`;
      const path = `${folder}/${name}`;
      problems.push({ ...toProblem("warning", message), file: path });
    }
  }
  return problems;
}

/** Formats a problem as a line. */
export function formatSiteProblem(
  { level, file, line, column, message, nodes }: SiteProblem,
): string {
  const place = file === null
    ? ""
    : line === null
    ? `${file}: `
    : `${file}:${line}:${column}: `;
  const prefix = level === "warning" ? "warning: " : "";
  const named = nodes.length > 3
    ? formatCount(nodes.length, "node")
    : nodes.join(", ");
  const whose = named === "" ? "" : ` [${named}]`;
  return `${prefix}${place}${message}${whose}`;
}

function checkVersions({ nodes, file }: Site): readonly SiteProblem[] {
  const without = nodes.filter(({ talosVersion }) => talosVersion === undefined)
    .map(({ host }) => host);
  if (without.length === 0) return [];
  const message = `There is no "${versionKey}": the default may change`;
  return [{ ...toProblem("warning", message, without), file }];
}

function toProblem(
  level: SiteProblem["level"],
  message: string,
  nodes: readonly string[] = [],
): SiteProblem {
  return { level, file: null, line: null, column: null, message, nodes };
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message} (${hint})`;
}

/** The same problem of several nodes is one. */
function merged(problems: readonly SiteProblem[]): readonly SiteProblem[] {
  const groups = Map.groupBy(
    problems,
    ({ nodes: _, ...rest }) => JSON.stringify(rest),
  );
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const nodes = [first, ...others].flatMap(({ nodes }) => nodes);
    return [{ ...first, nodes }];
  });
}
