import { namesNodes } from "../_kit/globals.ts";
import {
  type CaFiles,
  caOfMachineConfig,
  caOfSecrets,
} from "../../config/osconfig/ca_source.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import type { Osconfig } from "../../config/osconfig/osconfig.ts";
import type { NamedContext } from "../../config/osconfig/select_context.ts";
import { ConfigError, OsctlError, UsageError } from "../../errors.ts";
import type { CertificateFacts } from "../../pki/inspect.ts";
import { parseRoles, type Role, splitRoles } from "../../pki/roles.ts";
import {
  type Command,
  type Context,
  relativeTime,
  strings,
  text,
  textual,
  type Values,
} from "../_kit/mod.ts";
import {
  changeOsconfig,
  chosenContext,
  withContext,
} from "../_session/osconfig.ts";
import { listPems, readLeaf } from "./_certificate.ts";
import { lifetimeFlag, requestCertificate } from "./_signer.ts";
import { readCa } from "../../pki/ca.ts";
import { issueCertificate } from "../../pki/certificate.ts";
import { diagnoseClientIdentity } from "../../pki/diagnose.ts";
import { exportPublicSpki, generateKey } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";

/** A renewed client certificate. */
interface RenewedRow {
  readonly context: string;
  readonly roles: readonly string[];
  /** Expiry of the previous certificate, ISO 8601; `null` if there was none, or it was unreadable. */
  readonly oldNotAfter: string | null;
  /** Expiry of the new certificate, ISO 8601. */
  readonly newNotAfter: string;
}

const inputs = {
  withSecrets: text("sign with the CA of this secrets bundle", {
    complete: "files",
  }),
  fromControlplaneConfig: text(
    "sign with the CA of this machine configuration",
    { complete: "files" },
  ),
  roles: strings("roles of the client", {
    shown: "those of the current certificate",
  }),
  crtTtl: lifetimeFlag(),
};

type RenewInputs = Values<typeof inputs>;

export const command = {
  summary: "Renew the client certificate of a context",
  description:
    `A control plane signs the new certificate if the current one has the role os:admin and has not expired. With a secrets
bundle or the machine configuration of a control plane, osctl signs it locally and contacts no node. The certificate must
be signed by the context's CA. The previous file is kept as .bak.`,
  inputs,
  writes: true,
  examples: [
    "config renew",
    "config renew --context production --with-secrets secrets.yaml",
    "config renew --from-controlplane-config controlplane.yaml --crt-ttl 720h",
  ],
  view: (_, environment) => textual((row) => describe(row, environment.now())),
  async *run(request) {
    const { input, globals, environment, signal, note } = request;
    checkSources(input);
    const context = await chosenContext(request);
    const old = readLeaf(listPems(context).crt);
    const roles = decodeRoles(input, context, old);
    const change = { globals, environment, signal };
    // Fails on a read-only file before anything is signed.
    await changeOsconfig(change, () => undefined);
    const issued = await issue(request, roles);
    await checkIssued(context, issued, { now: environment.now(), note });
    await changeOsconfig(
      change,
      (config) => replaceIdentity(config, context, issued),
    );
    yield {
      context: context.name,
      roles,
      oldNotAfter: old?.notAfter.toISOString() ?? null,
      newNotAfter: readLeaf(issued.crt)?.notAfter.toISOString() ?? "",
    };
  },
} satisfies Command<RenewedRow, RenewInputs>;

function checkSources(
  { withSecrets, fromControlplaneConfig }: RenewInputs,
): void {
  if (withSecrets === undefined || fromControlplaneConfig === undefined) return;
  throw new UsageError(
    "Flags --with-secrets and --from-controlplane-config cannot be combined",
    { hint: "Both hold the CA; give one of them" },
  );
}

function decodeRoles(
  { roles }: RenewInputs,
  { name }: NamedContext,
  old: CertificateFacts | undefined,
): readonly Role[] {
  if (roles.length > 0) return parseRoles(roles);
  const { known } = splitRoles(old?.subject.organizations ?? []);
  if (known.length > 0) return known;
  throw new ConfigError(
    `Cannot determine the roles of context "${name}": its certificate names none`,
    { hint: "Give them with --roles" },
  );
}

