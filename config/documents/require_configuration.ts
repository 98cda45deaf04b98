/** Refuses files that are not machine configurations before they are used. */

import { misread } from "../../lib/text/text_position.ts";
import { apiVersion, clashes, type Loaded, mainKind } from "./load.ts";
import { refuse } from "./problem.ts";

/**
 * Refuses documents of unclear identity; other errors are ignored, since a newer node may accept them.
 *
 * @param subject The invalid input: `"controlplane.yaml"`.
 * @throws {ConfigError} With documents without a kind, and conflicting ones.
 */
export function requireDistinct(
  { documents, problems }: Loaded,
  subject: string,
): void {
  const nameless = problems.filter(({ identity }) => identity === "");
  refuse(subject, [...nameless, ...clashes(documents)]);
}

/**
 * Refuses a file that is not a machine configuration: an empty or foreign one, and those refused by
 * {@linkcode requireDistinct}.
 *
 * @param file File name for messages.
 * @throws {ConfigError} With its actual kind.
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
