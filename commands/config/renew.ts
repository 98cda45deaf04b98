import {
  authorityOfMachineConfig,
  authorityOfSecrets,
} from "../../config/osconfig/authority_source.ts";
import { readBoundedText } from "../../config/files/bounded_file.ts";
import type { Osconfig } from "../../config/osconfig/osconfig.ts";
import type { NamedContext } from "../../config/osconfig/select_context.ts";
import { ConfigError, OsctlError, UsageError } from "../../errors.ts";
import type { CertificateFacts } from "../../pki/inspect.ts";
import { parseRoles, type Role, splitRoles } from "../../pki/roles.ts";
import {
  type AnyCommand,
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
} from "../_kit/osconfig.ts";
import { leafOf, pemsOf } from "./_certificate.ts";
import { checkIssued, type Issued, issueLocally } from "./_renewal.ts";
import { lifetimeFlag, requestCertificate } from "./_signer.ts";

/** A renewed client certificate. */
export interface RenewedRow {
  /** Name of the context. */
  readonly context: string;
  /** Roles of the client. */
  readonly roles: readonly string[];
  /** Last moment of the certificate before, ISO 8601; `null` when there was none that could be read. */
  readonly oldNotAfter: string | null;
  /** Last moment of the certificate now, ISO 8601. */
  readonly newNotAfter: string;
}

const inputs = {
  withSecrets: text("sign with the authority of this secrets bundle", {
    complete: "files",
  }),
  fromControlplaneConfig: text(
    "sign with the authority of this machine configuration",
    { complete: "files" },
  ),
  roles: strings("roles of the client", {
    shown: "those of the present certificate",
  }),
  crtTtl: lifetimeFlag(),
};

type RenewInputs = Values<typeof inputs>;

/** `osctl config renew`: a new client certificate for a context. */
export const command: AnyCommand = {
  summary: "Renew the client certificate of a context",
  description:
    `A control plane signs the new certificate, as long as the present one has the role os:admin and has not expired. With
the secrets bundle or the machine configuration of a control plane at hand it is signed here, and no node is asked.
The certificate must be signed by the authority of the context. The file before stays beside it as .bak.`,
  inputs,
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
    const old = leafOf(pemsOf(context).crt);
    const roles = rolesOf(input, context, old);
    const change = { globals, environment, signal };
    // A file that cannot be written shows before anything is signed.
    await changeOsconfig(change, () => undefined);
    const issued = await issue(request, roles);
    await checkIssued(context, issued, { now: environment.now(), note });
    await changeOsconfig(change, (config) => renewed(config, context, issued));
    yield {
      context: context.name,
      roles,
      oldNotAfter: old?.notAfter.toISOString() ?? null,
      newNotAfter: leafOf(issued.crt)?.notAfter.toISOString() ?? "",
    };
  },
} satisfies Command<RenewedRow, RenewInputs>;

function checkSources(
  { withSecrets, fromControlplaneConfig }: RenewInputs,
): void {
  if (withSecrets === undefined || fromControlplaneConfig === undefined) return;
  throw new UsageError(
    "Flags --with-secrets and --from-controlplane-config do not go together",
    { hint: "Either holds the authority; give one of them" },
  );
}

function rolesOf(
  { roles }: RenewInputs,
  { name }: NamedContext,
  old: CertificateFacts | undefined,
): readonly Role[] {
  if (roles.length > 0) return parseRoles(roles);
  const { known } = splitRoles(old?.subject.organizations ?? []);
  if (known.length > 0) return known;
  throw new ConfigError(
    `Cannot tell the roles of context "${name}": its certificate names none`,
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
    return issueLocally(authorityOfSecrets(document, withSecrets), spec);
  }
  if (fromControlplaneConfig !== undefined) {
    const path = fromControlplaneConfig;
    const document = await documentAt(path);
    return issueLocally(authorityOfMachineConfig(document, path), spec);
  }
  // Any control plane can sign, so the nodes of the context do not matter.
  const client = globals.nodes.length > 0
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

function renewed(
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
