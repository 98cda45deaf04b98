import { withV } from "../lib/version.ts";
import { defaultKubernetes } from "../config/images.ts";
import { formatDuration } from "../lib/duration.ts";
import { findRelease } from "../config/releases.ts";
import { DifferentError, RefusedError, UsageError } from "../errors.ts";
import type { CheckContext } from "../workflows/checks/check.ts";
import { formatServer } from "../workflows/checks/health/health_context.ts";
import {
  k8sNothingRemoved,
  k8sUpgradePath,
} from "../workflows/checks/kubernetes_upgrade.ts";
import {
  type ComponentName,
  keep,
} from "../workflows/kubernetes/components.ts";
import { inventoryPolicies } from "../workflows/kubernetes/manifests.ts";
import { openKubernetes } from "../workflows/kubernetes/client.ts";
import {
  deprecatedText,
  removedText,
} from "../workflows/kubernetes/removals.ts";
import { viewCluster } from "../workflows/operations/cluster_view.ts";
import { makeClock } from "../workflows/operations/run_on_nodes.ts";
import {
  type RunRow,
  runView,
} from "../workflows/runbooks/report/watch_run.ts";
import { toComments } from "../workflows/modules/configuration_comments.ts";
import type { RunRequest } from "../workflows/runbooks/run/prepare_run.ts";
import { startRun } from "../workflows/runbooks/run/start_run.ts";
import { findPlaces } from "../workflows/runbooks/store/run_paths.ts";
import {
  foreignNodes,
  type KubernetesUpgrade,
  planUpgrade,
  refuseOldNodes,
  upgradePhases,
  type UpgradeRow,
} from "./_kubernetes_plan.ts";
import {
  choice,
  type Command,
  type Context,
  duration,
  type Flag,
  imageRepository,
  InputProblem,
  lines,
  outputFlag,
  strings,
  text,
  toggle,
  type Values,
  type View,
} from "./_kit/mod.ts";
import { releaseFlag } from "./_release_flag.ts";
import { commentFlags, runFlags, supersedeFlag } from "./_runbook/run_flags.ts";
import { runSession } from "./_runbook/session.ts";

/** Row of the command: a planned change, or a run. */
type UpgradeK8sRow = UpgradeRow | RunRow;

/** Rules that may be overridden. */
const allowances = ["version-path"] as const;

function image(component: string): Flag<string> {
  const flag = text(
    `registry and path of the ${component} image, without a tag`,
    { initial: keep, shown: "those of each node's current image" },
  );
  return {
    ...flag,
    parse: (value) => value === keep ? keep : imageRepository(value),
  };
}

/** Makes a flag whose values must be known. */
function requireKnown<const Known extends string>(
  flag: Flag<readonly string[]>,
  known: readonly Known[],
): Flag<readonly Known[]> {
  return {
    ...flag,
    initial: [],
    parse(value, before) {
      const all = flag.parse(value, before);
      const unknown = all.find((one) => !known.some((name) => name === one));
      if (unknown === undefined) return all as readonly Known[]; // checked
      throw new InputProblem(`"${unknown}" is not one of ${known.join(", ")}`);
    },
  };
}

const inputs = {
  to: {
    ...text("Kubernetes version to upgrade to", {
      shown: `${defaultKubernetes}, or that of --os-version`,
    }),
    parse(value: string): string {
      if (/^v?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(value)) return value;
      throw new InputProblem('must be a version such as "1.34.1"');
    },
  },
  osVersion: releaseFlag(
    "operating system version whose Kubernetes version --to is by default",
  ),
  from: text("Kubernetes version to upgrade from", {
    shown: "the version each control plane runs",
  }),
  phase: requireKnown(
    strings(`phases: ${upgradePhases.join(", ")}`, { shown: "all" }),
    upgradePhases,
  ),
  dryRun: toggle("only show what would be done"),
  exitCode: toggle(
    "with --dry-run, exit with status 6 if there is something to do",
  ),
  prePullImages: toggle(
    "pull the images on all nodes before anything changes",
    {
      initial: true,
    },
  ),
  upgradeKubelet: toggle("upgrade the kubelets", { initial: true }),
  skipUnreachable: toggle("skip nodes that do not answer"),
  prune: toggle(
    "delete objects that are no longer in any manifest (nodes of v1.13 and later)",
  ),
  manifestsForce: toggle(
    "delete and create objects of manifests whose fields cannot be changed",
  ),
  manifestsInventoryPolicy: choice(
    "which existing objects the manifests may change: those of the nodes' inventory, also those of none, or also those of another (nodes of v1.13 and later)",
    inventoryPolicies,
    { initial: inventoryPolicies[0] },
  ),
  manifestsNoPrune: toggle(
    "keep objects that are no longer in any manifest, as without --prune; false is --prune",
    { initial: true, hidden: true },
  ),
  manifestsReconcileTimeout: duration(
    "timeout for each attempt to apply the manifests and roll them out",
    { initial: "5m0s" },
  ),
  allow: requireKnown(
    strings(`rules to override: ${allowances.join(", ")}`),
    allowances,
  ),
  apiserverImage: image("kube-apiserver"),
  controllerManagerImage: image("kube-controller-manager"),
  schedulerImage: image("kube-scheduler"),
  proxyImage: image("kube-proxy"),
  kubeletImage: image("kubelet"),
  endpoint: text("Kubernetes API, HOST or HOST:PORT", {
    shown: "the one in the kubeconfig",
  }),
  ...runFlags,
  supersede: supersedeFlag,
  ...commentFlags,
};

