/** The secrets bundle of a site. */

import { readProgram } from "../../lib/run_program.ts";
import { parseSecrets } from "../../config/generate/secrets_file.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { writeDocuments } from "../../config/tree/write.ts";
import { readStat } from "../../lib/files/atomic_file.ts";
import { ConfigError } from "../../errors.ts";
import type { Site } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";
import { isEncrypted, parseSecretFile } from "../../config/sops/file.ts";
import { readSiteText } from "./site_file.ts";

/** Secrets, and what to say of them. */
interface SiteSecrets {
  readonly bundle: SecretsBundle;
  /** A file that others can read; `undefined` if there is no warning. */
  readonly warning?: string;
}

/** Reads the secrets bundle. Throws `ConfigError` if there is none, or it is not valid. */
export async function readSiteSecrets(
  { secrets, clusterName }: Site,
  environment: SiteEnvironment,
): Promise<SiteSecrets> {
  if ("program" in secrets) {
    const { program } = secrets;
    const args = ["secrets", "get", clusterName];
    const text = await readProgram(program, args, environment);
    if (text.trim() !== "") {
      return { bundle: await parseSecrets(text, `${program} secrets get`) };
    }
    throw new ConfigError(
      `"${program}" has no secrets of cluster "${clusterName}"`,
      {
        hint:
          `Store some: osctl gen secrets -o - | ${program} secrets put ${clusterName}`,
      },
    );
  }
  const { path } = secrets;
  const stat = await readStat(path);
  if (stat === undefined) {
    throw new ConfigError(`There are no secrets: "${path}" does not exist`, {
      hint: `Create them with: osctl gen secrets -o ${path}`,
    });
  }
  const text = await readSiteText(path, "a secrets bundle");
  const documents = await parseSecretFile(text, path, environment);
  const plain = writeDocuments(documents.map(({ root }) => root));
  const isOpen = environment.os !== "windows" && (stat.mode ?? 0) & 0o077 &&
    !isEncrypted(text, path);
  return {
    bundle: await parseSecrets(plain, path),
    ...isOpen && {
      warning:
        `"${path}" is not encrypted, and other users can read it: chmod 600 ${path}`,
    },
  };
}