async function issue(
  { input, globals, environment, nodes }: Context<RenewInputs>,
  roles: readonly Role[],
): Promise<Issued> {
  const { withSecrets, fromControlplaneConfig, crtTtl: lifetimeMs } = input;
  const spec = { roles, lifetimeMs, now: environment.now() };
  if (withSecrets !== undefined) {
    const document = await documentAt(withSecrets);
    return issueLocally(caOfSecrets(document, withSecrets), spec);
  }
  if (fromControlplaneConfig !== undefined) {
    const path = fromControlplaneConfig;
    const document = await documentAt(path);
    return issueLocally(caOfMachineConfig(document, path), spec);
  }
  // Any control plane can sign, so the nodes of the context do not matter.
  const client = namesNodes(globals)
    ? await nodes.only("config renew")
    : await nodes.endpoint();
  const deadlineMs = globals.nodeTimeout;
  return await requestCertificate(client, { ...spec, deadlineMs });
}

async function documentAt(path: string): Promise<string> {
  const document = await readBoundedText({
    path,
    limitMib: 10,
    expected: "a secrets bundle or machine configuration",
  });
  if (document !== undefined) return document;
  throw new ConfigError(`Cannot read "${path}": no such file`);
}

function replaceIdentity(
  config: Osconfig,
  { name, ca }: NamedContext,
  { crt, key }: Issued,
): Osconfig {
  const present = config.contexts.get(name);
  if (present === undefined || present.ca !== ca) {
    throw new OsctlError(
      `Cannot renew the certificate of context "${name}": another process changed the context meanwhile`,
      { hint: "Try again" },
    );
  }
  return withContext(config, name, {
    ...present,
    crt: crt.toBase64(),
    key: key.toBase64(),
  });
}

function describe(row: RenewedRow, now: Date): string {
  const { context, roles, oldNotAfter, newNotAfter } = row;
  const old = oldNotAfter === null ? "none" : endText(oldNotAfter, now);
  return `Context:             ${context}
Roles:               ${roles.join(", ")}
Old certificate end: ${old}
New certificate end: ${endText(newNotAfter, now)}
`;
}

function endText(end: string, now: Date): string {
  return `${relativeTime(end, now)} (${end.slice(0, 10)})`;
}

/** A new certificate and its key. */
export interface Issued {
  readonly crt: Uint8Array;
  readonly key: Uint8Array;
}

/** Parameters of the certificate. */
interface IssueSpec {
  readonly roles: readonly string[];
  /** Lifetime, in milliseconds. */
  readonly lifetimeMs: number;
  readonly now: Date;
}

/**
 * Generates a key and signs a certificate for it.
 *
 * @param files Signing CA; the new key has the same type as its key.
 * @throws {ConfigError} If certificate and key do not form a CA.
 */
export async function issueLocally(
  files: CaFiles,
  { roles, lifetimeMs, now }: IssueSpec,
): Promise<Issued> {
  const ca = await readCa(files.crt, files.key);
  const key = await generateKey(ca.key.algorithm);
  const certificate = await issueCertificate({
    ca,
    publicKey: await exportPublicSpki(key),
    subject: { organizations: roles },
    extendedKeyUsage: ["clientAuth"],
    notBefore: now,
    notAfter: new Date(now.getTime() + lifetimeMs),
  });
  const encoder = new TextEncoder();
  return {
    crt: encoder.encode(encodePem(pemLabel.certificate, certificate)),
    key: encoder.encode(encodePrivateKey(key)),
  };
}

/** Context of the check of a new certificate. */
interface IssuedCheck {
  readonly now: Date;
  /** Prints a warning about clock skew. */
  readonly note: (text: string) => void;
}

/**
 * Checks a new certificate before it replaces the old one.
 *
 * @param context Its context; the certificate must be signed by its CA.
 * @throws {ConfigError} If it would not work.
 */
export async function checkIssued(
  context: NamedContext,
  { crt, key }: Issued,
  { now, note }: IssuedCheck,
): Promise<void> {
  const { ca } = listPems(context);
  if (ca === undefined) {
    throw unfit(context, "it has no CA to verify the new one with");
  }
  const findings = await diagnoseClientIdentity({ ca, crt, key, now });
  for (const { cause, severity, message, hint } of findings) {
    if (cause === "client-wrong-ca") {
      throw unfit(
        context,
        "the CA that signs is not the one the context trusts",
        "Use a file of the same cluster; after a CA rotation: osctl config new, then osctl config merge",
      );
    }
    // The clock of the node may be slightly ahead.
    if (cause === "client-not-yet-valid" || cause === "unknown") {
      note(`warning: ${message}`);
    } else if (severity === "error") throw unfit(context, message, hint);
  }
}

function unfit(
  { name }: NamedContext,
  why: string,
  hint?: string,
): ConfigError {
  return new ConfigError(
    `Cannot renew the certificate of context "${name}": ${why}`,
    hint === undefined ? {} : { hint },
  );
}
