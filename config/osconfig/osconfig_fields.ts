/** Converts a YAML tree to a client configuration, with an error for every invalid value. */

import { proxyAuthKeys } from "../../talos.ts";
import { decodeBase64 } from "./client_identity.ts";
import type { ClientAuth, ClientContext, Osconfig } from "./osconfig.ts";
import type { YamlEntry, YamlTree } from "../yaml/yaml_tree.ts";
import { misread, type Position } from "../../lib/text/text_position.ts";

/** Known fields of a context, in canonical order. */
export const contextFields = [
  "endpoints",
  "nodes",
  "ca",
  "crt",
  "key",
  "auth",
  "cluster",
  "proxy-url",
] as const;

/** Field of old files with one endpoint; read, never written. */
export const legacyEndpointField = "target";

const known = new Set<string>([...contextFields, legacyEndpointField]);
const secret = new Set(["ca", "crt", "key", "password"]);

// Details for an error about one value.
interface OsconfigField {
  readonly file: string;
  readonly path: string;
  readonly key: string;
  readonly at: Position | undefined;
  readonly value: YamlTree;
}

/** Reads the fields of a client configuration. Throws `ConfigError` if a field is invalid. */
export function readFields(tree: YamlTree, file: string): Osconfig {
  const root = takeFields({
    file,
    path: "",
    key: "",
    at: undefined,
    value: tree,
  });
  const contexts = takeFields(root.get("contexts"));
  return {
    current: readText(root.get("context")) ?? "",
    contexts: new Map(
      Array.from(contexts, ([name, field]) => [name, readContext(field)]),
    ),
  };
}

function readContext(field: OsconfigField): ClientContext {
  const fields = takeFields(field);
  const target = readText(fields.get(legacyEndpointField));
  const endpoints = readTexts(fields.get("endpoints"));
  const others = readEntries(field).filter(({ key }) => !known.has(key));
  return {
    endpoints: target === undefined ? endpoints : [...endpoints, target],
    nodes: readTexts(fields.get("nodes")),
    ca: readEncoded(fields.get("ca")),
    crt: readEncoded(fields.get("crt")),
    key: readEncoded(fields.get("key")),
    auth: readAuth(fields.get("auth")),
    cluster: readText(fields.get("cluster")),
    proxyUrl: readText(fields.get("proxy-url")),
    others: others.length > 0 ? others : undefined,
  };
}

function readAuth(field: OsconfigField | undefined): ClientAuth | undefined {
  const fields = takeFields(field);
  if (field === undefined || fields.size === 0) return undefined;
  const basic = takeFields(fields.get("basic"));
  const username = readText(basic.get("username"));
  const password = readText(basic.get("password"));
  return {
    basic: username === undefined && password === undefined
      ? undefined
      : { username: username ?? "", password: password ?? "" },
    proxy: proxyAuthKeys.flatMap((key) => {
      const identity = readText(takeFields(fields.get(key)).get("identity"));
      return identity === undefined ? [] : [{ key, identity }];
    })[0],
    tree: { kind: "map", entries: readEntries(field) },
  };
}

function takeFields(
  field: OsconfigField | undefined,
): Map<string, OsconfigField> {
  if (field === undefined) return new Map();
  const { file, path } = field;
  return new Map(
    readEntries(field).map(({ key, at, value }) => {
      const inner = path === "" ? key : `${path}.${key}`;
      return [key, { file, path: inner, key, at, value }];
    }),
  );
}

function readEntries(field: OsconfigField): readonly YamlEntry[] {
  if (field.value.kind === "null") return [];
  if (field.value.kind === "map") return field.value.entries;
  throw fieldError(field, "a mapping", "Write it as keys with values below it");
}

function readText(field: OsconfigField | undefined): string | undefined {
  if (field === undefined || field.value.kind === "null") return undefined;
  if (field.value.kind !== "text") {
    throw fieldError(field, "a string", `Write it as ${field.key}: "…"`);
  }
  return field.value.value === "" ? undefined : field.value.value;
}

function readTexts(field: OsconfigField | undefined): readonly string[] {
  if (field === undefined || field.value.kind === "null") return [];
  const { value } = field;
  if (value.kind !== "list") {
    throw fieldError(
      field,
      "a list of strings",
      `Write it as ${field.key}: ["…"]`,
    );
  }
  return value.items.map((item, index) => {
    if (item.kind === "text") return item.value;
    const path = `${field.path}[${index}]`;
    const wanted = "Write every item as one string";
    throw fieldError({ ...field, path, value: item }, "a string", wanted);
  });
}

function readEncoded(field: OsconfigField | undefined): string | undefined {
  const text = readText(field);
  if (field === undefined || text === undefined) return undefined;
  if (decodeBase64(text) === undefined) {
    throw fieldError(
      field,
      "base64",
      "Write the PEM text in base64 on one line, or add the context again with: osctl config add",
    );
  }
  return text;
}

function fieldError(field: OsconfigField, right: string, hint: string): Error {
  const at = field.value.kind === "text" ? field.value.at : field.at;
  const name = field.path === "" ? "the file" : field.path;
  // Text in place of a mapping may itself be a key, from another file.
  const found = describe(field, right === "a mapping");
  return misread(field.file, at, `${name} is ${found}, not ${right}`, hint);
}

const leastSecret = 8;

function describe({ key, value }: OsconfigField, isHidden: boolean): string {
  if (value.kind === "null") return "empty";
  if (value.kind === "list") return "a list";
  if (value.kind === "map") return "a mapping";
  const isLong = value.value.length >= leastSecret;
  if (isHidden && isLong || secret.has(key)) {
    return `a string of ${value.value.length} characters`;
  }
  return JSON.stringify(
    value.value.length > 60 ? `${value.value.slice(0, 60)}…` : value.value,
  );
}
