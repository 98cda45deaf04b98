/** Source of an etcd recovery: the operator's file, or the newest salvaged copy. */

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

/** A database copied from a node. */
export interface CopiedDatabase {
  readonly node: string;
  readonly file: string;
  readonly sha256: string;
  readonly revision: number;
  /** Time it was copied, ISO 8601. */
  readonly takenAt: string;
}

interface RecoverySource {
  /** File name in the artifacts folder. */
  readonly file: string;
  readonly sha256: string;
  readonly revision: number;
  /** Time it was taken, ISO 8601. */
  readonly takenAt: string;
  /** True when it ends with a valid checksum. */
  readonly verified: boolean;
  /** True when it was copied from a node. */
  readonly salvaged: boolean;
  /** Its node; empty for the operator's file. */
  readonly node: string;
  /** Node with a newer copy than the operator's file; empty if there is none. */
  readonly newer: string;
}

const databasePath = "/var/lib/etcd/member/snap/db";

/**
 * Copies the database of a node. etcd may be running; a copy torn by that is discarded. Source: `MachineService.Read`.
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
  /** The operator's file; `undefined` for the newest copy. */
  readonly given: string | undefined;
  readonly candidates: readonly CopiedDatabase[];
  readonly artifacts: string;
  readonly signal: AbortSignal;
}

/**
 * Chooses the source, and verifies that it is on this machine and complete (S14).
 *
 * @throws {ConfigError} If there is none.
 * @throws {OsctlError} If the operator's file is damaged; the hint names the newest copy.
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
  const { file, sha256, status } = await copySource(
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

async function copySource(
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

/** Facts of a copy for users: `revision 12, 3 keys`. */
export function copyText({ revision, totalKeys }: SnapshotStatus): string {
  const keys = totalKeys === null ? "many" : totalKeys;
  return `revision ${revision}, ${keys} keys`;
}
