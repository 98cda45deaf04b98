/** Compares a site with its live cluster, node by node. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { rebootNeed } from "../../config/change/reboot_need.ts";
import { osVersionIn } from "../../config/change/version_support.ts";
import { diffDocuments } from "../../config/diff.ts";
import {
  type ConfigDocument,
  loadDocuments,
  mainKind,
} from "../../config/documents/load.ts";
import { findInstaller } from "../../config/documents/find_value.ts";
import { plainSchematic } from "../../config/releases.ts";
import { OsctlError } from "../../errors.ts";
import { withV } from "../../lib/version.ts";
import {
  componentNames,
  configuredImage,
  imageVersion,
  withImage,
} from "../kubernetes/components.ts";
import type { UnconfiguredAnswer } from "../operations/wait_ready.ts";
import type { NodeFacts } from "../runbook_cel/facts.ts";
import { parseInstaller } from "../upgrade/installer_reference.ts";
import type { RenderedNode } from "./render_node.ts";

/** Change that a difference needs. */
export type SiteNeed = "nothing" | "reboot" | "upgrade" | "reset" | "install";

/** Subject of a difference. */
export type SiteSubject =
  | "membership"
  | "role"
  | "version"
  | "schematic"
  | "kubernetes"
  | "configuration";

/** One difference of a node. */
export interface SiteDifference {
  readonly subject: SiteSubject;
  /** Component of Kubernetes, or identity of a configuration document; empty for others. */
  readonly name: string;
  readonly live: string | null;
  readonly declared: string | null;
  /** Unified diff of a document, without secrets; null for other subjects. */
  readonly diff: string | null;
  readonly needs: SiteNeed;
}

/** State of a node against the directory. */
export type NodeState =
  | "equal"
  | "different"
  | "maintenance"
  | "absent"
  | "undeclared"
  | "unreachable";

/** A compared node. */
export interface NodeComparison {
  /** Host of the site; name of a node that is not declared. */
  readonly node: string;
  readonly address: string;
  readonly role: "controlplane" | "worker";
  readonly state: NodeState;
  /** Why the node could not be compared; null if it was. */
  readonly reason: string | null;
  readonly differences: readonly SiteDifference[];
}

/** A comparison, and what a plan needs of it. */
export interface ComparedNode {
  readonly row: NodeComparison;
  /** Absent for nodes that are not declared. */
  readonly rendered?: RenderedNode;
  /** Live facts; absent for nodes that are not members. */
  readonly facts?: NodeFacts;
  /** Configuration with the live images of Kubernetes, YAML: a Kubernetes upgrade changes these. */
  readonly configuration?: string;
  /** Hash of the running configuration. */
  readonly from?: string;
}

/** Access to the live nodes. */
interface LiveNodes {
  /** Members; empty if no node of the cluster answered. */
  readonly facts: readonly NodeFacts[];
  /** Reads the running configuration of a member by address, YAML. */
  readonly readText: (address: string) => Promise<string>;
  /** Asks a node that is no member whether it waits for a configuration. */
  readonly probe: (address: string) => Promise<UnconfiguredAnswer>;
}

/**
 * Compares nodes with the live cluster; each is asked once, all at the same time.
 *
 * @param all All declared nodes, to find members that are not declared; empty to omit these.
 */
export async function compareSite(
  rendered: readonly RenderedNode[],
  live: LiveNodes,
  all: readonly RenderedNode["node"][],
): Promise<readonly ComparedNode[]> {
  const declared = await Promise.all(
    rendered.map((one) => compareNode(one, live)),
  );
  if (all.length === 0) return declared;
  const others = live.facts.filter((facts) =>
    !all.some((node) => isSameNode(node, facts))
  );
  return [...declared, ...others.map(toUndeclared)];
}

/** Reports whether a declared node is a member. */
function isSameNode(
  { host, ip }: RenderedNode["node"],
  { name, address }: Pick<NodeFacts, "name" | "address">,
): boolean {
  return ip === undefined ? host === name || host === address : ip === address;
}

function toUndeclared(facts: NodeFacts): ComparedNode {
  const { name: node, address, role } = facts;
  const differences = [difference("membership", "reset", { live: "member" })];
  const state = "undeclared";
  return {
    row: { node, address, role, state, reason: null, differences },
    facts,
  };
}

