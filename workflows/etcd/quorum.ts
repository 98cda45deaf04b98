/** etcd quorum arithmetic: how many members may be lost. */

/** Effect of a change on the etcd member of a control plane. */
export type QuorumEffect =
  | "none"
  | "leaves-temporarily"
  /** It is removed from the member list. */
  | "leaves-forever"
  /** It is removed, and its node joins again as a new member. */
  | "leaves-and-rejoins"
  /** It loses its data and stays in the member list. */
  | "dies"
  | "joins";

/** A member as etcd lists it. */
export interface MemberEntry {
  /** Member id, 16 hexadecimal digits. */
  readonly id: string;
  /** Name, the hostname of its node; empty for one that never started. */
  readonly name: string;
  /** True for a non-voting member. */
  readonly learner: boolean;
}

/** Known state of an etcd cluster at one moment. */
export interface EtcdFacts {
  /** Members, as all nodes that answered list them. */
  readonly members: readonly MemberEntry[];
  /** Ids of voters that answered without errors; an alarm is none, unless it says that their data is damaged. */
  readonly healthy: readonly string[];
  /** Alarms by name: `NOSPACE`. */
  readonly alarms: readonly string[];
  /** Id of the leader; empty if there is none. */
  readonly leader: string;
  /** Control planes whose etcd did not answer. */
  readonly silent: readonly string[];
  /** Nodes among them that report etcd as not running. */
  readonly stopped?: readonly string[];
  /** Nodes among these whose etcd runs only after it is started. */
  readonly over?: readonly string[];
  /** Members that answer, but whose nodes are about to stop: `rebooting`. */
  readonly leaving?: readonly {
    readonly id: string;
    readonly node: string;
    readonly stage: string;
  }[];
  /** Disagreements between the answers; empty if there are none. */
  readonly doubts: readonly string[];
  /** When the first of these facts was read, in milliseconds since 1970. */
  readonly readAt: number;
}

/** Names of the rules a user may override. */
export type Allowance =
  | "degraded-etcd"
  | "etcd-quorum"
  | "single-member-downtime";

/** A violated rule. */
export interface Refusal {
  /** Its number in the list of safety rules. */
  readonly rule: "S1" | "S2" | "S3" | "S4" | "S5" | "S14" | "S16" | "S17";
  readonly reason: string;
  /** Override of the rule, if there is one. */
  readonly allowance?: Allowance;
  /** True when waiting may help. */
  readonly passing: boolean;
  /** Condition of S16; absent for other rules. */
  readonly code?: RunCondition;
}

/** Conditions of S16, under which a run disrupts nodes. */
export type RunCondition =
  | "cancelled"
  | "outside-window"
  | "deadline"
  /** Nodes have joined or left, and the policy forbids that. */
  | "membership-changed"
  /** The run does not hold the cluster lock. */
  | "lease-lost";

