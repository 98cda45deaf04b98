import { ConfigError, UsageError } from "../../errors.ts";
import { changedFields } from "../../config/osconfig/same_context.ts";
import { silently, text, word } from "../_kit/mod.ts";
import {
  changeOsconfig,
  checkContextArgument,
  withContext,
} from "../_session/osconfig.ts";
import type { ClientContext } from "../../config/osconfig/osconfig.ts";
import { readPemFile } from "../../lib/files/pem_file.ts";
import { diagnoseClientIdentity } from "../../pki/diagnose.ts";
import { inspectCertificate } from "../../pki/inspect.ts";
import { exportPublicSpki } from "../../pki/key.ts";
import { decodePemAs, pemLabel } from "../../pki/pem.ts";

const inputs = {
  context: word("name of the context"),
  ca: text("CA certificate that signs the nodes' certificates, PEM", {
    complete: "files",
  }),
  crt: text("client certificate, PEM", { complete: "files" }),
  key: text("key of the client certificate, PEM", { complete: "files" }),
};

export const command = silently({
  summary: "Add a context",
  description:
    `Checks that certificate and key match. If the context exists, its certificates are replaced and everything else, such
as endpoints and nodes, is kept. The current context does not change.`,
  inputs,
  examples: [
    "config add production --ca ca.crt --crt admin.crt --key admin.key",
  ],
  async work({ input, globals, environment, signal, note }) {
    const { context: name, ...files } = input;
    checkContextArgument(name, "config add", globals);
    if ((files.crt === undefined) !== (files.key === undefined)) {
      const [has, lacks] = files.crt === undefined
        ? ["key", "crt"]
        : ["crt", "key"];
      throw new UsageError(`Flag --${has} is given, --${lacks} is not`, {
        hint: "Give both the certificate and its key",
      });
    }
    const identity = await readIdentity(files, {
      now: environment.now(),
      noExpiryWarning: globals.noExpiryWarning,
      note,
    });
    let replaced: readonly string[] = [];
    await changeOsconfig({ globals, environment, signal }, (config) => {
      const present = config.contexts.get(name);
      const before = present ?? { endpoints: [], nodes: [] };
      const context = { ...before, ...identity };
      replaced = present ? changedFields(present, context) : [];
      return withContext(config, name, context);
    });
    if (replaced.length > 0) {
      const fields = replaced.join(", ");
      note(`replaced ${fields} of context "${name}"; kept everything else`);
    }
  },
});

/** Context of the check. */
interface IdentityCheck {
  readonly now: Date;
  /** `--no-expiry-warning`: warns only of files that are unusable. */
  readonly noExpiryWarning: boolean;
  /** Prints warnings. */
  readonly note: (text: string) => void;
}

/**
 * Reads the files of an identity.
 *
 * @param files Paths; `crt` and `key` both or none.
 * @param options Current time, and the note for warnings.
 * @returns Base64 of the given files, as in a context.
 * @throws {ConfigError} Naming the missing or invalid file.
 */
export async function readIdentity(
  files: Readonly<Record<"ca" | "crt" | "key", string | undefined>>,
  { now, noExpiryWarning, note }: IdentityCheck,
): Promise<Pick<ClientContext, "ca" | "crt" | "key">> {
  // One at a time, so that errors are deterministic.
  const ca = await readChecked(files.ca, checkCas);
  const crt = await readChecked(files.crt, checkCertificate);
  const key = await readChecked(files.key, exportPublicSpki);
  if (crt !== undefined) {
    const findings = await diagnoseClientIdentity({ ca, crt, key, now });
    for (const { cause, severity, message, hint } of findings) {
      if (cause === "client-key-mismatch") {
        throw new ConfigError(
          `Cannot use "${files.key}": it is not the key of "${files.crt}"`,
          { hint: "Give a certificate and the key that belongs to it" },
        );
      }
      if (severity === "warning" && noExpiryWarning) continue;
      note(`warning: ${message}`);
      note(`hint: ${hint}`);
    }
  }
  return {
    ...(ca && { ca: ca.toBase64() }),
    ...(crt && { crt: crt.toBase64() }),
    ...(key && { key: key.toBase64() }),
  };
}

async function readChecked(
  path: string | undefined,
  check: (pem: Uint8Array) => unknown,
): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined;
  return await readPemFile(path, async (pem) => {
    await check(pem);
    return pem;
  });
}

function checkCertificate(pem: Uint8Array): void {
  inspectCertificate(decodePemAs(pemLabel.certificate, pem)[0]);
}

function checkCas(pem: Uint8Array): void {
  const certificates = decodePemAs(pemLabel.certificate, pem);
  if (certificates.map(inspectCertificate).every(({ isCa }) => isCa)) return;
  throw new ConfigError("It is not a CA certificate", {
    hint: "Give the CA certificate, not one signed by it",
  });
}
