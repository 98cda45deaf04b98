/** `config.restore`, `config.read`: restore and read the configuration of a node. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import {
  type ConfigDocument,
  findFields,
  loadDocuments,
} from "../../config/documents/load.ts";
import { redact } from "../../config/documents/redact.ts";
import type { Fields as Described } from "../../config/documents/schema.ts";
import type { ConfigNode, MapNode } from "../../config/tree/node.ts";
import { ConfigError, RefusedError } from "../../errors.ts";
import { readOsVersion } from "../configuration/facts.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import type { Json } from "../../lib/json.ts";
import {
  applyConfigOperation,
  type ApplyMode,
} from "../operations/node/apply_config.ts";
import { changeConfigurations } from "../operations/node/change_configuration.ts";
import { coreValue } from "../../config/tree/core_value.ts";
import type { Module, StepContext } from "./module.ts";
import type { SecretHandle } from "../vault/secrets.ts";
import {
  type ModuleInput,
  readChoice,
  readHandle,
} from "../runbook_cel/values.ts";

const modes = ["auto", "no-reboot", "reboot", "staged"] as const satisfies [
  ApplyMode,
  ...ApplyMode[],
];

/** Restores the kept configuration of a node. */
export const configRestore: Module = {
  kind: "change",
  name: "config.restore",
  summary: "Restore the configuration of a node from config.backup",
  scope: "node",
  operation: applyConfigOperation,
  input: {
    config: {
      type: "secret",
      summary: "Backup from config.backup; default the node's first one",
    },
    mode: {
      type: "enum",
      values: modes,
      initial: "auto",
      summary: "How the change is applied",
    },
  },
  output: {
    changed: {
      type: "bool",
      summary: "Whether the node had a different configuration",
    },
    hash: { type: "string", summary: "Hash of the configuration" },
  },
  retryable: ["unavailable", "deadline", "not-started"],
  widenable: ["precondition"],
  timeout: "15m",
  async prepare(site, input) {
    const { node, client, note, vault } = site;
    const copy = saveCopy(site, input);
    note("comparing with the backup");
    const text = new TextDecoder().decode(await vault.read(copy));
    const { documents } = loadDocuments(text, copy.secret);
    const live = await readMachineConfiguration(client);
    const mode = readChoice(input, "mode", modes);
    const change = {
      node,
      live: { text: live, documents: loadDocuments(live, node).documents },
      version: await readOsVersion(client),
      platform: undefined,
      wanted: documents,
      text,
      isDerived: false,
    };
    const settings = { mode, tryMs: 0, confirm: true, checks: [] };
    const prepared = await changeConfigurations([change], settings);
    const hash = prepared.input.wanted[node] ?? "";
    return {
      operation: prepared.operation,
      input: prepared.input,
      toOutput: ({ outcome }) => ({ changed: outcome !== "unchanged", hash }),
    };
  },
};

/** Refuses another node's configuration: it would duplicate that node. */
function saveCopy(
  { node, vault }: StepContext,
  input: ModuleInput,
): SecretHandle {
  const own = `config.${node}.`;
  const given = readHandle(input, "config");
  if (given === undefined) {
    // The first copy predates any change of the run.
    const name = vault.names().find((one) => one.startsWith(own));
    if (name !== undefined) return { secret: name };
    throw new ConfigError(
      `There is no backup of the configuration of "${node}"`,
      {
        hint: "Run config.backup before the configuration is changed",
      },
    );
  }
  if (given.secret.startsWith(own)) return given;
  throw new RefusedError(
    `"${given.secret}" is not a backup of the configuration of "${node}"`,
    { hint: "Pass the output of config.backup for this node" },
  );
}

/** Reports facts of a node's configuration. */
export const configRead: Module = {
  kind: "read",
  looks: true,
  name: "config.read",
  summary: "Read the configuration of a node, without its secrets",
  scope: "node",
  input: {},
  output: {
    machine: {
      type: "any",
      summary: "The machine section; empty if there is none",
    },
    cluster: {
      type: "any",
      summary: "The cluster section; empty if there is none",
    },
    documents: {
      type: "list",
      items: { type: "any", summary: "A document" },
      summary: "All documents with their kinds; the main document has none",
    },
    hash: { type: "string", summary: "Hash of the configuration" },
  },
  retryable: ["unavailable", "deadline"],
  async *read({ node, client }) {
    yield { text: "reading the configuration" };
    const text = await readMachineConfiguration(client);
    const { documents } = loadDocuments(text, node);
    const shown = documents.map(openPart);
    const main = shown.find((one) => !("kind" in one)) ?? {};
    const { machine = {}, cluster = {} } = main;
    const hash = await configurationHash(documents);
    return { machine, cluster, documents: shown, hash };
  },
};

/** Placeholder for omitted values; cannot occur in a configuration. */
const secret = "\u0000";

/** A document without secrets and without fields unknown to osctl. */
function openPart(
  { root, schema }: ConfigDocument,
): Readonly<Record<string, Json>> {
  const fields = schema && findFields(schema);
  const known = knownPart(root, fields);
  const value = coreValue(stripPlaces(redact(known, fields, () => secret)));
  // A document is a mapping.
  return value as Readonly<Record<string, Json>>;
}

/** Fields shown of unknown document kinds. */
const naming: ReadonlySet<string> = new Set(["apiVersion", "kind", "name"]);

function knownPart(root: MapNode, fields: Described | undefined): MapNode {
  const entries = root.entries.filter(({ key }) =>
    fields === undefined
      ? naming.has(key)
      : Object.hasOwn(fields, key) || naming.has(key)
  );
  return { ...root, entries };
}

function stripPlaces(node: ConfigNode): ConfigNode {
  const isOpen = (value: ConfigNode) =>
    value.kind !== "scalar" || !value.text.includes(secret);
  switch (node.kind) {
    case "scalar":
      return node;
    case "list": {
      const items = node.items.filter(({ value }) => isOpen(value));
      return {
        ...node,
        items: items.map((one) => ({ ...one, value: stripPlaces(one.value) })),
      };
    }
    case "map": {
      const entries = node.entries.filter(({ value }) => isOpen(value));
      return {
        ...node,
        entries: entries.map((one) => ({
          ...one,
          value: stripPlaces(one.value),
        })),
      };
    }
  }
}