/** Quorum of a number of voters. */
export function countQuorum(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** The numbers for users: `3 voters, 3 healthy, quorum 2; without this one 2`. */
export function arithmetic(facts: EtcdFacts, member: string): string {
  const voters = facts.members.filter(({ learner }) => !learner);
  return `${voters.length} voters, ${facts.healthy.length} healthy, quorum ${
    countQuorum(voters.length)
  }; without this one ${countLeft(facts, member)}`;
}

/** The same for the removal of a member: `…; without this one 2 voters, 2 healthy, quorum 2`. */
export function removalArithmetic(facts: EtcdFacts, member: string): string {
  const voters =
    facts.members.filter(({ id, learner }) => !learner && id !== member).length;
  const [before] = arithmetic(facts, member).split(";");
  const left = countLeft(facts, member);
  return `${before}; without this one ${voters} voters, ${left} healthy, quorum ${
    countQuorum(voters)
  }`;
}

/** Healthy voters without a member, and without those whose nodes are about to stop. */
function countLeft(
  { healthy, leaving = [] }: EtcdFacts,
  member: string,
): number {
  return healthy.filter((id) =>
    id !== member && !leaving.some((one) => one.id === id)
  ).length;
}

/** Reports whether an effect removes a member from the list, subject to {@linkcode mayBeRemoved}. */
export function removesMember(effect: QuorumEffect): boolean {
  return effect === "leaves-forever" || effect === "leaves-and-rejoins";
}

function refusal(
  rule: Refusal["rule"],
  reason: string,
  allowance: Allowance,
  passing: boolean,
): Refusal {
  return { rule, reason, allowance, passing };
}

/** Reports whether a voter may be unavailable for a while; `undefined` when it may. */
export function mayLeave(
  facts: EtcdFacts,
  member: string,
  allowed: ReadonlySet<Allowance>,
): Refusal | undefined {
  if (allowed.has("etcd-quorum")) return undefined;
  const voters = facts.members.filter(({ learner }) => !learner);
  if (voters.length === 0) {
    return refusal(
      "S1",
      [
        "no control plane reports its etcd state",
        ...silences(facts),
        ...facts.doubts,
      ].join("; "),
      "etcd-quorum",
      mayPass(facts),
    );
  }
  const numbers = arithmetic(facts, member);
  if (voters.length === 1) {
    if (allowed.has("single-member-downtime")) return undefined;
    return refusal(
      "S3",
      `etcd has only one member: while it is down, so is the Kubernetes API`,
      "single-member-downtime",
      false,
    );
  }
  if (voters.length === 2) {
    return refusal(
      "S4",
      `etcd has two members and loses its quorum if either is down (${numbers})`,
      "etcd-quorum",
      false,
    );
  }
  if (countLeft(facts, member) < countQuorum(voters.length)) {
    return refusal(
      "S1",
      withStopped(`etcd would lose its quorum: ${numbers}`, facts, member),
      "etcd-quorum",
      mayPass(facts),
    );
  }
  const doubt = findDoubt(facts, voters.length, member);
  if (doubt === undefined || allowed.has("degraded-etcd")) return undefined;
  const reason = `${doubt} (${numbers})`;
  return refusal("S1", reason, "degraded-etcd", mayPass(facts));
}

/** Alarms of etcd and their cure, for users; they stay until somebody acts. */
export function alarmText(alarms: readonly string[]): string {
  const cure = alarms.includes("CORRUPT")
    ? "replace the member whose data is damaged: osctl etcd alarm list"
    : "run osctl etcd defrag and osctl etcd alarm disarm";
  return `etcd has the alarm ${alarms.join(", ")}; ${cure}`;
}

/**
 * Reports whether waiting may help: not when every member is healthy, or stopped until it is started, and not while
 * there is an alarm.
 */
function mayPass(facts: EtcdFacts): boolean {
  const { members, silent, alarms, over = [] } = facts;
  if (alarms.length > 0) return false;
  return over.length === 0 ||
    countLeft(facts, "") + over.length < members.length ||
    silent.some((node) => !over.includes(node));
}

function withStopped(
  reason: string,
  facts: EtcdFacts,
  member: string,
): string {
  const { alarms, stopped = [] } = facts;
  return [
    ...alarms.length === 0 ? [] : [alarmText(alarms)],
    reason,
    ...silences({ ...facts, silent: stopped }),
    ...listLeaving(facts, member),
  ].join("; ");
}

/** Nodes of other members that are about to stop, for users: `10.0.0.4 is rebooting`. */
function listLeaving(
  { leaving = [] }: EtcdFacts,
  member: string,
): readonly string[] {
  return leaving.filter(({ id }) => id !== member)
    .map(({ node, stage }) => `${node} is ${stage}`);
}

/**
 * Reports whether a voter may be removed from the member list.
 *
 * The current members must agree to it, and the remaining healthy ones must be a quorum of the remaining list.
 *
 * @returns `undefined` when it may.
 */
export function mayBeRemoved(
  facts: EtcdFacts,
  member: string,
  allowed: ReadonlySet<Allowance>,
): Refusal | undefined {
  if (allowed.has("etcd-quorum")) return undefined;
  const voters = facts.members.filter(({ learner }) => !learner).length;
  if (voters === 0) return mayLeave(facts, member, allowed);
  const allowance = "etcd-quorum";
  if (voters === 1) {
    const reason =
      "it is the only etcd member and has the only copy of the cluster's data";
    return refusal("S3", reason, allowance, false);
  }
  const numbers = arithmetic(facts, member);
  const agree = facts.healthy.length >= countQuorum(voters);
  if (!agree || countLeft(facts, member) < countQuorum(voters - 1)) {
    const reason = `the ${
      voters - 1
    } remaining members would have no quorum: ${numbers}`;
    return refusal(
      "S1",
      withStopped(reason, facts, member),
      allowance,
      mayPass(facts),
    );
  }
  const doubt = findDoubt(facts, voters, member);
  if (doubt === undefined || allowed.has("degraded-etcd")) return undefined;
  const reason = `${doubt} (${numbers})`;
  return refusal("S1", reason, "degraded-etcd", mayPass(facts));
}

/**
 * Members that do not answer, for users: `etcd of 10.0.0.4 does not answer`.
 *
 * Only where no member is known, there may be none yet to start.
 */
export function silences(
  { members, silent, stopped = [], over = [] }: EtcdFacts,
): string[] {
  return silent.map((node) => {
    if (!stopped.includes(node)) return `etcd of ${node} does not answer`;
    const reason = `etcd is not running on ${node}`;
    const start = `start it with "osctl service etcd start -n ${node}"`;
    if (members.length === 0) {
      return `${reason}: ${start}, or, in a new cluster, run osctl bootstrap`;
    }
    return over.includes(node) ? `${reason}: ${start}` : reason;
  });
}

function findDoubt(
  facts: EtcdFacts,
  voters: number,
  member: string,
): string | undefined {
  const { members, healthy, alarms, doubts } = facts;
  if (alarms.length > 0) return alarmText(alarms);
  const learner = members.find((one) => one.learner);
  if (learner !== undefined) {
    return `member ${learner.name || learner.id} is still a learner`;
  }
  const unstarted = members.find(({ name }) => name === "");
  if (unstarted !== undefined) return `member ${unstarted.id} never started`;
  const others = voters - (healthy.includes(member) ? 0 : 1);
  // When all others are healthy, the silent one is this one.
  const isOwn = others < voters && healthy.length === others &&
    facts.silent.length === 1;
  const reasons = [
    ...isOwn ? [] : silences(facts),
    ...listLeaving(facts, member),
    ...doubts,
  ];
  if (reasons.length > 0) return reasons.join("; ");
  return healthy.length < others
    ? "not all etcd members are healthy"
    : undefined;
}