type UpgradeK8sInputs = Values<typeof inputs>;

export const command = {
  summary: "Upgrade Kubernetes",
  description:
    `Runs the runbook upgrade-kubernetes: all nodes pull the new images, then the API servers, controller managers and
schedulers are upgraded one node at a time, then kube-proxy, then the kubelets, and the bootstrap manifests are applied.
Components that already have the new version are skipped; images keep their registry and path unless a flag names
others. Resume an interrupted upgrade with "osctl runbook resume".

Refused unless overridden with --allow=version-path: a downgrade, a skipped minor version, a version that a node does not
support, and flags, feature gates, admission plugins or API objects in use that the target version does not have.

--nodes limits which kubelets are upgraded. With --dry-run, nothing is changed: osctl shows the images and documents that
would change on each node, the manifests that would be applied, and what blocks the upgrade; --exit-code then ends with
status 6 if there is something to do.`,
  section: "change",
  noStep: "it is a runbook; write use: builtin:upgrade-kubernetes instead",
  inputs,
  examples: [
    "upgrade-k8s --to 1.35.0 --dry-run",
    "upgrade-k8s --to 1.35.0 --yes",
    "upgrade-k8s --to 1.35.0 --phase kubelet --nodes worker-1,worker-2",
  ],
  view: (input) => input.dryRun ? planView(targetVersion(input)) : runOnlyView,
  run: upgrade,
} satisfies Command<UpgradeK8sRow, UpgradeK8sInputs>;

function planView(version: string): View<UpgradeK8sRow> {
  return lines((row) => "kind" in row ? formatRow(row, version) : "");
}

const runOnlyView: View<UpgradeK8sRow> = {
  ...runView,
  render: (row, first, columns) =>
    "kind" in row ? "" : runView.render(row, first, columns),
};

function formatRow(row: UpgradeRow, version: string): string {
  switch (row.kind) {
    case "component":
      return `${row.node}: ${row.component} ${
        row.from || "without an image"
      } -> ${row.to}`;
    case "document":
      return `${row.node}: ${row.document} changes\n${row.diff.trimEnd()}`;
    case "manifest":
      return `${row.action} ${row.object}\n${row.diff.trimEnd()}`;
    case "removed":
      return removedText(row.use, withV(version));
    case "deprecated":
      return deprecatedText(row.use);
    case "skipped":
      return `${row.node}: skipped: ${row.reason}`;
  }
}

async function* upgrade(
  context: Context<UpgradeK8sInputs>,
): AsyncGenerator<UpgradeK8sRow> {
  const { input, environment, note, nodes, signal } = context;
  if (input.exitCode && !input.dryRun) {
    throw new UsageError("Flag --exit-code needs --dry-run");
  }
  const asked = parseUpgrade(context);
  const clock = makeClock(environment);
  const server = input.endpoint === undefined
    ? {}
    : { server: formatServer(input.endpoint) };
  using cluster = viewCluster(
    nodes,
    clock,
    (access) => openKubernetes({ ...access, ...server }),
  );
  const checkContext = { cluster, signal, clock };
  const refusal = input.allow.includes("version-path")
    ? undefined
    : await pathProblem(checkContext, asked, input.from);
  if (!input.dryRun) {
    if (refusal !== undefined) throw refusal;
    await refuseOldNodes(cluster, asked);
    for (const { node, reason } of await foreignNodes(checkContext)) {
      note(`Skipping ${node}: ${reason}`);
    }
    return yield* upgradeRun(context, asked, server.server);
  }
  let isNeeded = false;
  for await (const row of planUpgrade(checkContext, asked)) {
    isNeeded ||= ["component", "document", "manifest"].includes(row.kind);
    yield row;
  }
  if (refusal !== undefined) throw refusal;
  if (isNeeded && (input.withDocs || input.withExamples)) {
    note("Configurations that change also get comments, which the diffs omit");
  }
  note(
    isNeeded
      ? "Nothing was changed. To upgrade, omit --dry-run"
      : `Kubernetes is at ${asked.version} already`,
  );
  if (isNeeded && input.exitCode) {
    throw new DifferentError(`Kubernetes is not at ${asked.version} yet`);
  }
}

