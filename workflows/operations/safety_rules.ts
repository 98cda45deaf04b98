/** Safety rules of changes, by code. */

/** A rule that no change may violate unless it is overridden. */
export interface SafetyRule {
  /** Code in refusals, plans and reports: `S8`. */
  readonly code: string;
  /** Requirement, one sentence without a period. */
  readonly summary: string;
  /** Reason for the rule, and what to do about a refusal, without a period at its end. */
  readonly advice: string;
  /** Values of `--allow`, and of `policy.allow` in runbooks, that override it; empty if none. */
  readonly allow: readonly string[];
  /** True when only a runbook can override it. */
  readonly runbooksOnly?: true;
}

/** Rules that a runbook may override. */
export const overridableRules = [
  "degraded-etcd",
  "etcd-quorum",
  "single-member-downtime",
  "version-path",
  "image-identity",
  "destroy-etcd-data",
] as const;

/** A rule that a runbook may override. */
export type OverridableRule = typeof overridableRules[number];

/** Finds the rules that a text names. */
export function findRules(text: string): readonly SafetyRule[] {
  const codes = new Set(text.match(/\bS\d+\b/g));
  return safetyRules.filter(({ code }) => codes.has(code));
}

/** Every rule, by its number. */
export const safetyRules: readonly SafetyRule[] = [
  {
    code: "S1",
    summary: "Control planes are disrupted only while etcd can lose a member",
    advice:
      "All voters, except possibly that of the node itself, must be healthy on nodes that are not about to stop, and every control plane must list the same members, with no alarms, learners or unstarted members, and the others must keep the quorum. Repair etcd first: osctl etcd status, osctl etcd members. --allow degraded-etcd permits the disruption if the others still have a quorum; --allow etcd-quorum skips all checks of etcd",
    allow: ["degraded-etcd", "etcd-quorum"],
  },
  {
    code: "S2",
    summary: "At most one control plane is disrupted at a time",
    advice:
      "The others wait for their turn; nothing needs to be done. Control planes that are already down count in S1. Runs with etcd-quorum do not wait",
    allow: ["etcd-quorum"],
    runbooksOnly: true,
  },
  {
    code: "S3",
    summary: "The only etcd member is not disrupted",
    advice:
      "The API is down until the node is back, and the data exists only once. Take a snapshot first: osctl etcd snapshot. A run must take it itself, with the module etcd.snapshot, also with --allow single-member-downtime. Only --allow etcd-quorum permits removing the member",
    allow: ["single-member-downtime", "etcd-quorum"],
  },
  {
    code: "S4",
    summary: "Neither of two etcd members is disrupted",
    advice:
      "With two voters the quorum is two, so any restart stops the API. Add a third control plane",
    allow: ["etcd-quorum"],
  },
  {
    code: "S5",
    summary:
      "A run disrupts the etcd leader only after it has handed over leadership",
    advice:
      "A run waits up to a minute for another leader, then fails. Put a step with etcd.forfeitLeadership before the disruption, or run osctl etcd forfeit-leadership and resume. Single commands do not check this",
    allow: ["etcd-quorum"],
    runbooksOnly: true,
  },
  {
    code: "S6",
    summary: "A second installation in the same boot is refused",
    advice:
      "It would overwrite the system that a rollback needs. If an installer is still running, wait. Otherwise reboot the node, then upgrade again",
    allow: [],
  },
  {
    code: "S7",
    summary:
      "A node is not installed again after an installation that failed or has an unknown result",
    advice: "Reboot the node to see which version starts, then upgrade again",
    allow: [],
  },
  {
    code: "S8",
    summary: "Upgrades go forward by at most one minor version",
    advice:
      "Downgrades are refused, and so are versions that do not support the Kubernetes version in use. Upgrade to each minor version in between, and Kubernetes when it is too old",
    allow: ["version-path"],
  },
  {
    code: "S9",
    summary:
      "An installer image keeps extensions, kernel arguments, Secure Boot and platform",
    advice:
      "The node would lose drivers or settings, or not boot. Use the image of the same schematic in the new version",
    allow: ["image-identity"],
  },
  {
    code: "S10",
    summary:
      "A node that comes back on its old version fails, and is not upgraded again until you say so",
    advice:
      "It has rolled back because the new version did not start. Read the console or osctl dmesg, then upgrade again or resume the run",
    allow: [],
  },
  {
    code: "S11",
    summary: "An old CA is dropped only when every member uses the new one",
    advice:
      "Bring back the nodes that still use the old CA, or remove from the cluster those that are gone for good",
    allow: [],
  },
  {
    code: "S12",
    summary: "Keys are in the vault of the run before they are sent anywhere",
    advice:
      "Otherwise a crash would lose them. If the vault cannot be written, make the folder of the run writable and resume",
    allow: [],
  },
  {
    code: "S13",
    summary: "etcd is bootstrapped on one node, and no other node has its data",
    advice:
      "A second bootstrap would create a second etcd cluster. Wipe the other node with osctl reset. Bring back a node that does not report whether it has data; if it is gone for good, declare it dead in the runbook, or pass --force to osctl bootstrap",
    allow: [],
  },
  {
    code: "S14",
    summary:
      "A run destroys data only after a destructive approval, and with a copy",
    advice:
      "The approval is valid for an hour: answer it on the terminal, with osctl runbook approve or with --yes-destructive. The run must also have taken or chosen a snapshot. destroy-etcd-data waives the copy, never the approval",
    allow: ["destroy-etcd-data"],
    runbooksOnly: true,
  },
  {
    code: "S15",
    summary: "Only changes of this run are undone",
    advice:
      "Nodes that another user cordoned stay cordoned, and CAs that were there before stay. A new CA that a node already issues certificates with is not undone: continue until the old one is dropped",
    allow: [],
  },
  {
    code: "S16",
    summary:
      "A run disrupts nodes only with the cluster lock, in its window, and before its deadline",
    advice:
      "It waits for the window without a limit, and up to 15 minutes for a lock that cannot be renewed. It ends if it was stopped, if another process has the lock, if its deadline has passed, or if nodes joined or left although its policy forbids that. Resume it with osctl runbook resume; after the deadline, start a new run",
    allow: [],
  },
  {
    code: "S17",
    summary: "A node that is being reset is not restarted",
    advice:
      "A reboot would leave it partly wiped. Wait until the reset has finished",
    allow: [],
  },
  {
    code: "S18",
    summary:
      "A single command disrupts nodes only while no run has the lock on the cluster",
    advice:
      "The run relies on the other nodes. Wait for it, or stop it: osctl runbook status, osctl runbook stop. If its process died, resume it or abort it. A run that was stopped or waits for an approval without a process does not count",
    allow: ["cluster-lock"],
  },
];
