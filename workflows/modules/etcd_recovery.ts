import { ConfigError, RefusedError } from "../../errors.ts";
import { copySource } from "../etcd/etcd_facts.ts";
import { assessEtcd } from "../operations/etcd/etcd_state.ts";
import { bootstrapFromSnapshot } from "../operations/etcd/bootstrap_from_snapshot.ts";
import { resetEphemeral } from "../operations/etcd/reset_ephemeral.ts";
import {
  chooseSource,
  type CopiedDatabase,
  copyText,
  salvageDatabase,
} from "../etcd/recovery/source.ts";
import type { Json } from "../../lib/json.ts";
import { saveSnapshot } from "../etcd/snapshot/snapshot_file.ts";
import type { Module, StepContext } from "./module.ts";
import { readText, readTruth } from "../runbook_cel/values.ts";
import type { ValueFields } from "../runbook_cel/field.ts";

/** Reports the remaining etcd members. */
export const etcdAssess: Module = {
  kind: "read",
  looks: true,
  name: "etcd.assess",
  summary: "Assess the health of etcd",
  scope: "cluster",
  input: {},
  output: {
    quorum: { type: "bool", summary: "Whether etcd has a quorum" },
    voters: { type: "int", summary: "Number of voting members" },
    healthy: { type: "int", summary: "Number of healthy members" },
    needed: { type: "int", summary: "Number of members needed for a quorum" },
    nodes: {
      type: "list",
      items: { type: "any", summary: "A control plane" },
      summary: "Control planes with their etcd state",
    },
  },
  retryable: ["unavailable", "deadline"],
  async *read(context) {
    yield { text: "checking all control planes" };
    const { nodes, ...rest } = await assessEtcd(context);
    return { ...rest, nodes: nodes.map((node) => ({ ...node })) };
  },
};

const artifactInput: ValueFields = {
  artifact: {
    type: "string",
    required: true,
    summary: "Name of the file in the run's folder",
  },
};

/** Copies the database of a node. */
export const etcdCopyDatabase: Module = {
  kind: "read",
  name: "etcd.copyDatabase",
  summary: "Copy the etcd database of a node and keep it if it is intact",
  scope: "node",
  input: artifactInput,
  output: {
    node: { type: "string", summary: "The node" },
    file: { type: "path", summary: "The copy" },
    sha256: { type: "string", summary: "SHA-256 of the file" },
    revision: { type: "int", summary: "Last revision in the file" },
    takenAt: { type: "timestamp", summary: "Time of the copy" },
  },
  retryable: ["unavailable", "deadline"],
  widenable: ["internal"],
  async *read({ node, client, clock, signal, artifacts }, input) {
    const path = `${artifacts}/${fileName(readText(input, "artifact"))}`;
    yield { text: "copying the etcd database" };
    const takenAt = new Date(clock.now()).toISOString();
    const { file, sha256, status } = await salvageDatabase(
      client,
      path,
      signal,
    );
    yield { text: copyText(status) };
    return { node, file, sha256, revision: status.revision, takenAt };
  },
};

/** Takes a snapshot. */
export const etcdSnapshot: Module = {
  kind: "read",
  name: "etcd.snapshot",
  summary: "Save an etcd snapshot in the run's folder",
  scope: "cluster",
  input: artifactInput,
  output: {
    file: { type: "path", summary: "The snapshot" },
    node: { type: "string", summary: "Node it was taken from" },
    revision: { type: "int", summary: "Last revision in the file" },
    hash: { type: "string", summary: "CRC-32C of its contents" },
  },
  retryable: ["unavailable", "deadline"],
  async *read({ cluster, signal, artifacts }, input) {
    const file = `${artifacts}/${fileName(readText(input, "artifact"))}`;
    const node = await healthyMember(cluster);
    yield { text: `taking a snapshot from ${node}` };
    const client = await cluster.at(node);
    const { revision, hash } = await saveSnapshot(client, file, signal);
    return { file, node, revision, hash };
  },
};

