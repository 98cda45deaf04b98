/** Flags of `support` for the encryption of its archive. */

import { UsageError } from "../errors.ts";
import type { Environment } from "../terminal/environment.ts";
import { type Encrypt, encryptionTo } from "../pki/age.ts";
import { stringArray, toggle, type Values } from "./_kit/mod.ts";

/** Variable with the recipients of every archive, separated by commas. */
const variable = "OSCTL_SUPPORT_RECIPIENTS";

/** Flags that choose who can read the archive. */
export const encryptionInputs = {
  encryptionRecipients: stringArray(
    "encrypt to this public key of age or SSH; can be repeated",
  ),
  encryptionNoDefaultRecipients: toggle(`ignore $${variable}`),
  noEncryption: toggle(`do not encrypt, also with $${variable}`),
};

interface ArchiveEncryption {
  readonly recipients: readonly string[];
  readonly encrypt: Encrypt;
}

/**
 * Finds the encryption of an archive; `undefined` for none, the default without recipients.
 *
 * @throws {UsageError} If flags contradict each other, or a recipient is not a public key.
 */
export function chooseEncryption(
  {
    encryptionRecipients: given,
    encryptionNoDefaultRecipients: isOnly,
    noEncryption,
  }: Values<typeof encryptionInputs>,
  { env }: Pick<Environment, "env">,
): ArchiveEncryption | undefined {
  if (noEncryption) {
    if (!isOnly && given.length === 0) return undefined;
    throw new UsageError(
      "Flag --no-encryption cannot be combined with --encryption-recipients or --encryption-no-default-recipients",
    );
  }
  if (isOnly && given.length === 0) {
    throw new UsageError(
      "Flag --encryption-no-default-recipients requires --encryption-recipients",
    );
  }
  const configured = isOnly ? "" : env(variable) ?? "";
  const recipients = [...configured.split(","), ...given]
    .map((one) => one.trim()).filter((one) => one !== "");
  if (recipients.length === 0) return undefined;
  return { recipients, encrypt: encryptionTo(recipients) };
}
