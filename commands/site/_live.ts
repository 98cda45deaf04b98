/** A site and its live cluster, for commands that compare both. */

import { ConfigError, NodesError, OsctlError } from "../../errors.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { askUnconfigured } from "../../workflows/operations/wait_ready.ts";
import type { Facts } from "../../workflows/runbooks/read_facts.ts";
import { connectRun } from "../../workflows/runbooks/run/run_connection.ts";
import type { RunSession } from "../../workflows/runbooks/run/run_session.ts";
import {
  type ComparedNode,
  compareSite,
} from "../../workflows/site/compare_site.ts";
import type { Context } from "../_kit/mod.ts";
import { runSession } from "../_runbook/session.ts";
import {
  type RenderedNodes,
  renderNodes,
  siteFlag,
  type SiteInputs,
} from "./_site.ts";

/** A read site with the configurations of the selected nodes. */
interface RenderedSite extends RenderedNodes {
  /** True if all nodes are selected. */
  readonly isWhole: boolean;
}

/** Reads a site and renders its selected nodes. Throws `ConfigError` if a configuration is not valid. */
export async function renderSite(
  context: Context<SiteInputs>,
): Promise<RenderedSite> {
  const read = await renderNodes(context);
  const { site, rendered } = read;
  const wrong = rendered.find(({ problems }) =>
    problems.some(({ level }) => level === "error")
  );
  if (wrong !== undefined) {
    throw new ConfigError(
      `The configuration of "${wrong.node.host}" is not valid`,
      { hint: "See every problem with: osctl site check" },
    );
  }
  return { ...read, isWhole: rendered.length === site.nodes.length };
}

/** The session of a run; `--nodes` and `--selector` select nodes of the site instead. */
export function siteSession(context: Context<SiteInputs>): RunSession {
  const globals = { ...context.globals, nodes: [], selector: undefined };
  const session = runSession({ ...context, globals });
  return {
    ...session,
    async connect(name, signal) {
      try {
        return await session.connect(name, signal);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        throw new ConfigError(error.message, { hint: contextHint(context) });
      }
    },
  };
}

/** Hint to a client configuration for the cluster of a site. */
export function contextHint(
  { input: { site } }: Pick<Context<SiteInputs>, "input">,
): string {
  return `Choose the context of the site with --context, or write one with: osctl site render${
    siteFlag(site)
  } -o out; then pass --osconfig out/osconfig`;
}

/** A compared site. */
export interface LiveSite extends RenderedSite {
  /** Undefined if no node of the cluster answered. */
  readonly facts: Facts | undefined;
  readonly nodes: readonly ComparedNode[];
}

/**
 * Reads a site and compares it with its cluster.
 *
 * @throws {ConfigError} If the cluster of the context is another one.
 * @throws {OsctlError} If neither the cluster answers nor a node in maintenance mode.
 */
export async function compareLive(
  context: Context<SiteInputs>,
): Promise<LiveSite> {
  const read = await renderSite(context);
  const session = siteSession(context);
  const { clock } = session;
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, context.signal]);
  using connection = connectRun({
    to: await session.connect(undefined, signal),
    vault: { read: () => Promise.reject(new TypeError("There is no vault")) },
    clock,
    signal,
  });
  const { cluster, nodes, view, context: name } = connection;
  try {
    const facts = await cluster.readFacts().catch(expected);
    const isKnown = !(facts instanceof OsctlError);
    if (isKnown) requireCluster(facts, read, { name, context });
    const compared = await compareSite(read.rendered, {
      facts: isKnown ? facts.nodes : [],
      readText: async (address) =>
        await readMachineConfiguration(await nodes.at(address)),
      probe: (node) =>
        askUnconfigured({
          node,
          // The cluster may not exist yet, so it cannot be asked for addresses.
          cluster: { ...view, unconfigured: nodes.unconfigured },
        }),
    }, read.isWhole ? read.site.nodes : []);
    const isSilent = compared.every(({ row }) => row.state === "absent");
    if (!isKnown && isSilent) throw facts;
    return { ...read, facts: isKnown ? facts : undefined, nodes: compared };
  } finally {
    ended.abort();
  }
}

/** Throws `NodesError` for the members that do not answer, if any. */
export function requireAnswers(nodes: readonly ComparedNode[]): void {
  const failures = nodes.flatMap(({ row: { state, address, reason } }) =>
    state === "unreachable"
      ? [[address, new OsctlError(reason ?? "")] as const]
      : []
  );
  if (failures.length === 0) return;
  throw new NodesError(new Map(failures), nodes.length);
}

function expected(error: unknown): OsctlError {
  if (error instanceof OsctlError) return error;
  throw error;
}

function requireCluster(
  { cluster: { id, name } }: Facts,
  { site, bundle }: RenderedSite,
  { name: chosen, context }: {
    readonly name: string;
    readonly context: Context<SiteInputs>;
  },
): void {
  if (id === "" || id === bundle.cluster.id) return;
  throw new ConfigError(
    `Context "${chosen}" is for another cluster, "${name}", than the secrets of site "${site.file}"`,
    { hint: contextHint(context) },
  );
}
