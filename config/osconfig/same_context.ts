/** Equality of contexts and of their clusters. */

import { decodeBase64 } from "./client_identity.ts";
import type { ClientContext } from "./osconfig.ts";
import { sameEntries, sameTree } from "../yaml/yaml_tree.ts";

/** Returns the fields in which two contexts differ, in file order; unknown fields last. */
export function changedFields(a: ClientContext, b: ClientContext): string[] {
  const changed: string[] = [];
  if (!sameTexts(a.endpoints, b.endpoints)) changed.push("endpoints");
  if (!sameTexts(a.nodes, b.nodes)) changed.push("nodes");
  for (const field of ["ca", "crt", "key"] as const) {
    if ((a[field] ?? "") !== (b[field] ?? "")) changed.push(field);
  }
  if (!sameEntries(readAuth(a), readAuth(b))) changed.push("auth");
  if ((a.cluster ?? "") !== (b.cluster ?? "")) changed.push("cluster");
  if ((a.proxyUrl ?? "") !== (b.proxyUrl ?? "")) changed.push("proxy-url");
  return [...changed, ...changedOthers(a, b)];
}

/**
 * Reports whether two contexts are of the same cluster: they trust the same CA, or, if
 * neither has one, have the same endpoints and cluster.
 */
export function sameCluster(a: ClientContext, b: ClientContext): boolean {
  if (a.ca && b.ca) return certificateText(a.ca) === certificateText(b.ca);
  if (a.ca || b.ca || a.endpoints.length === 0) return false;
  return sameTexts(a.endpoints, b.endpoints) &&
    (a.cluster ?? "") === (b.cluster ?? "");
}

/** Reports whether two lists are equal, in order. */
function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

function changedOthers(a: ClientContext, b: ClientContext): string[] {
  const before = new Map(a.others?.map(({ key, value }) => [key, value]));
  const after = new Map(b.others?.map(({ key, value }) => [key, value]));
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => {
    const [old, now] = [before.get(key), after.get(key)];
    return old === undefined || now === undefined || !sameTree(old, now);
  });
}

function readAuth({ auth }: ClientContext) {
  return auth?.tree.entries ?? [];
}

/** Base64 PEM without white space, which is irrelevant in both. */
export function certificateText(base64: string): string {
  const bytes = decodeBase64(base64);
  const text = bytes === undefined ? base64 : new TextDecoder().decode(bytes);
  return text.replaceAll(/\s/g, "");
}
