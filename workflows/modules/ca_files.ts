/** `osconfig.write`, `vault.export`, `config.backup`, `kubeconfig.fetch`: files and copies. */

import { sha256Hex } from "../../lib/sha256.ts";
import { credentialIn } from "../ca/credentials.ts";
import { exportVault, updateContext, writeOsconfig } from "../ca/files.ts";
import { configurationHash } from "../../config/change/configuration_hash.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { readKubeconfig } from "../kubernetes/kubeconfig.ts";
import { askControlPlanes } from "../operations/cluster_view.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import type { Module } from "./module.ts";
import { readMachineConfiguration } from "../../transport/node/machine_configuration.ts";
import {
  givenHandle,
  readText,
  readTruth,
  toJson,
} from "../runbook_cel/values.ts";

const toField: ValueFields = {
  to: {
    type: "enum",
    values: ["vault"],
    initial: "vault",
    summary: "Where to store it",
  },
};

const writtenFields: ValueFields = {
  path: { type: "path", summary: "Path of the file" },
  changed: { type: "bool", summary: "Whether the file changed" },
  previous: {
    type: "string",
    summary: "Backup of the previous file; empty if there was none",
  },
};

/** Writes the new client certificate into a client configuration. */
export const osconfigWrite: Module = {
  kind: "read",
  name: "osconfig.write",
  summary: "Write a client certificate into a client configuration",
  scope: "cluster",
  input: {
    path: {
      type: "path",
      summary:
        "Path of the file; default the client configuration of the run, in which only the context of the run is updated",
    },
    config: {
      type: "secret",
      required: true,
      summary: "Client certificate from osconfig.issue",
    },
    keepPrevious: {
      type: "bool",
      initial: true,
      summary: "Whether to back up an existing file",
    },
  },
  output: writtenFields,
  async *read({ vault, ring: { home }, clock, signal }, input) {
    const path = readText(input, "path");
    yield { text: `writing ${path ?? `context ${home.name}`}` };
    const credential = await credentialIn(vault, givenHandle(input, "config"));
    const now = new Date(clock.now());
    const keepPrevious = readTruth(input, "keepPrevious", true);
    const { previous = "", ...written } = path === undefined
      ? await updateContext(vault, credential, { home, now, signal })
      : await writeOsconfig(vault, credential, {
        ...{ path, home, keepPrevious, now },
      });
    return { ...written, previous };
  },
};

/** Writes the new CAs into a file. */
export const vaultExport: Module = {
  kind: "read",
  name: "vault.export",
  summary: "Write new CAs and clients to a file that only its owner can read",
  scope: "cluster",
  input: {
    path: { type: "path", required: true, summary: "Path of the file" },
    what: {
      type: "list",
      items: {
        type: "enum",
        values: ["ca", "clients"],
        summary: "Name of a secret in the vault",
      },
      initial: ["ca", "clients"],
      summary: "Secrets to write",
    },
  },
  output: writtenFields,
  async *read({ vault, ring }, input) {
    const path = readText(input, "path") ?? "";
    yield { text: `writing ${path}` };
    const what = Array.isArray(input.what) ? input.what : ["ca", "clients"];
    const handle = vault.find("client.final");
    const client = what.includes("clients") && handle !== undefined
      ? await credentialIn(vault, handle)
      : undefined;
    const cas = what.includes("ca");
    const { changed } = await exportVault({ vault, ring }, {
      path,
      cas,
      client,
    });
    return { path, changed, previous: "" };
  },
};

/** Keeps the configuration of a node. */
export const configBackup: Module = {
  kind: "read",
  name: "config.backup",
  summary: "Back up a node's configuration in the vault",
  scope: "node",
  input: toField,
  output: {
    config: { type: "secret", summary: "The backup" },
    hash: { type: "string", summary: "Hash of the configuration" },
  },
  retryable: ["unavailable", "deadline"],
  async *read({ node, client, vault }) {
    yield { text: "backing up the configuration" };
    const text = await readMachineConfiguration(client);
    const { documents } = loadDocuments(text, node);
    const hash = await configurationHash(documents);
    const bytes = new TextEncoder().encode(text);
    const id = (await sha256Hex(bytes)).slice(0, 12);
    const config = await vault.put(`config.${node}.${id}`, bytes);
    return { config: toJson(config), hash };
  },
};

/** Keeps the admin kubeconfig. */
export const kubeconfigFetch: Module = {
  kind: "read",
  name: "kubeconfig.fetch",
  summary: "Store an admin kubeconfig in the vault",
  scope: "cluster",
  input: toField,
  output: { kubeconfig: { type: "secret", summary: "The kubeconfig" } },
  retryable: ["unavailable", "deadline"],
  async *read(context) {
    yield { text: "fetching the kubeconfig" };
    const text = await askControlPlanes(
      context.cluster,
      readKubeconfig,
      "Cannot fetch the kubeconfig",
    );
    const bytes = new TextEncoder().encode(text);
    const id = (await sha256Hex(bytes)).slice(0, 12);
    const made = await context.vault.put(`kubeconfig.${id}`, bytes);
    return { kubeconfig: toJson(made) };
  },
};
