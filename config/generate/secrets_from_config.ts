/** Secrets out of the machine configuration of a control plane. */

import { ConfigError } from "../../errors.ts";
import { type Cursor, cursorOf } from "../documents/cursor.ts";
import { refusal } from "../documents/refusal.ts";
import { childOf, isNull } from "../tree/node.ts";
import { readDocuments } from "../tree/read.ts";
import { misread } from "../yaml/yaml_tree.ts";
import { readSecrets } from "./secret_reader.ts";
import type { SecretsBundle } from "./secrets.ts";

/**
 * Takes the secrets out of a machine configuration; it is the bundle the configuration was made from.
 *
 * @param text One or several YAML documents.
 * @throws {ConfigError} If it is no YAML, has no main document, or names every secret that is missing or wrong.
 */
export async function secretsFromConfig(
  text: string,
  file: string,
): Promise<SecretsBundle> {
  const { documents } = readDocuments(text, file);
  const main = documents.find(({ root }) => isNull(childOf(root, "kind")));
  if (main === undefined) {
    throw misread(file, undefined, "it has no main document", hint);
  }
  const root = cursorOf(main.root);
  const { bundle, problems } = await readSecrets(placesIn(root));
  if (problems.length === 0) return bundle;
  const { message } = refusal(subjectOf(root, file), problems);
  throw new ConfigError(message, { hint });
}

const hint = "Give the machine configuration of a control plane";

function subjectOf(root: Cursor, file: string): string {
  const type = root.get("machine", "type").text();
  return type === "worker" || type === "join"
    ? `configuration "${file}" of a worker`
    : `configuration "${file}"`;
}

function placesIn(root: Cursor) {
  const cluster = (...keys: readonly string[]) => root.get("cluster", ...keys);
  return {
    id: cluster("id"),
    secret: cluster("secret"),
    bootstrapToken: cluster("token"),
    aescbc: cluster("aescbcEncryptionSecret"),
    secretbox: cluster("secretboxEncryptionSecret"),
    token: root.get("machine", "token"),
    certs: {
      etcd: cluster("etcd", "ca"),
      k8s: cluster("ca"),
      k8sAggregator: cluster("aggregatorCA"),
      k8sServiceAccount: cluster("serviceAccount"),
      os: root.get("machine", "ca"),
    },
  };
}
