/** Read-only commands with their command lines for a cluster, derived from their declarations. */

import type { IndexEntry } from "../../commands/_kit/command.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import { findOperation } from "../../commands/_kit/target_nodes.ts";

type AskedNodes =
  /** All nodes at once. */
  | "all"
  /** Control planes; other nodes do not answer. */
  | "controlplanes"
  /** One node, preferably a control plane. */
  | "one"
  /** None: it reads nothing from nodes. */
  | "none";

/** A read-only command with its command line. */
export interface ReadCommand {
  /** Full name: `etcd members`. */
  readonly name: string;
  /** Command line without `osctl`, nodes and format. */
  readonly line: string;
  readonly asks: AskedNodes;
  /** True when its rows are data in every format; false when it prints text or bytes. */
  readonly rows: boolean;
  /** Flag that makes it a stream; empty when it always is one, absent when it never is. */
  readonly stream?: string;
}

/** Commands to skip, by name or first word, with the reason. */
export const untried: Readonly<Record<string, string>> = {
  "airgap mirror": "copies images between registries",
  "airgap verify": "lets nodes pull images",
  cluster: "is about clusters on this machine",
  completion: "asks no node",
  config: "asks no node",
  conformance: "runs tests for hours",
  debug: "runs a container on a node",
  dashboard: "fills the screen of a terminal",
  gen: "asks no node",
  inject: "asks no node",
  machineconfig: "needs configuration files",
  operation: "is about operations of this machine",
  "rotate-ca": "changes nodes",
  "upgrade-k8s": "changes nodes",
  runbook: "is about runs of this machine",
  site: "needs the files of a site",
  support: "writes a file",
  validate: "needs configuration files",
  "etcd downgrade validate": "its answer depends on the version of etcd",
  "image cache-cert-gen": "asks no node",
  "image cache-create": "asks no node",
  "image cache-serve": "asks no node",
  "etcd snapshot": "writes a file; tried where the cluster may be disturbed",
  "etcd snapshot verify":
    "reads a file; tried where the cluster may be disturbed",
};

/** Replacements of first examples that do not fit other clusters, or print too much. */
const lines: Readonly<Record<string, string>> = {
  "airgap images": "airgap images",
  containers: "containers --kubernetes",
  copy: "copy /etc/os-release -",
  events: "events --tail 1",
  get: "get members",
  // Checks of an unhealthy cluster would wait for 20 minutes, in each format.
  health: "health --wait-timeout 30s",
  "inspect dependencies": "inspect dependencies",
  kubeconfig: "kubeconfig -",
  list: "list /etc",
  logs: "logs machined --tail 5",
  memory: "memory",
  pcap: "pcap --duration 500ms -o -",
  read: "read /proc/version",
  usage: "usage /etc",
  version: "version",
  "upgrade plan": "upgrade plan --to v1.12.11",
};

/** Nodes of commands that do not support all. */
const asked: Readonly<Record<string, AskedNodes>> = {
  "ca report": "all",
  "cgroups schema": "none",
  copy: "one",
  events: "one",
  health: "one",
  "image default": "none",
  "inspect dependencies": "one",
  "image os-bundle": "none",
  kubeconfig: "one",
  pcap: "one",
  read: "one",
};

/** Commands that stream to the full screen. */
const screens: ReadonlySet<string> = new Set(["processes"]);

/**
 * Finds read-only commands.
 *
 * @param entries All commands.
 * @returns In index order, without {@linkcode untried}.
 */
export async function readCommands(
  entries: readonly IndexEntry[],
): Promise<readonly ReadCommand[]> {
  const found: ReadCommand[] = [];
  for (const { name, hidden, load } of entries) {
    const isUntried = Object.hasOwn(untried, name) ||
      Object.hasOwn(untried, name.split(" ")[0]!);
    if (hidden || load === undefined || isUntried) continue;
    const file = await load();
    const inputs = allInputs(file.command, file);
    const initial = Object.entries(inputs).map(([key, input]) =>
      [key, input.role === "flag" ? input.initial : undefined] as const
    );
    if (findOperation(file, Object.fromEntries(initial)) !== undefined) {
      continue;
    }
    const stream = name === "events"
      ? ""
      : screens.has(name)
      ? undefined
      : ["follow", "watch"].find((flag) => Object.hasOwn(inputs, flag));
    found.push({
      name,
      line: lines[name] ?? findExample(file.command.examples) ?? name,
      asks: asked[name] ?? (name.startsWith("etcd ") ? "controlplanes" : "all"),
      rows: "output" in inputs && file.command.output !== "own",
      ...stream === undefined ? {} : { stream: stream && `--${stream}` },
    });
  }
  return found;
}

/** Names in {@linkcode lines} and {@linkcode untried} without a command. */
export function staleNames(entries: readonly IndexEntry[]): readonly string[] {
  const names = new Set(entries.map(({ name }) => name));
  return [lines, asked, untried].flatMap((table) => Object.keys(table))
    .filter((name) => !names.has(name));
}

/** First example that terminates, without its nodes and format. */
function findExample(examples: readonly string[] = []): string | undefined {
  return examples.map((line) =>
    line.replace(/ (--nodes|-n|--output|-o) \S+/g, "")
  ).find((line) => !/ --?(watch|follow|w|f|insecure)\b/.test(line));
}
