/** What becomes of files that are there already. */

import { backupPath } from "../../config/files/exists.ts";
import type { NewFile } from "../../config/files/file_set.ts";
import {
  type ClusterIdentity,
  type ExistingFile,
  identityText,
  isSameCluster,
} from "../../config/generate/identity.ts";
import { ConfigError } from "../../errors.ts";

/**
 * Makes the error that says why files are not replaced.
 *
 * @param existing At least one file.
 * @param made Cluster of the new files; `undefined` when it would be a new one.
 */
export function takenError(
  existing: readonly ExistingFile[],
  made: ClusterIdentity | undefined,
): ConfigError {
  const names = existing.map(({ path }) => `"${path}"`).join(", ");
  const state = existing.length === 1 ? "it exists" : "they exist";
  const start = `Cannot write ${names}: ${state} already`;
  const others = existing.filter(({ identity }) =>
    isKnown(identity) && !belongsTo(identity, made)
  );
  if (others.length === 0) {
    return new ConfigError(start, { hint: "Replace with --force" });
  }
  const lines = [
    `${start}, and not for the same cluster`,
    ...others.map(({ path, identity }) =>
      `  ${path}: ${identityText(identity)}`
    ),
    `  new: ${made ? identityText(made) : "a cluster with secrets made now"}`,
  ];
  return new ConfigError(lines.join("\n"), {
    hint:
      "Give the secrets of that cluster with --with-secrets, or replace with --force, which keeps dated copies",
  });
}

/**
 * Makes copies of files whose secrets would be lost, whatever is not known to be of the same cluster.
 *
 * @param existing Files that are to be replaced.
 * @param made Cluster of the new files.
 * @param now Present moment, which becomes part of the names.
 * @returns Files to write beside the others.
 */
export async function copiesOf(
  existing: readonly ExistingFile[],
  made: ClusterIdentity,
  now: Date,
): Promise<readonly NewFile[]> {
  const lost = existing.filter(({ identity, content }) =>
    content.length > 0 && !belongsTo(identity, made)
  );
  return await Promise.all(lost.map(async ({ path, content }) => ({
    path: await backupPath(path, now),
    content,
  })));
}

function isKnown({ id, fingerprint }: ClusterIdentity): boolean {
  return id !== undefined || fingerprint !== undefined;
}

function belongsTo(
  identity: ClusterIdentity,
  made: ClusterIdentity | undefined,
): boolean {
  return made !== undefined && isSameCluster(identity, made);
}