/** Chooses the source of the recovery. */
export const etcdChooseSource: Module = {
  kind: "read",
  name: "etcd.chooseSource",
  summary: "Choose the snapshot to recover etcd from and verify it",
  scope: "cluster",
  input: {
    file: {
      type: "path",
      summary: "Snapshot to use; default the newest copy",
    },
    candidates: {
      type: "any",
      summary: "Copies by node, from etcd.copyDatabase",
    },
  },
  output: {
    file: { type: "path", summary: "The file" },
    sha256: { type: "string", summary: "SHA-256 of the file" },
    revision: { type: "int", summary: "Last revision in the file" },
    takenAt: { type: "timestamp", summary: "Time of the snapshot" },
    verified: { type: "bool", summary: "Whether its checksum is correct" },
    salvaged: {
      type: "bool",
      summary: "Whether it is a copy of a data directory, without a checksum",
    },
    node: {
      type: "string",
      summary: "Node it was taken from; empty for a given file",
    },
    newer: {
      type: "string",
      summary:
        "Node with a newer copy than the given file; empty if there is none",
    },
  },
  async *read({ artifacts, signal }, input) {
    yield { text: "verifying" };
    const source = await chooseSource({
      given: readText(input, "file"),
      candidates: candidatesIn(input.candidates),
      artifacts,
      signal,
    });
    return { ...source };
  },
};

/** Recovers etcd on one node. */
export const etcdBootstrapFromSnapshot: Module = {
  kind: "change",
  name: "etcd.bootstrapFromSnapshot",
  summary: "Recover etcd on one node from a snapshot",
  scope: "node",
  input: {
    node: { type: "node", summary: "The node; default that of the fan-out" },
    file: { type: "path", required: true, summary: "The snapshot" },
    sha256: { type: "string", summary: "Expected SHA-256" },
    skipHashCheck: {
      type: "bool",
      initial: false,
      summary: "True for copies of a data directory, which have no checksum",
    },
    dead: {
      type: "list",
      items: { type: "node", summary: "A node" },
      initial: [],
      summary: "Control planes declared dead",
    },
  },
  output: {},
  widenable: ["not-started"],
  timeout: "15m",
  operation: bootstrapFromSnapshot,
  prepare: (_, values) => ({
    input: {
      file: readText(values, "file") ?? "",
      sha256: readText(values, "sha256") ?? null,
      skipHashCheck: readTruth(values, "skipHashCheck", false),
      dead: Array.isArray(values.dead) ? values.dead.map(String) : [],
    },
  }),
};

/** Wipes the etcd data of a node. */
export const nodeResetEphemeral: Module = {
  kind: "change",
  name: "node.resetEphemeral",
  summary: "Wipe etcd, images and pods of a node; keep its configuration",
  scope: "node",
  input: {
    graceful: {
      type: "bool",
      initial: false,
      summary: "Whether to drain the node and leave etcd first",
    },
    reboot: {
      type: "bool",
      initial: true,
      summary: "Whether to reboot afterwards; always true",
    },
  },
  output: {},
  retryable: ["unavailable", "not-started"],
  timeout: "15m",
  operation: resetEphemeral,
  prepare: (_, values) => ({
    input: { graceful: readTruth(values, "graceful", false) },
  }),
};

/** A healthy member, preferably not the leader. */
async function healthyMember(
  { readEtcd }: StepContext["cluster"],
): Promise<string> {
  const node = copySource(await readEtcd());
  if (node !== undefined) return node;
  throw new RefusedError("No etcd member is healthy");
}

function fileName(name: string | undefined): string {
  if (name !== undefined && /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name)) {
    return name;
  }
  throw new ConfigError(
    `Cannot use "${name ?? ""}" as an artifact: it is not a plain file name`,
  );
}

function candidatesIn(value: Json | undefined): readonly CopiedDatabase[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([node, one]) => {
    const isRecord = typeof one === "object" && one !== null;
    if (!isRecord || !("file" in one)) return [];
    const { file, sha256, revision, takenAt } = one;
    return [{
      node,
      file: String(file),
      sha256: String(sha256),
      revision: Number(revision),
      takenAt: String(takenAt),
    }];
  });
}
