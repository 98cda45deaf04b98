/** New files, of which some have secrets. */

import { inFolder } from "../../lib/files/atomic_file.ts";
import type { NewFile } from "../../lib/files/file_set.ts";
import { encryptByRule } from "./file.ts";
import type { SecretEnvironment } from "./resolve.ts";

/**
 * Encrypts those files with secrets for which a rule says so.
 *
 * @param files New files, with paths in the folder.
 * @param secretPaths Paths of those with secrets.
 * @returns The files with their whole paths, and which of the secrets are not encrypted: git ignores these.
 */
export async function encryptFiles(
  folder: string,
  files: readonly NewFile[],
  secretPaths: readonly string[],
  environment: SecretEnvironment,
): Promise<{
  readonly files: readonly NewFile[];
  readonly plainPaths: readonly string[];
}> {
  const encrypted: NewFile[] = [];
  const plain = new Set<string>();
  for (const file of files) {
    const path = inFolder(folder, file.path);
    const text = secretPaths.includes(file.path)
      ? await encryptByRule(String(file.content), path, environment)
      : file.content;
    if (text === undefined) plain.add(file.path);
    encrypted.push({ path, content: text ?? file.content });
  }
  const plainPaths = secretPaths.filter((path) => plain.has(path));
  if (plainPaths.length === 0) return { files: encrypted, plainPaths };
  const lines = plainPaths.map((path) => `${path}\n`);
  const content = `# Not encrypted.\n${lines.join("")}`;
  encrypted.push({ path: inFolder(folder, ".gitignore"), content });
  return { files: encrypted, plainPaths };
}
