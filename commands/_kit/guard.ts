import { OsctlError, RefusedError } from "../../errors.ts";
import type { AnyOperation } from "../../workflows/operations/operation.ts";
import type { OperationClock } from "../../lib/clock.ts";
import type { Json } from "../../lib/json.ts";
import type { ClusterView } from "../../workflows/operations/cluster_view.ts";
import {
  type Allowance,
  arithmetic,
  removalArithmetic,
  removesMember,
} from "../../workflows/etcd/quorum.ts";
import type { ClusterEtcd } from "../../workflows/etcd/etcd_facts.ts";
import {
  lockAllowance,
  type LockQuestion,
  refuseLocked,
} from "../../workflows/runbooks/lock/refuse_locked.ts";
import { readClusterId } from "../../workflows/runbooks/cluster_facts.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import { describeNodes, findRole } from "./ask_nodes.ts";
import type { Context } from "./command.ts";
import {
  type Flag,
  InputProblem,
  strings,
  type Values,
  yesFlag,
} from "./inputs.ts";
import { prompter } from "../../terminal/prompt.ts";
import { layOut } from "../../terminal/table.ts";
import { asksForCluster } from "./target_nodes.ts";

/** Safety rules of the quorum and the run lock that a user may override. */
export const allowances: readonly (Allowance | typeof lockAllowance)[] = [
  "degraded-etcd",
  "etcd-quorum",
  "single-member-downtime",
  lockAllowance,
];

/** Flags of commands that ask for confirmation or are subject to safety rules. */
export const guardInputs = {
  yes: yesFlag,
  allow: allowFlag(allowances),
};

export type GuardInputs = Values<typeof guardInputs>;

/** Creates `--allow`. `rules`: names of the rules it may override. */
export function allowFlag(rules: readonly string[]): Flag<readonly string[]> {
  const flag = strings(`rules to override: ${rules.join(", ")}`, {
    step: false,
  });
  return {
    ...flag,
    choices: rules,
    parse(value, before) {
      const named = flag.parse(value, before);
      if (named.every((rule) => rules.includes(rule))) return named;
      throw new InputProblem(`must be one or more of ${rules.join(", ")}`);
    },
  };
}

interface GuardedRun {
  readonly operation: AnyOperation;
  readonly input: Json;
  readonly names: readonly string[];
  /** False if they are only the default nodes of the context. */
  readonly named: boolean;
  readonly view: ClusterView;
  readonly clock: OperationClock;
}

/**
 * Shows what will be lost and asks for confirmation if the operation requires it. Throws `RefusedError` if the answer
 * is no, there is no terminal, or the nodes were not named.
 */
export async function passGuard(
  context: Context<GuardInputs>,
  guarded: GuardedRun,
): Promise<void> {
  const { operation } = guarded;
  const { input, environment, note } = context;
  if (
    !asksForCluster(operation) || environment.env("OSCTL_COMPAT") === "peer"
  ) {
    return;
  }
  // `--yes` is not enough for nodes that were not named.
  if (!guarded.named && !environment.stdin.terminal) {
    throw new RefusedError(
      `"${operation.name}" does not run on the default nodes of the context`,
      { hint: "Name the nodes with --nodes" },
    );
  }
  const etcd = await readEtcd(guarded);
  const [header = [], ...nodes] = await describeNodes(
    guarded.names,
    guarded.view,
  );
  const losses = await Promise.all(
    guarded.names.map((node) => findLoss(node, context, { ...guarded, etcd })),
  );
  const rows = nodes.map((cells, i) => [...cells, ...losses[i] ?? []]);
  note(
    layOut([[...header, "ETCD", "LOST"], ...rows], { gap: 3 }).text.trimEnd(),
  );
  const disturbed = guarded.names.filter((_, i) => {
    const [effect = ""] = losses[i] ?? [];
    return effect !== "-" && effect !== "none";
  });
  for (const line of parseNumbers(disturbed, guarded, etcd)) note(line);
  if (input.yes && guarded.named) return;
  if (!environment.stdin.terminal) {
    throw new RefusedError(
      `"${operation.name}" needs a confirmation, and there is no terminal to ask on`,
      { hint: "Pass --yes" },
    );
  }
  await confirm(context, guarded);
}

