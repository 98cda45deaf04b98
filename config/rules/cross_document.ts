/** Settings of the main document that documents of their own have taken over. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import type { RuleContext, RuleDocument } from "./context.ts";
import { addressFamily } from "../documents/checks.ts";
import { isGiven, textOf, textsOf } from "./checks.ts";

/** Places of the main document that say what another document says. */
type Rivals = (main: Cursor, other: RuleDocument) => readonly Cursor[];

const rivals: ReadonlyMap<string, Rivals> = new Map([
  ["HostnameConfig", hostnames],
  ["ResolverConfig", resolvers],
  ["TimeSyncConfig", times],
  ["VolumeConfig", encryptions],
]);

/**
 * Nothing is configured both in the main document and in one of its own.
 *
 * @param context With all documents; nothing comes out when the main one is not among them.
 * @returns Problems of the main document.
 */
export function* crossDocumentRules(context: RuleContext): Iterable<Problem> {
  const main = context.documents.find(({ kind }) => kind === "v1alpha1");
  if (main === undefined) return;
  for (const other of context.documents) {
    const found = rivals.get(other.kind)?.(main.cursor, other) ?? [];
    for (const place of found) {
      const key = place.path.join(".");
      yield place.error(
        `${key} is given besides document ${identity(other)}`,
        `Remove ${key}; the document takes its place`,
      );
    }
  }
}

function identity({ kind, name }: RuleDocument): string {
  return name === undefined ? kind : `${kind}/${name}`;
}

function hostnames(main: Cursor): readonly Cursor[] {
  const name = main.get("machine", "network", "hostname");
  const stable = main.get("machine", "features", "stableHostname");
  return [
    ...(textOf(name) === "" ? [] : [name]),
    ...(stable.truth() === true ? [stable] : []),
  ];
}

/** An empty list of search domains counts: it switches off the one of the hostname. */
function resolvers(main: Cursor): readonly Cursor[] {
  const network = main.get("machine", "network");
  const servers = network.get("nameservers");
  const domains = network.get("searchDomains");
  const disabled = network.get("disableSearchDomain");
  const readable = textsOf(servers).some(([, server]) =>
    addressFamily(server) !== undefined
  );
  return [
    ...(readable ? [servers] : []),
    ...(isGiven(domains) ? [domains] : []),
    ...(disabled.truth() === true ? [disabled] : []),
  ];
}

function times(main: Cursor): readonly Cursor[] {
  const time = main.get("machine", "time");
  const disabled = time.get("disabled");
  const servers = time.get("servers");
  const timeout = time.get("bootTimeout");
  return [
    ...(disabled.truth() === true ? [disabled] : []),
    ...(textsOf(servers).length > 0 ? [servers] : []),
    ...(/[1-9]/.test(textOf(timeout)) ? [timeout] : []),
  ];
}

function encryptions(main: Cursor, other: RuleDocument): readonly Cursor[] {
  const provider = textOf(other.cursor.get("encryption", "provider"));
  const part = new Map([["STATE", "state"], ["EPHEMERAL", "ephemeral"]])
    .get(other.name ?? "");
  if (part === undefined || provider === "" || provider === "none") return [];
  const encryption = main.get("machine", "systemDiskEncryption", part);
  return isGiven(encryption) ? [encryption] : [];
}
