/** What etcd is rebuilt from: the file of the operator, or the newest copy that was salvaged. */

import { ConfigError, OsctlError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { payload } from "../../../transport/call/payload.ts";
import {
  copyVerified,
  fileBytes,
  type VerifiedFile,
  writtenAt,
} from "../snapshot/snapshot_file.ts";
import type { SnapshotStatus } from "../snapshot/verify.ts";

/** A database that was copied from a node. */
export interface CopiedDatabase {
  readonly node: string;
  readonly file: string;
  readonly sha256: string;
  readonly revision: number;
  /** When it was copied, ISO 8601. */
  readonly takenAt: string;
}

interface RecoverySource {
  /** The file, in the folder of artifacts. */
  readonly file: string;
  readonly sha256: string;
  readonly revision: number;
  /** When it was taken, ISO 8601. */
  readonly takenAt: string;
  /** Whether it ends with its own checksum, which is right. */
  readonly verified: boolean;
  /** Whether it was copied from a node. */
  readonly salvaged: boolean;
  /** Node it is from; empty for the file of the operator. */
  readonly node: string;
  /** Node whose copy is newer than the file of the operator; empty when there is none. */
  readonly newer: string;
}

const databasePath = "/var/lib/etcd/member/snap/db";

/**
 * Copies the database of a node; etcd may run meanwhile, and a copy that is torn by that is not kept.
 * RecoverySource: `MachineService.Read`.
 *
 * @throws {OsctlError} If the node has none, or it is damaged.
 */
export async function salvageDatabase(
  { machine }: Pick<NodeClient, "machine">,
  path: string,
  signal: AbortSignal,
): Promise<VerifiedFile> {
  const sent = payload(machine.read({ path: databasePath }, { signal }));
  return await copyVerified(sent, path, signal);
}

interface SourceChoice {
  /** File of the operator; `undefined` for the newest copy. */
  readonly given: string | undefined;
  readonly candidates: readonly CopiedDatabase[];
  readonly artifacts: string;
  readonly signal: AbortSignal;
}

/**
 * Chooses, and makes sure that what was chosen is on this machine and whole (S14).
 *
 * @throws {ConfigError} If there is nothing.
 * @throws {OsctlError} If the file of the operator is damaged; the hint names the newest copy.
 */
export async function chooseSource(
  choice: SourceChoice,
): Promise<RecoverySource> {
  const { given, candidates } = choice;
  const newest = candidates.toSorted((a, b) => b.revision - a.revision)[0];
  if (given !== undefined) return await givenSource(choice, given, newest);
  if (newest === undefined) {
    throw new ConfigError(
      "Nothing to recover etcd from: no node has an intact database",
      { hint: "Give a snapshot to recover from" },
    );
  }
  const { node, file, sha256, revision, takenAt } = newest;
  return {
    file,
    sha256,
    revision,
    takenAt,
    verified: false,
    salvaged: true,
    node,
    newer: "",
  };
}

async function givenSource(
  { artifacts, signal }: SourceChoice,
  given: string,
  newest: CopiedDatabase | undefined,
): Promise<RecoverySource> {
  const { file, sha256, status } = await copied(
    given,
    `${artifacts}/source.snapshot`,
    { signal, newest },
  );
  const { revision, trailer } = status;
  return {
    file,
    sha256,
    revision,
    takenAt: await writtenAt(given) ?? new Date(0).toISOString(),
    verified: trailer === "valid",
    // Copies of a data directory never have a checksum.
    salvaged: trailer === "absent",
    node: "",
    newer: newest !== undefined && newest.revision > revision
      ? newest.node
      : "",
  };
}

async function copied(
  given: string,
  path: string,
  { signal, newest }: {
    readonly signal: AbortSignal;
    readonly newest: CopiedDatabase | undefined;
  },
): Promise<VerifiedFile> {
  try {
    return await copyVerified(fileBytes(given, signal), path, signal);
  } catch (error) {
    const isDamage = error instanceof OsctlError &&
      !(error instanceof ConfigError);
    if (!isDamage || newest === undefined) throw error;
    throw new OsctlError(`Cannot use "${given}": ${error.message}`, {
      cause: error,
      hint:
        `Start over without a snapshot to use the copy of ${newest.node}, revision ${newest.revision}`,
    });
  }
}

/** Facts of a copy for people: `revision 12, 3 keys`. */
export function copyText({ revision, totalKeys }: SnapshotStatus): string {
  const keys = totalKeys === null ? "many" : totalKeys;
  return `revision ${revision}, ${keys} keys`;
}