/**
 * Refuses disruptive operations while a run holds the lock of the cluster.
 *
 * @param context Local runs and access to the nodes.
 * @param allow Rules overridden by the user.
 * @returns Repeats the check before later nodes; `undefined` if no check is needed.
 * @throws {LockedError} Naming the run.
 */
export async function passLock(
  { environment, nodes }: Context<unknown>,
  { operation, view, clock }: Pick<GuardedRun, "operation" | "view" | "clock">,
  allow: readonly string[],
): Promise<(() => Promise<void>) | undefined> {
  const disturbs = operation.rolling || operation.effect === "disrupt" ||
    operation.effect === "destroy";
  if (!disturbs || allow.includes(lockAllowance)) return undefined;
  let askedAt = -Infinity;
  const ask = async () => {
    // Nodes that start right away share one check.
    if (Math.abs(clock.now() - askedAt) < freshMs) return;
    await refuseLocked(question);
    askedAt = clock.now();
  };
  const question: LockQuestion = {
    places: () => findPlaces(environment),
    cluster: async () => await readClusterId(await nodes.endpoint()),
    kubernetes: view.kubernetes,
    clock,
    run: environment.env("OSCTL_RUN"),
  };
  await ask();
  return ask;
}

/** Validity of a check that found no lock, in milliseconds. */
const freshMs = 5_000;

/** The state of etcd, or why it is unknown; `undefined` if it does not matter. */
async function readEtcd(
  { operation, input, view }: GuardedRun,
): Promise<ClusterEtcd | OsctlError | undefined> {
  if (operation.quorum(input) === "none") return undefined;
  try {
    return await view.readEtcd();
  } catch (error) {
    if (error instanceof OsctlError) return error;
    throw error;
  }
}

/** Effect on the etcd member of a node, and the data that is lost. */
async function findLoss(
  node: string,
  { nodes }: Context<GuardInputs>,
  { operation, input, view, clock, etcd }: GuardedRun & {
    readonly etcd: ClusterEtcd | OsctlError | undefined;
  },
): Promise<readonly string[]> {
  const role = await findRole(node, view);
  const quorum = operation.quorum(input);
  // If etcd does not answer, there may be no member to lose.
  const isKnown = quorum === "none" ||
    etcd !== undefined && !(etcd instanceof OsctlError) &&
      (operation.member !== undefined || etcd.memberOf.has(node));
  const effect = role === "worker" ? "-" : isKnown ? quorum : "not known";
  const client = await nodes.at(node);
  const { signal } = client;
  try {
    const nodeContext = { node, client, cluster: view, signal, clock };
    const seen = await operation.observe(nodeContext, input);
    const lost = operation.plan(seen, input).flatMap(({ loses }) =>
      loses ?? []
    );
    return [effect, lost.join(", ") || "-"];
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    return [effect, `not known: ${error.message}`];
  }
}

/** Computes the etcd quorum for each node with an affected member. */
function parseNumbers(
  names: readonly string[],
  { operation, input }: GuardedRun,
  etcd: ClusterEtcd | OsctlError | undefined,
): readonly string[] {
  if (names.length === 0 || etcd === undefined) return [];
  if (etcd instanceof OsctlError) return [`etcd: not known: ${etcd.message}`];
  const { facts, memberOf } = etcd;
  const other = operation.member?.(input);
  const numbers = removesMember(operation.quorum(input))
    ? removalArithmetic
    : arithmetic;
  return names.flatMap((node) => {
    const id = other ?? memberOf.get(node);
    const who = other === undefined ? node : `member ${other}`;
    return id === undefined
      ? [`${who}: etcd does not answer`]
      : [`${who}: etcd has ${numbers(facts, id)}`];
  });
}

async function confirm(
  context: Context<GuardInputs>,
  { operation, view }: GuardedRun,
): Promise<void> {
  const name = await view.name() ?? context.globals.context ?? "yes";
  using prompts = prompter(context);
  const answer = await prompts.ask(
    `Type the cluster name (${name}) to continue: `,
  );
  if (answer === name) return;
  throw new RefusedError(`"${operation.name}" was not confirmed`, {
    hint: "Nothing was sent",
  });
}
