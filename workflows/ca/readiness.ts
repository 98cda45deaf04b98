/** Whether all nodes of a cluster are far enough for the next step of an exchange. */

import { OsctlError, RefusedError } from "../../errors.ts";
import type { CredentialRing, StepSite } from "../runbooks/module.ts";
import { trustOfAll } from "./cluster_trust.ts";
import { exchangeOf } from "./exchange.ts";
import type { CaKind } from "./trust_list.ts";
import { knownState, type TrustState, trustStates } from "./trust_state.ts";

/** Longest time for one node, in milliseconds. */
const deadlineMs = 10_000;

/** What was seen in this process, by run: nodes do not fall back by themselves. */
const seen = new WeakMap<CredentialRing, Set<string>>();

/**
 * Makes sure that every member of the cluster accepts the new authority.
 *
 * @param site The node whose turn it is.
 * @param kind Which authority.
 * @throws {RefusedError} Naming those that do not, or do not tell.
 */
export async function allAccept(site: StepSite, kind: CaKind): Promise<void> {
  await once(site, `accept ${kind}`, async () => {
    const late = await behind(site, kind, "accepting");
    if (late.length === 0) return;
    throw new RefusedError(
      `The new authority is not accepted everywhere: ${late.join("; ")}`,
      { hint: "Have it accepted by all nodes first" },
    );
  });
}

/**
 * Makes sure that every member of the cluster has its certificate from the new authority (S11).
 *
 * @param site The node whose turn it is.
 * @param kind Which authority.
 * @throws {RefusedError} Naming those that have not, or do not tell.
 */
export async function allServe(site: StepSite, kind: CaKind): Promise<void> {
  await once(site, `serve ${kind}`, async () => {
    const late = await behind(site, kind, "issuing");
    const silent = kind === "os" && late.length === 0
      ? await strangers(site)
      : [];
    const all = [...late, ...silent];
    if (all.length === 0) return;
    throw new RefusedError(
      `The old authority is still needed: ${all.join("; ")} (S11)`,
      {
        hint:
          "Bring these nodes along first; nodes that are gone for good have to leave the cluster",
      },
    );
  });
}

async function once(
  { room: { ring } }: StepSite,
  what: string,
  look: () => Promise<void>,
): Promise<void> {
  const known = seen.get(ring) ?? new Set();
  if (known.has(what)) return;
  await look();
  seen.set(ring, known.add(what));
}

/** Those that have not come as far as a state. */
async function behind(
  { cluster, room }: StepSite,
  kind: CaKind,
  least: TrustState,
): Promise<readonly string[]> {
  const exchange = await exchangeOf(room, kind);
  const members = (await cluster.members()).map(({ address }) => address);
  const answers = await trustOfAll(cluster, members, kind);
  return answers.flatMap((answer) => {
    const { node } = answer;
    if ("error" in answer) return [`${node}: ${answer.error.message}`];
    const { list } = answer;
    const state = knownState(node, list, exchange);
    const isMute = list.issuing === undefined && state === "accepting";
    const isBehind = !isMute &&
      trustStates.indexOf(state) < trustStates.indexOf(least);
    return isBehind ? [`${node} is ${state}`] : [];
  });
}

/** Those that do not take the new client, or do not show a certificate of the new authority. */
async function strangers(
  { cluster, room: { ring } }: StepSite,
): Promise<readonly string[]> {
  const members = await cluster.members();
  const looks = members.map(async ({ address }) => {
    try {
      const { machine } = await ring.at("final", address);
      await machine.version({}, { deadlineMs });
      return [];
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      return [`${address}: ${error.message}`];
    }
  });
  return (await Promise.all(looks)).flat();
}
