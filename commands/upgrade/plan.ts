import { OsctlError, RefusedError } from "../../errors.ts";
import { formatFirst } from "../../lib/text/count.ts";
import { isOlderMinor, parseMinor } from "../../lib/version.ts";
import type { NodeContext } from "../../workflows/operations/operation.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";
import {
  type ClusterView,
  viewCluster,
} from "../../workflows/operations/cluster_view.ts";
import { mayLeave } from "../../workflows/etcd/quorum.ts";
import { upgrade } from "../../workflows/operations/upgrade/upgrade.ts";
import {
  observeUpgrade,
  type UpgradeCall,
  type UpgradeInput,
  type UpgradeSeen,
} from "../../workflows/operations/upgrade/upgrade_facts.ts";
import {
  unknownsOfImage,
  upgradeAllowances,
  upgradeProblems,
} from "../../workflows/upgrade/upgrade_problems.ts";
import { type Command, type Context, table } from "../_kit/mod.ts";
import {
  type ImageInputs,
  imageInputs,
  upgradeInput,
} from "../_upgrade_inputs.ts";

/** A problem, with the safety rule, and its override if there is one. */
interface PlanFinding {
  readonly rule: string;
  readonly text: string;
  readonly allowance?: string;
}

/** Planned upgrade of a node. Sources: `MachineService.Version` and resources of the node. */
export interface UpgradePlanRow {
  readonly node: string;
  /** Running version, with `v`. */
  readonly version: string;
  /** CPU architecture: `amd64`. */
  readonly arch: string;
  /** Platform: `metal`. */
  readonly platform: string;
  /** True if it booted with secure boot; null if the node does not report it. */
  readonly secureBoot: boolean | null;
  /** Schematic of the running image; null if the node does not report it. */
  readonly schematic: string | null;
  /** Running extensions, `name@version`. */
  readonly extensions: readonly string[];
  /** Kubelet version; null if the node does not report it. */
  readonly kubernetes: string | null;
  readonly image: string;
  /** Its version; null if not part of its name. */
  readonly target: string | null;
  /** Its schematic; null if not part of its name. */
  readonly targetSchematic: string | null;
  readonly call: UpgradeCall;
  /** Actions, in order; empty if there is nothing to do, or it would be refused. */
  readonly actions: readonly string[];
  /** Problems, and the rules that override them. */
  readonly findings: readonly PlanFinding[];
  /** Reason for a refusal that no rule overrides; null if there is none. */
  readonly refused: string | null;
  /** Facts that only the image registry knows; it was not queried. */
  readonly unknown: readonly string[];
}

export const command: Command<UpgradePlanRow, ImageInputs> = {
  summary: "Preview an upgrade, and list what blocks it",
  description:
    `Compares version, extensions, architecture, platform, secure boot and Kubernetes of each node with the image name.
Nothing is changed on the nodes and no registry is contacted; the output names facts that only the registry has.
The state of etcd is compared with the safety rules; a rule that forbids the upgrade now blocks it, too.

If something blocks the upgrade of a node, the status is 5.`,
  inputs: imageInputs,
  examples: [
    "upgrade plan --nodes @all --to v1.13.1",
    "upgrade plan --nodes 10.0.0.5 -o json",
  ],
  view: table({
    NODE: { cell: ({ node }) => node, name: true },
    VERSION: ({ version }) => version,
    TARGET: ({ target, image }) => target ?? image,
    // The image of every row would leave no space for the problems.
    ACTIONS: {
      cell: ({ actions, image }) =>
        actions.map((action) => action.replace(` ${image}`, "")).join(", ") ||
        "-",
      priority: 0,
    },
    IMAGE: { cell: ({ image }) => image, priority: 9 },
    "BLOCKED BY": {
      cell: ({ findings, refused }) =>
        [
          ...findings.map(({ text }) => text),
          ...refused === null ? [] : [refused],
        ]
          .join("; ") || "-",
      tone: ({ refused }) => refused === null ? undefined : "bad",
      prose: true,
      priority: 1,
    },
  }),
  async *run({ input, nodes, note, signal, environment }) {
    const wanted = upgradeInput(input, { drainMs: 1 });
    const noted = new Set<string>();
    const clock = makeClock(environment);
    using cluster = viewCluster(nodes, clock);
    const findRefusal = etcdRefusals(cluster, note);
    const blocked = new Set<string>();
    const steps = new Set<string>();
    const versions = new Set<string>();
    let isIdle = true;
    const answers = nodes.call((client) =>
      look({ node: client.node, client, cluster, signal, clock }, wanted)
    );
    for await (const { node, value: { seen, refused } } of answers) {
      const plan = makePlan(seen, wanted);
      const findings = [
        ...plan.findings,
        ...plan.actions.includes("reboot") ? await findRefusal(node) : [],
      ];
      const row = {
        node,
        ...plan,
        findings,
        refused: plan.refused ?? refused,
      };
      if (findings.length > 0 || row.refused !== null) blocked.add(node);
      const next = nextMinor(row);
      if (next !== undefined) steps.add(next);
      const text = formatUnknown(row);
      if (!noted.has(text)) note(text);
      noted.add(text);
      versions.add(row.version);
      isIdle &&= row.actions.length === 0;
      yield row;
    }
    if (blocked.size === 0) {
      if (isIdle) {
        note(`Nothing to do: all nodes run ${[...versions].join(", ")}`);
      }
      return;
    }
    const order = await nodes.names();
    const names = order.filter((name) => blocked.has(name));
    throw new RefusedError(
      `An upgrade of ${formatFirst(names)} is blocked`,
      steps.size === 0
        ? {}
        : { hint: `Upgrade to ${[...steps].join(", ")} first` },
    );
  },
};