/** Runs the runbook. `kubernetesServer`: URL of the Kubernetes API; default from the kubeconfig. */
function upgradeRun(
  context: Context<UpgradeK8sInputs>,
  asked: KubernetesUpgrade,
  kubernetesServer: string | undefined,
): AsyncGenerator<RunRow> {
  const { input, globals, environment } = context;
  // The selected nodes are those with kubelets to upgrade; the run covers the
  // whole cluster.
  const whole = { ...context, globals: { ...globals, nodes: [] } };
  const session = runSession(whole);
  const connected: typeof session = {
    ...session,
    connect: async (name, ends) => ({
      ...await session.connect(name, ends),
      ...kubernetesServer === undefined ? {} : { kubernetesServer },
    }),
  };
  const places = findPlaces(environment);
  return startRun(connected, startOptions(input, asked), { places });
}

/** Reason a run would refuse the version; `undefined` if it would start. */
async function pathProblem(
  { cluster, signal, clock }: Pick<
    CheckContext,
    "cluster" | "signal" | "clock"
  >,
  { version, phases, nodes, skipUnreachable }: KubernetesUpgrade,
  from: string | undefined,
): Promise<RefusedError | undefined> {
  const input = {
    to: version,
    from: from ?? "",
    controlPlane: phases.includes("control-plane"),
    kubelets: phases.includes("kubelet") && nodes.length === 0,
  };
  const group = async () =>
    (await cluster.members()).map(({ address }) => address);
  const checkContext = { cluster, signal, clock, group };
  for (const check of [k8sUpgradePath, k8sNothingRemoved]) {
    const found = await check.run(checkContext, input);
    if (found.ok || (found.final !== true && skipUnreachable)) continue;
    return new RefusedError(
      `Cannot upgrade Kubernetes to ${version}: ${found.reason}`,
      found.final === true
        ? { hint: "To override the rule, pass: --allow=version-path" }
        : {
          hint: "To skip nodes that do not answer, pass: --skip-unreachable",
        },
    );
  }
  return undefined;
}

function parseUpgrade(
  { input, globals }: Context<UpgradeK8sInputs>,
): KubernetesUpgrade {
  const phases = input.phase.length === 0 ? upgradePhases : input.phase;
  const images: Readonly<Record<ComponentName, string>> = {
    "kube-apiserver": input.apiserverImage,
    "kube-controller-manager": input.controllerManagerImage,
    "kube-scheduler": input.schedulerImage,
    "kube-proxy": input.proxyImage,
    kubelet: input.kubeletImage,
  };
  return {
    version: withV(targetVersion(input)),
    phases: upgradePhases.filter((phase) =>
      phases.includes(phase) && (phase !== "kubelet" || input.upgradeKubelet)
    ),
    images,
    nodes: globals.nodes,
    skipUnreachable: input.skipUnreachable,
    manifests: {
      prune: input.prune || !input.manifestsNoPrune,
      force: input.manifestsForce,
      inventoryPolicy: input.manifestsInventoryPolicy,
    },
  };
}

function targetVersion(
  { to, osVersion }: Pick<UpgradeK8sInputs, "to" | "osVersion">,
): string {
  return to ??
    (osVersion ? findRelease(osVersion).kubernetes : defaultKubernetes);
}

function startOptions(
  { from, prePullImages, allow, withDocs, withExamples, ...flags }:
    UpgradeK8sInputs,
  { version, phases, images, nodes, skipUnreachable, manifests }:
    KubernetesUpgrade,
): RunRequest {
  const values = {
    version,
    from: from ?? "",
    apiserverImage: images["kube-apiserver"],
    controllerManagerImage: images["kube-controller-manager"],
    schedulerImage: images["kube-scheduler"],
    proxyImage: images["kube-proxy"],
    kubeletImage: images.kubelet,
    controlPlane: phases.includes("control-plane"),
    proxy: phases.includes("proxy"),
    kubelet: phases.includes("kubelet"),
    manifests: phases.includes("manifests"),
    nodes: nodes.join(","),
    skipUnreachable,
    allowVersionPath: allow.includes("version-path"),
    prune: manifests.prune,
    forceManifests: manifests.force,
    inventoryPolicy: manifests.inventoryPolicy,
    reconcileTimeout: formatDuration(flags.manifestsReconcileTimeout),
    pull: prePullImages,
    comments: toComments({ docs: withDocs, examples: withExamples }),
  };
  return {
    ...flags,
    runbook: "builtin:upgrade-kubernetes",
    input: Object.entries(values).flatMap(([name, value]) =>
      value === "" ? [] : [`${name}=${value}`]
    ),
    inputs: undefined,
    secret: [],
    limit: [],
    allowCommands: false,
    output: outputFlag.initial,
  };
}
