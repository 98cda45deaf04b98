/** API server access from a kubeconfig. */

import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { ConfigError } from "../../errors.ts";

/** API server and credentials; all PEM. */
export interface KubernetesAccess {
  /** URL without a trailing slash. */
  readonly server: string;
  readonly ca: string;
  readonly crt: string;
  readonly key: string;
}

/** Reads the current context of a kubeconfig. Throws `ConfigError` if a field is missing. */
export function accessIn(text: string, file: string): KubernetesAccess {
  const [document] = readDocuments(text, file).documents;
  const root = toCursor(document?.root ?? { kind: "map", entries: [] });
  const current = root.get("current-context").text();
  const context = findNamed(root.get("contexts"), current).get("context");
  const cluster = findNamed(root.get("clusters"), context.get("cluster").text())
    .get("cluster");
  const user = findNamed(root.get("users"), context.get("user").text())
    .get("user");
  return {
    server: requireText(cluster.get("server"), file).replace(/\/+$/, ""),
    ca: pem(cluster.get("certificate-authority-data"), file),
    crt: pem(user.get("client-certificate-data"), file),
    key: pem(user.get("client-key-data"), file),
  };
}

function findNamed(list: Cursor, name: string | undefined): Cursor {
  return list.items().find((item) => item.get("name").text() === name) ?? list;
}

function requireText(cursor: Cursor, file: string): string {
  const text = cursor.text();
  if (text !== undefined && text !== "") return text;
  throw new ConfigError(
    `Cannot use kubeconfig "${file}": ${cursor.path.join(".")} is missing`,
  );
}

function pem(cursor: Cursor, file: string): string {
  try {
    const bytes = Uint8Array.fromBase64(requireText(cursor, file));
    return new TextDecoder().decode(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(
      `Cannot use kubeconfig "${file}": ${cursor.path.join(".")} is not base64`,
    );
  }
}