/** Formats what neither the nodes nor the name of the image tell. */
function formatUnknown(
  { image, unknown: [existence, ...others] }: Pick<
    UpgradePlanRow,
    "image" | "unknown"
  >,
): string {
  const first = `Only the registry of ${image} knows ${existence}`;
  return others.length === 0
    ? first
    : `${first}. The name of the image does not show ${others.join(" or ")}.`;
}

/** The minor version between a node and its target, `v1.13.x`; `undefined` if there is none. */
function nextMinor(
  { version, target }: Pick<UpgradePlanRow, "version" | "target">,
): string | undefined {
  const own = parseMinor(version);
  if (own === undefined || target === null) return undefined;
  const next = `v${own.major}.${own.minor + 1}`;
  return isOlderMinor(next, target) ? `${next}.x` : undefined;
}

/** Finds what etcd forbids now; the cluster is asked once. */
function etcdRefusals(
  { readRole, readEtcd }: Pick<ClusterView, "readRole" | "readEtcd">,
  note: Context<unknown>["note"],
): (node: string) => Promise<readonly PlanFinding[]> {
  let etcd: ReturnType<typeof readEtcd> | undefined;
  return async (node) => {
    try {
      if (await readRole(node) !== "controlplane") return [];
      const { facts, memberOf } = await (etcd ??= readEtcd());
      const refusal = mayLeave(facts, memberOf.get(node) ?? "", new Set());
      if (refusal === undefined) return [];
      const { rule, reason: text, allowance } = refusal;
      return [{ rule, text, allowance }];
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      note(
        `warning: ${node}: the state of etcd is not known: ${error.message}`,
      );
      return [];
    }
  };
}

/** Reads the state of a node; without what only Kubernetes knows where that is the reason for a refusal. */
async function look(
  context: NodeContext,
  wanted: UpgradeInput,
): Promise<{ seen: UpgradeSeen; refused: string | null }> {
  try {
    return { seen: await upgrade.observe(context, wanted), refused: null };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const seen = await observeUpgrade(context, wanted);
    return { seen, refused: error.message };
  }
}

function makePlan(
  seen: UpgradeSeen,
  wanted: UpgradeInput,
): Omit<UpgradePlanRow, "node"> {
  const { system, image, via } = seen;
  return {
    version: system.version,
    arch: system.arch,
    platform: system.platform,
    secureBoot: system.secureBoot ?? null,
    schematic: system.schematic ?? null,
    extensions: system.extensions.map(({ name, version }) =>
      `${name}@${version}`
    ),
    kubernetes: system.kubernetes || null,
    image: image.text,
    target: image.version ?? null,
    targetSchematic: image.schematic ?? null,
    call: via,
    ...listActions(seen, wanted),
    findings: upgradeProblems(system, image),
    unknown: unknownsOfImage(image),
  };
}

/** Planning with all rules overridden finds the problems that no rule overrides. */
function listActions(
  seen: UpgradeSeen,
  wanted: UpgradeInput,
): Pick<UpgradePlanRow, "actions" | "refused"> {
  try {
    const actions = upgrade.plan(seen, { ...wanted, allow: upgradeAllowances });
    return { actions: actions.map(({ action }) => action), refused: null };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { actions: [], refused: error.message };
  }
}
