/** Files that are no machine configuration are refused, before anything is done with them. */

import { misread } from "../../lib/text/misread.ts";
import { apiVersion, clashes, type Loaded, mainKind } from "./load.ts";
import { refuse } from "./problem.ts";

/**
 * Holds back documents that cannot be known apart; what else is wrong in them is kept as it is, since a
 * newer node may know it, and it does no harm.
 *
 * @param subject What cannot be used: `"controlplane.yaml"`.
 * @throws {ConfigError} Naming documents without a kind, and those that exclude each other.
 */
export function requireDistinct(
  { documents, problems }: Loaded,
  subject: string,
): void {
  const nameless = problems.filter(({ identity }) => identity === "");
  refuse(subject, [...nameless, ...clashes(documents)]);
}

/**
 * Holds back a file that is no machine configuration at all: an empty one, one of something else, and as
 * {@linkcode requireDistinct} does.
 *
 * @param file Its name for messages.
 * @throws {ConfigError} Saying what it is.
 */
export function requireConfiguration(loaded: Loaded, file: string): void {
  const { documents, problems } = loaded;
  if (documents.length === 0 && problems.length === 0) {
    throw misread(
      file,
      undefined,
      "it is empty",
      "Create a configuration with: osctl gen config",
    );
  }
  requireDistinct(loaded, `"${file}"`);
  const isOther = documents.every((one) =>
    one.kind !== mainKind && one.apiVersion !== apiVersion
  );
  if (isOther) refuse(`"${file}"`, problems);
}
