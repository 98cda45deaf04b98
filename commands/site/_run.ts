/** The run that applies a site: its runbook, inputs and saved plan. */

import { readCommit } from "../../lib/git_commit.ts";
import { isRecord, parseJson } from "../../lib/json.ts";
import { ConfigError, RefusedError } from "../../errors.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import type { RunRequest } from "../../workflows/runbooks/run/prepare_run.ts";
import type {
  ContextNodes,
  RunSession,
} from "../../workflows/runbooks/run/run_session.ts";
import {
  planSite,
  type SitePart,
  siteParts,
  type SiteRunbook,
  siteRunbookName,
} from "../../workflows/site/plan_site.ts";
import { isControlPlane } from "../../workflows/site/rollout.ts";
import { type Context, type Flag, text } from "../_kit/mod.ts";
import { readFingerprints } from "../_session/server_trust.ts";
import {
  compareLive,
  contextHint,
  type LiveSite,
  siteSession,
} from "./_live.ts";
import { siteEnvironment, type SiteInputs } from "./_site.ts";

/** Declaration of `--only`. */
export const onlyFlag: Flag<string | undefined> = {
  ...text("part to apply; default all"),
  choices: siteParts,
};

/** A planned site, ready to run. */
interface PreparedSite extends LiveSite {
  readonly made: SiteRunbook;
  /** Fingerprints of the nodes that get their first configuration, by address. */
  readonly waiting: ReadonlyMap<string, string>;
  readonly session: RunSession;
  readonly request:
    & Pick<
      RunRequest,
      "runbook" | "input" | "inputs" | "secret" | "limit" | "secretValues"
    >
    & { readonly allowCommands: false };
  readonly commit: string;
}

