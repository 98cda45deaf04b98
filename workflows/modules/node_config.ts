/** `config.restore`, `config.replace`, `config.read`: restore, replace and read the configuration of a node. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import {
  type ConfigDocument,
  findFields,
  learnSecret,
  loadDocuments,
} from "../../config/documents/load.ts";
import { redact } from "../../config/documents/redact.ts";
import type { Fields as Described } from "../../config/documents/schema.ts";
import type { ConfigNode, MapNode } from "../../config/tree/node.ts";
import { ConfigError, RefusedError } from "../../errors.ts";
import { readOsVersion } from "../configuration/facts.ts";
import { objections } from "../configuration/guards.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import { memberNamed } from "../../transport/node/members.ts";
import { isRecord, type Json, parseJson } from "../../lib/json.ts";
import {
  applyConfigOperation,
  type ApplyMode,
} from "../operations/node/apply_config.ts";
import { changeConfigurations } from "../operations/node/change_configuration.ts";
import { coreValue } from "../../config/tree/core_value.ts";
import type { Verdict } from "../operations/operation.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import type { ChangingModule, Module, StepContext } from "./module.ts";
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

const modeField: ValueFields = {
  mode: {
    type: "enum",
    values: modes,
    initial: "auto",
    summary: "How the change is applied",
  },
};

/** Restores the kept configuration of a node. */
export const configRestore: ChangingModule = {
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
    ...modeField,
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
  async prepare(context, input) {
    const { note, vault } = context;
    const copy = saveCopy(context, input);
    note("comparing with the backup");
    const text = new TextDecoder().decode(await vault.read(copy));
    return (await prepareConfiguration(context, text, input)).step;
  },
};

/** Gives a node its own of several configurations. */
export const configReplace: ChangingModule = {
  ...configRestore,
  name: "config.replace",
  summary: "Replace the configuration of a node by its own of several",
  input: {
    configurations: {
      type: "secret",
      required: true,
      summary:
        "JSON: by address of a node, its new configuration as text, and from, the hash of the one it replaces",
    },
    ...modeField,
  },
  async prepare(context, input) {
    const { node, vault, cluster } = context;
    // The input is required.
    const all = await vault.read(readHandle(input, "configurations")!);
    const address = memberNamed(await cluster.members(), node)?.address ?? node;
    const own = findOwn(new TextDecoder().decode(all), address);
    if (own === undefined) {
      throw new ConfigError(`There is no configuration for "${node}"`);
    }
    learnSecret(own.text);
    const { step, change } = await prepareConfiguration(
      context,
      own.text,
      input,
    );
    const [wrong] = objections([change], new Set());
    if (wrong !== undefined) {
      throw new RefusedError(`Nothing was sent: ${wrong.reason}`);
    }
    return {
      ...step,
      input: { ...step.input, madeFrom: { [node]: own.from } },
    };
  },
};

/** A configuration, and the hash of the one it replaces. */
export interface ReplacedConfiguration {
  readonly text: string;
  readonly from: string;
}

/** Finds the configuration of a node by its address; `undefined` if there is none. */
export function findOwn(
  text: string,
  address: string,
): ReplacedConfiguration | undefined {
  const own = Object(parseJson(text))[address];
  const isOwn = isRecord(own) && typeof own.text === "string" &&
    typeof own.from === "string";
  return isOwn ? { text: String(own.text), from: String(own.from) } : undefined;
}

/** Compares a configuration with the one of the node, and prepares applying it. */
async function prepareConfiguration(
  { node, client }: StepContext,
  text: string,
  input: ModuleInput,
) {
  const live = await readMachineConfiguration(client);
  const change = {
    node,
    live: { text: live, documents: loadDocuments(live, node).documents },
    version: await readOsVersion(client),
    platform: undefined,
    wanted: loadDocuments(text, `the new configuration of ${node}`).documents,
    text,
    isDerived: false,
  };
  const mode = readChoice(input, "mode", modes);
  const settings = { mode, tryMs: 0, confirm: true, checks: [] };
  const prepared = await changeConfigurations([change], settings);
  const hash = prepared.input.wanted[node] ?? "";
  return {
    change,
    step: {
      operation: prepared.operation,
      input: prepared.input,
      toOutput: ({ outcome }: Verdict) => ({
        changed: outcome !== "unchanged",
        hash,
      }),
    },
  };
}

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