async function compareNode(
  rendered: RenderedNode,
  live: LiveNodes,
): Promise<ComparedNode> {
  const { host, ip, role } = rendered.node;
  const facts = live.facts.find((one) => isSameNode(rendered.node, one));
  const address = facts?.address ?? ip ?? host;
  const head = { node: host, address, role };
  try {
    if (facts === undefined) {
      return { row: await compareAbsent(head, live), rendered };
    }
    const text = await live.readText(address);
    const { documents } = loadDocuments(text, `the configuration of ${host}`);
    const components = findComponents(rendered, documents);
    const configuration = components.reduce(
      (text, { name, live }) => withImage(text, name, live),
      rendered.text,
    );
    const differences = [
      ...compareFacts(rendered, facts),
      ...components.map(({ name, ...values }) =>
        difference("kubernetes", "upgrade", values, name)
      ),
      ...compareDocuments(documents, configuration, facts),
    ];
    const state = differences.length === 0 ? "equal" : "different";
    return {
      row: { ...head, state, reason: null, differences },
      rendered,
      facts,
      configuration,
      from: await configurationHash(documents),
    };
  } catch (error) {
    if (!(error instanceof OsctlError)) throw error;
    const { message: reason } = error;
    return {
      row: { ...head, state: "unreachable", reason, differences: [] },
      rendered,
      ...facts !== undefined && { facts },
    };
  }
}

async function compareAbsent(
  head: Pick<NodeComparison, "node" | "address" | "role">,
  live: LiveNodes,
): Promise<NodeComparison> {
  const answer = await live.probe(head.address);
  const isWaiting = "version" in answer;
  return {
    ...head,
    state: isWaiting ? "maintenance" : "absent",
    reason: isWaiting ? null : answer.failure.message,
    differences: [
      difference("membership", "install", { declared: "member" }),
    ],
  };
}

function compareFacts(
  { node, version, documents, schematicId }: RenderedNode,
  facts: NodeFacts,
): readonly SiteDifference[] {
  const found: SiteDifference[] = [];
  if (node.role !== facts.role) {
    const values = { live: facts.role, declared: node.role };
    found.push(difference("role", "reset", values));
  }
  if (withV(version) !== facts.version) {
    const values = { live: facts.version, declared: withV(version) };
    found.push(difference("version", "upgrade", values));
  }
  // A patch may choose an image that was not made by a factory.
  const image = findInstaller(documents);
  const wanted = image === undefined ? schematicId : parseInstaller(image);
  const schematic = typeof wanted === "string" ? wanted : wanted.schematic;
  const running = facts.schematic || plainSchematic;
  if (schematic !== undefined && schematic !== running) {
    const values = { live: running, declared: schematic };
    found.push(difference("schematic", "upgrade", values));
  }
  return found;
}

/** Finds components whose live image has another version than the declared one; a Kubernetes upgrade changes these. */
function findComponents(
  { documents }: RenderedNode,
  live: readonly ConfigDocument[],
) {
  return componentNames.flatMap((name) => {
    const before = configuredImage(live, name);
    const declared = configuredImage(documents, name);
    const isOther = imageVersion(before) !== imageVersion(declared);
    // Workers name the kubelet only.
    return before === "" || declared === "" || !isOther
      ? []
      : [{ name, live: before, declared }];
  });
}

function compareDocuments(
  live: readonly ConfigDocument[],
  text: string,
  facts: NodeFacts,
): readonly SiteDifference[] {
  const { documents } = loadDocuments(text, facts.name);
  const changes = diffDocuments(live, documents);
  if (changes.length === 0) return [];
  const version = osVersionIn(facts.version);
  const reboots = rebootNeed(live, documents, version).length > 0;
  return changes.map(({ identity, change, diff }) => {
    const values = {
      live: change === "added" ? null : "present",
      declared: change === "removed" ? null : "present",
    };
    // Other documents than the main one are applied at once.
    const isMain = identity === mainKind;
    const need = reboots && isMain ? "reboot" : "nothing";
    return { ...difference("configuration", need, values, identity), diff };
  });
}

/** Makes a difference. */
export function difference(
  subject: SiteSubject,
  needs: SiteNeed,
  values: Partial<Pick<SiteDifference, "live" | "declared">>,
  name = "",
): SiteDifference {
  return {
    subject,
    name,
    live: null,
    declared: null,
    diff: null,
    needs,
    ...values,
  };
}

/** Why a node is left alone, and the command for it; empty if it is not. */
export function untouchedLine({ row }: ComparedNode): readonly string[] {
  const { node, address, role, state, reason, differences } = row;
  const change = differences.find(({ subject }) => subject === "role");
  const removal = (change?.live ?? role) === "controlplane"
    ? `osctl runbook run builtin:replace-controlplane --input old=${address}`
    : `osctl reset --nodes ${address}`;
  if (state === "undeclared") {
    return [`${node} is not declared; to remove it: ${removal}`];
  }
  if (change !== undefined) {
    return [
      `${node} is a ${change.live}, and is declared as a ${change.declared}; to replace it: ${removal}`,
    ];
  }
  return state === "absent" || state === "unreachable"
    ? [`${node} is ${state}: ${reason}`]
    : [];
}
