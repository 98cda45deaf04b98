/** Reads and changes the issuing and accepted CAs of a configuration. */

import { withValue } from "../../config/tree/with_value.ts";
import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import {
  type ConfigDocument,
  loadDocuments,
  mainKind,
} from "../../config/documents/load.ts";
import {
  type ConfigNode,
  findChild,
  type MapNode,
  toTree,
} from "../../config/tree/node.ts";
import { ConfigError } from "../../errors.ts";
import { type CaCertificate, certificateIn } from "./certificate_text.ts";

/** CA to rotate: the OS CA or the Kubernetes CA. */
export type CaKind = "os" | "kubernetes";

/** Trust list of a configuration for one CA. */
export interface TrustList {
  /** True for a control plane's configuration. */
  readonly controlPlane: boolean;
  /** Issuing CA; workers of newer versions name none. */
  readonly issuing: CaCertificate | undefined;
  /** Other accepted CAs. */
  readonly accepted: readonly CaCertificate[];
}

/** Document of newer nodes for the Kubernetes CA. */
const kubernetesDocument = "KubeAPIServerCAConfig";

interface CaSpelling {
  readonly document: ConfigDocument;
  readonly issuer: readonly [string, ...string[]];
  readonly accepted: readonly [string, ...string[]];
  /** True when certificates are plain PEM instead of base64 under `crt`. */
  readonly plain: boolean;
}

/**
 * Reads the trust list of a configuration.
 *
 * @throws {ConfigError} If it is not a machine configuration, or a certificate in it is invalid.
 */
export function readTrust(text: string, kind: CaKind): TrustList {
  const documents = parseDocuments(text);
  const form = findForm(documents, kind);
  const root = toCursor(form.document.root);
  const issuer = readPem(
    root.get(...form.issuer, form.plain ? "cert" : "crt"),
    form,
  );
  const accepted = root.get(...form.accepted).items()
    .map((item) => acceptedIn(item, form));
  return {
    controlPlane: isControlPlane(documents),
    issuing: issuer === undefined ? undefined : certificateIn(issuer),
    accepted: accepted.map((pem) => certificateIn(pem)),
  };
}

/** Adds an accepted CA. Returns the text unchanged when it is already accepted. */
export function withAccepted(
  text: string,
  kind: CaKind,
  pem: string,
): string {
  const { issuing, accepted } = readTrust(text, kind);
  const added = certificateIn(pem);
  const all = [...issuing === undefined ? [] : [issuing], ...accepted];
  if (has(all, added.fingerprint)) return text;
  return editList(
    text,
    kind,
    (form) => putAccepted(form, [...accepted, added]),
  );
}

/** Removes an accepted CA. Returns the text unchanged when it is not accepted. */
export function withoutAccepted(
  text: string,
  kind: CaKind,
  fingerprint: string,
): string {
  const { accepted } = readTrust(text, kind);
  if (!has(accepted, fingerprint)) return text;
  const rest = accepted.filter((one) => one.fingerprint !== fingerprint);
  return editList(text, kind, (form) => putAccepted(form, rest));
}

/**
 * Replaces the issuing CA; the previous one stays accepted.
 *
 * @param issuer The new one; workers get its certificate only.
 * @returns The text unchanged when it already issues.
 */
export function withIssuer(
  text: string,
  kind: CaKind,
  { crt, key }: { readonly crt: string; readonly key: string },
): string {
  const list = readTrust(text, kind);
  const { issuing, accepted, controlPlane } = list;
  const next = certificateIn(crt);
  if (issuing?.fingerprint === next.fingerprint) return text;
  // Such workers name no issuing CA, and keep accepting both.
  if (issuing === undefined) return withAccepted(text, kind, crt);
  const others = accepted.filter((one) => one.fingerprint !== next.fingerprint);
  const kept = has(others, issuing.fingerprint) ? others : [...others, issuing];
  return editList(text, kind, (form) => {
    const values = form.plain
      ? { cert: crt, key }
      : { crt: encode(crt), key: controlPlane ? encode(key) : "" };
    // One by one, to keep the comments of the keys.
    const root = Object.entries(values).reduce(
      (root, [name, value]) =>
        withValue(root, [...form.issuer, name], toTree(value)),
      form.document.root,
    );
    return putAccepted({ ...form, document: { ...form.document, root } }, kept);
  });
}

function editList(
  text: string,
  kind: CaKind,
  edit: (form: CaSpelling) => MapNode,
): string {
  const documents = parseDocuments(text);
  const form = findForm(documents, kind);
  const root = edit(form);
  return encodeDocuments(
    documents.map((one) => one === form.document ? { ...one, root } : one),
  );
}

function putAccepted(
  form: CaSpelling,
  list: readonly CaCertificate[],
): MapNode {
  const { document: { root }, accepted, plain } = form;
  if (list.length === 0) return withValue(root, accepted, undefined);
  const old = accepted.reduce<ConfigNode | undefined>(
    (node, key) => findChild(node, key),
    root,
  );
  const before = old?.kind === "list"
    ? old
    : { kind: "list", items: [] } as const;
  const known = new Map(
    before.items.map((item) => [
      certificateIn(acceptedIn(toCursor(item.value), form)).fingerprint,
      item,
    ]),
  );
  const items = list.map(({ fingerprint, pem }) =>
    known.get(fingerprint) ??
      { value: toTree(plain ? pem : { crt: encode(pem) }) }
  );
  return withValue(root, accepted, { ...before, items });
}

function has(
  list: readonly CaCertificate[],
  fingerprint: string,
): boolean {
  return list.some((one) => one.fingerprint === fingerprint);
}

function parseDocuments(text: string): readonly ConfigDocument[] {
  return loadDocuments(text, "the node's configuration").documents;
}

function findForm(
  documents: readonly ConfigDocument[],
  kind: CaKind,
): CaSpelling {
  const own = documents.find((one) => one.kind === kubernetesDocument);
  if (kind === "kubernetes" && own !== undefined) {
    return {
      document: own,
      issuer: ["issuingCA"],
      accepted: ["acceptedCAs"],
      plain: true,
    };
  }
  const main = documents.find((one) => one.kind === mainKind);
  if (main === undefined) {
    throw new ConfigError("The node's configuration has no main document");
  }
  const section = kind === "os" ? "machine" : "cluster";
  return {
    document: main,
    issuer: [section, "ca"],
    accepted: [section, "acceptedCAs"],
    plain: false,
  };
}

function isControlPlane(documents: readonly ConfigDocument[]): boolean {
  const main = documents.find((one) => one.kind === mainKind);
  const type = main && toCursor(main.root).get("machine", "type").text();
  return type === "controlplane" || type === "init";
}

/** PEM of an accepted CA; empty when it has none. */
function acceptedIn(item: Cursor, form: CaSpelling): string {
  return readPem(form.plain ? item : item.get("crt"), form) ?? "";
}

function readPem(cursor: Cursor, { plain }: CaSpelling): string | undefined {
  const text = cursor.text();
  if (text === undefined || text === "") return undefined;
  if (plain) return text;
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(text));
  } catch (cause) {
    throw new ConfigError("A certificate in the configuration is not base64", {
      cause,
    });
  }
}

function encode(pem: string): string {
  return new TextEncoder().encode(pem).toBase64();
}
