/** Label selectors for nodes: `--selector`. */

import { formatFirst } from "../../lib/text/count.ts";
import { domain } from "../../talos.ts";
import { UsageError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { withDeadline } from "../call/deadline.ts";
import { fanOut } from "./fan_out.ts";
import { knownMembers, type Member, memberNamed } from "./members.ts";
import { readFields, readSpecs } from "./read_resource.ts";

/** One condition on the labels of a node. */
interface LabelCondition {
  readonly label: string;
  readonly operator: "=" | "!=" | "exists" | "absent";
  /** Value to compare with; empty for `exists` and `absent`. */
  readonly value: string;
}

/** Labels of a node by name. */
type Labels = ReadonlyMap<string, string>;

/**
 * Parses a selector in Kubernetes syntax: `role=worker,zone!=a,gpu,!old`.
 *
 * @throws {UsageError} With the invalid part.
 */
export function parseSelector(text: string): readonly LabelCondition[] {
  return text.split(",").map((part) => {
    const [, label = "", operator, value = ""] =
      /^([\w./-]+)\s*(==?|!=)\s*([\w./-]*)$/.exec(part.trim()) ?? [];
    if (operator !== undefined) {
      return { label, operator: operator === "!=" ? "!=" : "=", value };
    }
    const [, not, alone = ""] = /^(!?)([\w./-]+)$/.exec(part.trim()) ?? [];
    if (alone === "") {
      throw new UsageError(`Invalid selector "${text}": "${part.trim()}"`, {
        hint:
          "Use label=value, label!=value, label or !label, such as role=worker",
      });
    }
    return { label: alone, operator: not ? "absent" : "exists", value: "" };
  });
}

/** Reports whether labels fulfil all conditions. */
export function fits(
  labels: Labels,
  conditions: readonly LabelCondition[],
): boolean {
  return conditions.every(({ label, operator, value }) => {
    const found = labels.get(label);
    switch (operator) {
      case "=":
        return found === value;
      case "!=":
        return found !== value;
      case "exists":
        return found !== undefined;
      case "absent":
        return found === undefined;
    }
  });
}

const ofMembers: ReadonlySet<string> = new Set([
  "role",
  "hostname",
  "kubernetes.io/hostname",
  "node-role.kubernetes.io/control-plane",
]);

/** True if the member list is enough to evaluate the conditions. */
function needsMembersOnly(
  conditions: readonly LabelCondition[],
): boolean {
  return conditions.every(({ label }) => ofMembers.has(label));
}

function memberLabels({ hostname, controlPlane }: Member): Labels {
  return new Map([
    ["role", controlPlane ? "controlplane" : "worker"],
    ["hostname", hostname],
    ["kubernetes.io/hostname", hostname],
    ...controlPlane
      ? [["node-role.kubernetes.io/control-plane", ""] as const]
      : [],
  ]);
}

/** Access to the nodes whose labels are read. */
interface LabelContext {
  readonly signal: AbortSignal;
  /** Timeout for each node in milliseconds. */
  readonly nodeTimeoutMs: number;
  /** Shows the matching nodes to the user. */
  readonly note: (text: string) => void;
  readonly endpoint: (signal: AbortSignal) => NodeClient;
  readonly node: (node: string, signal: AbortSignal) => Promise<NodeClient>;
}

/**
 * Filters nodes by a label selector.
 *
 * @returns Their names, in the same order; at least one.
 * @throws {UsageError} If the selector is invalid, or no node matches.
 * @throws {NodesError} If the labels of a node cannot be read.
 */
export async function labelledNodes(
  selector: string,
  names: readonly string[],
  { signal: given, nodeTimeoutMs: deadlineMs, note, endpoint, node }:
    LabelContext,
): Promise<readonly string[]> {
  const conditions = parseSelector(selector);
  const { signal, clear } = withDeadline({ signal: given, deadlineMs });
  const kept = new Set<string>();
  try {
    const members = await knownMembers(endpoint(signal));
    const answers = fanOut({
      nodes: names,
      atOnce: 64,
      async *open(name) {
        const member = memberNamed(members, name);
        const known = member === undefined ? [] : memberLabels(member);
        const own = needsMembersOnly(conditions)
          ? []
          : await ownLabels(await node(name, signal));
        yield new Map([...own, ...known]);
      },
    });
    for await (const { node, value: labels } of answers) {
      if (fits(labels, conditions)) kept.add(node);
    }
  } finally {
    clear();
  }
  const found = names.filter((name) => kept.has(name));
  if (found.length === 0) {
    throw new UsageError(`No node matches the selector "${selector}"`, {
      hint:
        "Labels are role, hostname and those of machine.nodeLabels; list them with: osctl get nodelabelspecs",
    });
  }
  note(`${selector}: ${formatFirst(found, ", ", 5)}`);
  return found;
}

/** Kubernetes node labels from the configuration of a node. Source: resource `NodeLabelSpecs`. */
async function ownLabels(
  client: Pick<NodeClient, "state">,
): Promise<Labels> {
  const specs = await readSpecs(client, {
    namespace: "k8s",
    type: `NodeLabelSpecs.k8s.${domain}`,
  });
  return new Map(
    [...specs?.values() ?? []].map((spec) => {
      const { key, value } = readFields(spec);
      return [String(key), String(value ?? "")];
    }),
  );
}