/** Selection and hashes of a saved plan, in the key `site` of its file. */
export interface SavedSite {
  readonly only: SitePart | null;
  readonly nodes: readonly string[];
  readonly selector: string | null;
  readonly commit: string;
  /** Hash of what the site declares and the node has, by node. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Compares a site with its cluster, and makes the runbook that applies it. */
export async function prepareSite(
  context: Context<SiteInputs & { readonly only?: string | undefined }>,
  saved?: SavedSite,
): Promise<PreparedSite> {
  const { input: { only }, note } = context;
  const live = await compareLive(context);
  const session = siteSession(context);
  const created = live.facts !== undefined
    ? undefined
    : { id: live.bundle.cluster.id, name: live.site.clusterName };
  if (created !== undefined) {
    await refuseExisting(context, live);
    const to = await session.connect(undefined, context.signal);
    refuseOtherCa(to, live, contextHint(context));
  }
  const waiting = live.nodes.filter(({ row }) => row.state === "maintenance")
    .map(({ row }) => row.address);
  const { shown } = await readFingerprints(context, waiting);
  const fingerprints = new Map(
    shown.map((one) => [one.node, one.fingerprint]),
  );
  const made = await planSite(live.site, live.nodes, {
    only: siteParts.find((part) => part === only),
    fingerprints,
  });
  const { commit, isDirty } = await readCommit(
    live.site.folder,
    siteEnvironment(context),
  );
  if (isDirty) {
    note(`warning: ${live.site.folder || "."} has changes that are not in git`);
  }
  const { load, secrets } = toRunSources(made, session);
  return {
    ...live,
    made,
    waiting: only === undefined || only === "config" ? fingerprints : new Map(),
    commit: saved?.commit ?? commit,
    session: {
      ...session,
      created,
      load,
    },
    request: {
      runbook: siteRunbookName,
      input: [`commit=${saved?.commit ?? commit}`],
      inputs: undefined,
      secret: [],
      limit: [],
      secretValues: secrets,
      allowCommands: false,
    },
  };
}

/** The runbook of a site as a file to load, and its secret inputs. */
export function toRunSources(
  { text, configurations }: SiteRunbook,
  { load }: Pick<RunSession, "load">,
) {
  const isEmpty = configurations === "{}";
  const bytes = new TextEncoder().encode(configurations);
  return {
    load: {
      ...load,
      read: (path: string) =>
        Promise.resolve(path === siteRunbookName ? text : undefined),
    },
    secrets: new Map(isEmpty ? [] : [["configurations", bytes]]),
  };
}

/**
 * Refuses to create a cluster that may exist.
 *
 * @throws {RefusedError} If a node that is not in maintenance mode may hold it.
 */
export async function refuseExisting(
  context: Context<{ readonly only?: string | undefined }>,
  { site, nodes, isWhole }: LiveSite,
): Promise<void> {
  const others = nodes.filter(({ row }) => row.state !== "maintenance");
  const addresses = others.map(({ row }) => row.address);
  const { failures } = await readFingerprints(context, addresses);
  const reasons = others.flatMap(({ row }) => {
    const name = `${row.node} (${row.address})`;
    if (!failures.has(row.address)) {
      return [`${name} answers, and is not in maintenance mode`];
    }
    return isControlPlane(row)
      ? [`${name} cannot be reached: ${row.reason}`]
      : [];
  });
  const { only = "config" } = context.input;
  if (!isWhole || only !== "config") {
    reasons.push("it needs all nodes, and their configurations");
  }
  if (!nodes.some(({ row }) => isControlPlane(row))) {
    reasons.push("no control plane is declared");
  }
  if (reasons.length === 0) return;
  throw new RefusedError(
    `Cannot create cluster "${site.clusterName}", and nothing was sent:\n  ${
      reasons.join("\n  ")
    }`,
    {
      hint:
        "Check the context; a new cluster needs all control planes in maintenance mode",
    },
  );
}

/** Refuses a context that cannot read the nodes of a new cluster. Throws `ConfigError`. */
function refuseOtherCa(
  { context, identity }: ContextNodes,
  { site, bundle }: LiveSite,
  hint: string,
): void {
  const plain = (pem = "") => pem.replaceAll(/\s/g, "");
  if (plain(identity.ca).includes(plain(atob(bundle.certs.os.crt)))) return;
  throw new ConfigError(
    `Context "${context}" has another CA than the secrets of site "${site.file}"`,
    { hint },
  );
}

/** The stages of an apply in order, and the nodes that are left alone. */
export function formatStages({ stages, untouched }: SiteRunbook): string {
  const numbered = stages.map((line, index) => `${index + 1}. ${line}\n`);
  return [
    numbered.length === 0 ? "Nothing to do\n" : numbered.join(""),
    untouched.length === 0
      ? ""
      : `\nNot touched:\n${untouched.map((line) => `  ${line}\n`).join("")}`,
  ].join("");
}

/** Reads a saved plan. Throws `ConfigError` if it is not one. */
export async function readSavedSite(path: string): Promise<SavedSite> {
  const content = await readBoundedText({
    path,
    limitMib: 64,
    expected: "a plan",
  });
  if (content === undefined) {
    throw new ConfigError(`There is no file "${path}"`);
  }
  const { site } = Object(parseJson(content));
  if (isRecord(site) && isRecord(site.digests) && Array.isArray(site.nodes)) {
    // Written by "site plan"; the runbook and its facts are compared as well.
    return site as unknown as SavedSite;
  }
  throw new ConfigError(`Cannot read "${path}": it is not a plan of a site`, {
    hint: "Make one with: osctl site plan -o FILE",
  });
}

/** Refuses a plan whose site or nodes have changed since. Throws `RefusedError` naming the nodes. */
export function refuseChangedSite(
  path: string,
  { digests: before }: SavedSite,
  { digests: now }: SiteRunbook,
): void {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  const changed = [...names].filter((name) => before[name] !== now[name]);
  if (changed.length === 0) return;
  throw new RefusedError(
    `Cannot apply "${path}": the site or its nodes have changed since: ${
      changed.join(", ")
    }`,
    { hint: "Make a new plan with: osctl site plan -o FILE" },
  );
}
