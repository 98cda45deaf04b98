/** The safety rules of changes, by the codes that refusals name. */

/** A rule that no change may break unless it is overridden. */
export interface SafetyRule {
  /** Code, as refusals, plans and reports name it: `S8`. */
  readonly code: string;
  /** What it asks for, one sentence without a period. */
  readonly summary: string;
  /** Why it exists, and what to do when it refuses, without a period at its end. */
  readonly advice: string;
  /** Values of `--allow` that override it; empty when nothing does. */
  readonly allow: readonly string[];
}

/** Every rule, by its number. */
export const safetyRules: readonly SafetyRule[] = [
  {
    code: "S1",
    summary: "Control planes are disrupted only while etcd can lose a member",
    advice:
      "All voters must be healthy and listed alike by every control plane, without alarms, learners and unstarted members, and a majority must stay healthy without the node. Repair etcd first: osctl etcd status, osctl etcd members",
    allow: ["degraded-etcd", "etcd-quorum"],
  },
  {
    code: "S2",
    summary: "At most one control plane is disrupted at a time",
    advice:
      "Control planes that are down for other reasons count too. Wait until they are back, or repair them",
    allow: ["etcd-quorum"],
  },
  {
    code: "S3",
    summary: "The only etcd member is not disrupted",
    advice:
      "The API is down until the node is back, and its data exists only once. Take a snapshot first: osctl etcd snapshot",
    allow: ["single-member-downtime"],
  },
  {
    code: "S4",
    summary: "One of two etcd members is not disrupted",
    advice:
      "With two voters the quorum is two, so any restart stops the API. Add a third control plane",
    allow: ["etcd-quorum"],
  },
  {
    code: "S5",
    summary: "The etcd leader comes last, and hands over before it restarts",
    advice: "osctl orders the nodes itself; nothing needs to be done",
    allow: [],
  },
  {
    code: "S6",
    summary: "A second installation in the same boot is refused",
    advice:
      "It would overwrite the system that a rollback needs. Reboot the node, then upgrade again",
    allow: [],
  },
  {
    code: "S7",
    summary: "A node whose installation is in doubt is not installed again",
    advice: "Reboot the node, which shows which system it starts",
    allow: [],
  },
  {
    code: "S8",
    summary: "Upgrades go forward by at most one minor version",
    advice:
      "Downgrades are refused, and so are versions that do not support the Kubernetes version in use. Upgrade over each minor version in between",
    allow: ["version-path"],
  },
  {
    code: "S9",
    summary:
      "An installer image keeps schematic, extensions and kernel arguments",
    advice:
      "The node would lose drivers or settings. Use the image of the same schematic in the new version",
    allow: ["image-identity"],
  },
  {
    code: "S10",
    summary: "A node that comes back on its old version is not upgraded again",
    advice:
      "It has rolled back, as the new system did not start. Read the console or osctl dmesg before another try",
    allow: [],
  },
  {
    code: "S11",
    summary: "An old CA is dropped only when every member uses the new one",
    advice:
      "Bring back the nodes that still use the old CA, or remove those that are gone for good from the cluster",
    allow: [],
  },
  {
    code: "S12",
    summary: "Keys are in the vault of the run before they are sent anywhere",
    advice: "Otherwise a crash would lose them. Make the vault writable",
    allow: [],
  },
  {
    code: "S13",
    summary: "etcd is bootstrapped on one node, and no other node has its data",
    advice:
      "A second cluster would split the data. Wipe the other node with osctl reset, or declare it dead if it never comes back",
    allow: [],
  },
  {
    code: "S14",
    summary:
      "Data is destroyed only after a typed approval and with a verified copy",
    advice:
      "Approve the step with --yes-destructive, and give or let the run take a snapshot",
    allow: ["destroy-etcd-data"],
  },
  {
    code: "S15",
    summary: "Only changes of this run are undone",
    advice:
      "Nodes that another user cordoned stay cordoned, and CAs that were there before stay",
    allow: [],
  },
  {
    code: "S16",
    summary:
      "No new disruption without the lock, outside the window, or by old facts",
    advice:
      "The run continues by itself when it has the lock, the window is open and the nodes were read in the last 15 s",
    allow: [],
  },
  {
    code: "S17",
    summary: "A node that is being reset is not restarted",
    advice: "Wait until the reset has finished",
    allow: [],
  },
];
