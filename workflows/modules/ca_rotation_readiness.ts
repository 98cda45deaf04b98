/** Checks that all nodes of a cluster are ready for the next step of a rotation. */

import { OsctlError, RefusedError } from "../../errors.ts";
import { failureKind } from "../../transport/call/retryable.ts";
import type { NodeContext } from "../operations/operation.ts";
import type { StepContext } from "./module.ts";
import type { CredentialRing } from "../ca/run_resources.ts";
import { trustOfAll } from "../ca/cluster_trust.ts";
import { readRotation } from "../ca/rotation.ts";
import type { CaKind } from "../ca/trust_list.ts";
import { knownState, type TrustState, trustStates } from "../ca/trust_state.ts";

/** Timeout for each node, in milliseconds. */
const deadlineMs = 10_000;

/** Nodes already seen in this process, by run: nodes never fall back. */
const seen = new WeakMap<CredentialRing, Set<string>>();

/** Retries for nodes that do not answer, and the interval, in milliseconds. */
const patience = { times: 4, pauseMs: 2_000 };

/**
 * Ensures that every cluster member accepts the new CA.
 *
 * @throws {RefusedError} Lists members that do not, or do not answer.
 */
export async function allAccept(
  context: StepContext,
  kind: CaKind,
): Promise<void> {
  const late = await lateOnes(
    context,
    `accept ${kind}`,
    () => behind(context, kind, "accepting"),
  );
  if (late.length === 0) return;
  throw new RefusedError(
    `The new CA is not accepted everywhere: ${texts(late)}`,
    { hint: "Run ca.accept on all nodes first" },
  );
}

/**
 * Ensures that every cluster member has a certificate of the new CA (S11).
 *
 * @throws {RefusedError} Lists members that do not, or do not answer.
 */
export async function allServe(
  context: StepContext,
  kind: CaKind,
): Promise<void> {
  const late = await lateOnes(context, `serve ${kind}`, async () => {
    const found = await behind(context, kind, "issuing");
    return kind === "os" && found.length === 0
      ? await strangers(context)
      : found;
  });
  if (late.length === 0) return;
  throw new RefusedError(
    `The old CA is still needed: ${texts(late)} (S11)`,
    {
      hint:
        "Rotate these nodes first; remove from the cluster those that are gone for good",
    },
  );
}

/** A node that is not ready, or does not answer. */
interface Late {
  readonly text: string;
  /** True when no server answers there, which may change. */
  readonly isSilent: boolean;
}

function texts(late: readonly Late[]): string {
  return late.map(({ text }) => text).join("; ");
}

/** Polls until every node has answered, up to a limit. */
async function lateOnes(
  { clock, signal, ring }: StepContext,
  what: string,
  look: () => Promise<readonly Late[]>,
): Promise<readonly Late[]> {
  const known = seen.get(ring) ?? new Set();
  if (known.has(what)) return [];
  for (let left = patience.times;; left--) {
    // Polls are sequential.
    const late = await look();
    if (late.length === 0) seen.set(ring, known.add(what));
    const mayReport = late.length > 0 && late.every(({ isSilent }) => isSilent);
    if (!mayReport || left === 1) return late;
    await clock.sleep(patience.pauseMs, signal);
  }
}

/** Nodes that have not reached a state. */
async function behind(
  context: StepContext,
  kind: CaKind,
  least: TrustState,
): Promise<readonly Late[]> {
  const { cluster } = context;
  const rotation = await readRotation(context, kind);
  const members = (await cluster.members()).map(({ address }) => address);
  const answers = await trustOfAll(cluster, members, kind);
  return answers.flatMap((answer) => {
    const { node } = answer;
    if ("error" in answer) return [untold(node, answer.error)];
    const { list } = answer;
    const state = knownState(node, list, rotation);
    const isMute = list.issuing === undefined && state === "accepting";
    const isBehind = !isMute &&
      trustStates.indexOf(state) < trustStates.indexOf(least);
    return isBehind ? [{ text: `${node} is ${state}`, isSilent: false }] : [];
  });
}

function untold(node: string, error: OsctlError): Late {
  const isSilent = failureKind(error) === "away";
  return { text: `${node}: ${error.message}`, isSilent };
}

/** Nodes that reject the new client, or do not serve a certificate of the new CA. */
async function strangers(
  { cluster, ring }: StepContext,
): Promise<readonly Late[]> {
  const members = await cluster.members();
  const looks = members.map(async ({ address }) => {
    try {
      const { machine } = await ring.at("final", address);
      await machine.version({}, { deadlineMs });
      return [];
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      return [untold(address, error)];
    }
  });
  return (await Promise.all(looks)).flat();
}

/**
 * Context of a step in a run. Throws `TypeError` outside of a run, which is a bug: such operations are not commands.
 */
export function toStepContext(context: NodeContext): StepContext {
  if ("vault" in context) return context as StepContext; // a context with a vault has the rest, too
  throw new TypeError("This operation only works in a run");
}
