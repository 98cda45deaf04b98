/** Invariants of rehearsed runs, and their results. */

/** Invariants by id, each in a sentence. */
export const invariants = {
  I1: "The run never causes a loss of quorum",
  I2: "The run never takes two control planes down at once",
  I3: "Each node restarts at most once, or for a reason in the journal",
  I4: "Each node always has a bootable image known to be good",
  I5: "The run leaves no healthy node cordoned",
  I6: "At any time, some credential in the vault works for each node",
  I7: "There are never two etcd clusters",
  I8: "Nothing is destroyed without a verified copy on this machine",
  I9: "Journal, events, files and terminal contain no secret",
  I10: "The journal replays to the state the process reported",
  I11: "The report lists each target exactly once",
  I12: "Resuming a finished run changes nothing",
} as const;

/** Id of an invariant. */
export type InvariantId = keyof typeof invariants;

/** Ids of the invariants, in order. */
// The keys are those of the constant above.
export const invariantIds = Object.keys(invariants) as readonly InvariantId[];

/** Result of an invariant in a run. */
export interface InvariantResult {
  readonly id: InvariantId;
  /** `unchecked`: it did not apply, or was not requested. */
  readonly state: "held" | "violated" | "unchecked";
  /** Observations, one line each; not empty when violated. */
  readonly evidence: readonly string[];
}

/** Result without the id. */
export type InvariantFinding = Omit<InvariantResult, "id">;

/** Finding for an invariant that does not apply. */
export const unchecked: InvariantFinding = { state: "unchecked", evidence: [] };

/** Makes a finding from violations. `wrong`: observations, one line each; duplicates are removed. */
export function foundFrom(wrong: Iterable<string>): InvariantFinding {
  const evidence = [...new Set(wrong)];
  return { state: evidence.length === 0 ? "held" : "violated", evidence };
}

/** Adds the id. */
export function findResult(
  id: InvariantId,
  found: InvariantFinding,
): InvariantResult {
  return { id, ...found };
}
