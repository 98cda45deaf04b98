/** Extracts the CA of the node API from documents with its key. */

import { ConfigError } from "../../errors.ts";
import { decodeBase64 } from "./client_identity.ts";
import { openYaml, toTree } from "../yaml/yaml_document.ts";
import type { YamlTree } from "../yaml/yaml_tree.ts";
import { misread } from "../../lib/text/text_position.ts";

/** Certificate and key of a CA, unchecked. */
export interface CaFiles {
  readonly crt: Uint8Array;
  readonly key: Uint8Array;
}

/** Replacement for a secret in a printed document. */
const redacted = "******";

/**
 * Reads the CA of a secrets bundle: `certs.os`, in any case.
 *
 * @param text YAML or JSON.
 * @throws {ConfigError} If it is not YAML, or has no certificate and key.
 */
export function caOfSecrets(text: string, file: string): CaFiles {
  const tree = toTree(openYaml(text, file));
  return filesAt(tree, ["certs", "os"], {
    file,
    hint: "Use the secrets bundle that osctl gen secrets wrote",
  });
}

/**
 * Reads the CA out of the machine configuration of a control plane: `machine.ca`.
 *
 * @param text One or several YAML documents.
 * @throws {ConfigError} If it is not YAML, or has no certificate and key; workers have no key.
 */
export function caOfMachineConfig(
  text: string,
  file: string,
): CaFiles {
  const path = ["machine", "ca"];
  const trees = splitDocuments(text).map((one) => toTree(openYaml(one, file)));
  const tree = trees.find((one) => valueAt(one, path) !== undefined);
  return filesAt(tree ?? { kind: "null" }, path, {
    file,
    hint: "Use the machine configuration of a control plane",
  });
}

interface WantedCa {
  readonly file: string;
  readonly hint: string;
}

/** A line of three dashes always separates documents (YAML 1.2, 9.1.2). */
function splitDocuments(text: string): readonly string[] {
  let lines = 0;
  return text.split(/^(?=---(?:\s|$))/m).map((document) => {
    // Leading empty lines keep the line numbers of messages correct.
    const padded = "\n".repeat(lines) + document;
    lines += document.split("\n").length - 1;
    return padded;
  });
}

function filesAt(
  tree: YamlTree,
  path: readonly string[],
  wanted: WantedCa,
): CaFiles {
  return {
    crt: pemAt(tree, [...path, "crt"], wanted),
    key: pemAt(tree, [...path, "key"], wanted),
  };
}

function pemAt(
  tree: YamlTree,
  path: readonly string[],
  { file, hint }: WantedCa,
): Uint8Array {
  const value = valueAt(tree, path);
  const name = path.join(".");
  if (value?.kind !== "text" || value.value === "") {
    throw new ConfigError(`Cannot use "${file}": it has no ${name}`, { hint });
  }
  if (value.value === redacted) {
    throw misread(file, value.at, `${name} is redacted`, hint);
  }
  const bytes = decodeBase64(value.value);
  if (bytes === undefined) {
    throw misread(file, value.at, `${name} is not base64`, hint);
  }
  return bytes;
}

function valueAt(
  tree: YamlTree,
  path: readonly string[],
): YamlTree | undefined {
  let found: YamlTree | undefined = tree;
  for (const name of path) {
    if (found?.kind !== "map") return undefined;
    // Other tools capitalize keys of bundles.
    found = found.entries.find(({ key }) => key.toLowerCase() === name)?.value;
  }
  return found;
}
