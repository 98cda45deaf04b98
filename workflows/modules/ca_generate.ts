/** `ca.generate` and `osconfig.issue`: preparations of a rotation. */

import { RefusedError } from "../../errors.ts";
import { parseRoles, type Role } from "../../pki/roles.ts";
import { givenCa, newCaCertificate, newCaKey } from "../ca/create_ca.ts";
import { certificateIn, short } from "../ca/certificate_text.ts";
import { type TrustAnswer, trustOfEach } from "../ca/cluster_trust.ts";
import { issueClients } from "../ca/credentials.ts";
import {
  findRotation,
  keepRotation,
  keyName,
  readRotation,
  rotationName,
} from "../ca/rotation.ts";
import type { CaKind } from "../ca/trust_list.ts";
import type { Module, StepContext } from "./module.ts";
import type { SecretHandle } from "../vault/secrets.ts";
import { kindField, readKind } from "./ca_kind.ts";
import {
  givenHandle,
  readHandle,
  readText,
  toJson,
} from "../runbook_cel/values.ts";

/** Creates the new CA, once per run. */
export const caGenerate: Module = {
  kind: "read",
  name: "ca.generate",
  summary: "Generate or import a new CA, and store it in the vault",
  scope: "cluster",
  input: {
    kind: kindField,
    use: {
      type: "secret",
      summary: "Certificate and key to import instead of generating them, PEM",
    },
  },
  output: {
    ca: { type: "secret", summary: "The new CA" },
    fingerprint: { type: "string", summary: "SHA-256 of its certificate" },
    old: { type: "string", summary: "SHA-256 of the current CA" },
  },
  retryable: ["unavailable", "deadline"],
  async *read(context, input) {
    const kind = readKind(input);
    const { vault } = context;
    if (await findRotation(vault, kind) === undefined) {
      yield { text: "reading the current CAs" };
      await make(context, kind, readHandle(input, "use"));
    }
    const rotation = await readRotation(context, kind);
    const ca = { secret: rotationName(kind), fingerprint: rotation.new };
    return { ca, fingerprint: rotation.new, old: rotation.old };
  },
};

/** Issues the client certificate for use after the rotation. */
export const osconfigIssue: Module = {
  kind: "read",
  name: "osconfig.issue",
  summary: "Issue client certificates with the new CA of the node API",
  scope: "cluster",
  input: {
    ca: { type: "secret", required: true, summary: "The new CA" },
    role: {
      type: "string",
      initial: "os:admin",
      summary: "Roles of the client",
    },
  },
  output: {
    transitional: {
      type: "secret",
      summary: "New client configuration that trusts the old CA",
    },
    final: {
      type: "secret",
      summary: "New client configuration that trusts the new CA",
    },
  },
  // Nothing takes long enough to report.
  // deno-lint-ignore require-yield
  async *read(context, input) {
    await readRotation(context, "os", givenHandle(input, "ca"));
    // One name parses to one role.
    const [role = "os:admin"]: readonly Role[] = parseRoles([
      readText(input, "role") ?? "os:admin",
    ]);
    const { transitional, final } = await issueClients(context, {
      role,
      lifetimeMs,
      now: context.clock.now(),
    });
    return { transitional: toJson(transitional), final: toJson(final) };
  },
};

const lifetimeMs = 8760 * 60 * 60 * 1000;

async function make(
  { cluster, clock, vault }: StepContext,
  kind: CaKind,
  given: SecretHandle | undefined,
): Promise<void> {
  const members = (await cluster.members()).map(({ address }) => address);
  const nodes = await trustOfEach(cluster, members, kind);
  const old = findIssuer(nodes);
  const now = clock.now();
  const pair = given === undefined
    ? undefined
    : await givenCa(await vault.read(given), kind, now);
  // The key first: everything else can be derived again.
  const key = await keptKey(vault, kind, pair?.key);
  const crt = pair?.crt ?? await newCaCertificate(kind, key, now);
  const { fingerprint } = certificateIn(crt);
  const accepted = nodes.flatMap(({ list }) => list.accepted);
  const others = new Set(accepted.map((one) => one.fingerprint));
  if (fingerprint === old.fingerprint || others.has(fingerprint)) {
    throw new RefusedError(
      `The cluster already trusts CA ${short(fingerprint)}`,
      { hint: "Give another one, or omit it to generate one" },
    );
  }
  await keepRotation(vault, kind, {
    crt,
    new: fingerprint,
    oldCrt: old.pem,
    old: old.fingerprint,
    kept: [...others].filter((one) => one !== old.fingerprint).toSorted(),
    madeAt: new Date(now).toISOString(),
  });
}

async function keptKey(
  vault: StepContext["vault"],
  kind: CaKind,
  given: string | undefined,
): Promise<string> {
  const name = keyName(kind);
  const known = vault.find(name);
  if (known !== undefined && given === undefined) {
    return new TextDecoder().decode(await vault.read(known));
  }
  const key = given ?? await newCaKey(kind);
  await vault.put(name, new TextEncoder().encode(key));
  return key;
}

function findIssuer(nodes: readonly TrustAnswer[]) {
  const issuers = new Map(
    nodes.flatMap(({ list: { issuing } }) =>
      issuing === undefined ? [] : [[issuing.fingerprint, issuing] as const]
    ),
  );
  const [issuer, ...others] = issuers.values();
  if (issuer !== undefined && others.length === 0) return issuer;
  if (issuer === undefined) {
    throw new RefusedError("No node has the key of the CA", {
      hint: "Check that the control planes are members of the cluster",
    });
  }
  const all = [...issuers.keys()].map(short).join(", ");
  throw new RefusedError(
    `A rotation is already in progress: ${all} issue certificates`,
    { hint: "Finish it first; osctl ca report shows the state of each node" },
  );
}
