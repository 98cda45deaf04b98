/** The runbook that makes a cluster equal to its site, made from a comparison. */

import { findInstaller } from "../../config/documents/find_value.ts";
import { parseMinor, withV } from "../../lib/version.ts";
import { type Plain, toTree } from "../../config/tree/node.ts";
import { writeDocuments } from "../../config/tree/write.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import {
  type ComponentName,
  componentNames,
  configuredImage,
  imageRepository,
} from "../kubernetes/components.ts";
import type { ReplacedConfiguration } from "../modules/node_config.ts";
import {
  installerForFile,
  parseInstaller,
} from "../upgrade/installer_reference.ts";
import {
  type ComparedNode,
  type SiteSubject,
  untouchedLine,
} from "./compare_site.ts";
import { hasEtcd, joinStages } from "./join_nodes.ts";
import {
  describeOrder,
  hasOneControlPlane,
  isControlPlane,
  listNames,
  readRollout,
  reboots,
  type Rollout,
  splitNodes,
  type Stage,
  type Step,
} from "./rollout.ts";
import type { Site } from "./site.ts";

/** Parts of an apply. */
export const siteParts = ["config", "os", "kubernetes"] as const;

/** One part of an apply. */
export type SitePart = typeof siteParts[number];

/** What an apply does. */
export interface SiteRunbook {
  /** The runbook, YAML, without secrets; empty if there is nothing to do. */
  readonly text: string;
  /** Its stages in order, one line each. */
  readonly stages: readonly string[];
  /** Nodes that are left alone, with the command for each. */
  readonly untouched: readonly string[];
  /** The new configurations: the secret input of the runbook; JSON. */
  readonly configurations: string;
  readonly digests: Readonly<Record<string, string>>;
}

/** Name of the runbook. */
export const siteRunName = "site-apply";

/** Path of the runbook in messages and in the folder of its run. */
export const siteRunbookName = "site.runbook.yaml";

/** Options of {@linkcode planSite}. */
interface PlanSiteOptions {
  /** Part to limit it to; default all. */
  readonly only?: SitePart | undefined;
  /** Accepted server certificate fingerprints of nodes in maintenance mode, by address; absent for any. */
  readonly fingerprints?: ReadonlyMap<string, string>;
}

/**
 * Makes the runbook of an apply.
 *
 * New nodes come last: until then they would need a Kubernetes that the control planes do not have yet.
 */
export async function planSite(
  site: Site,
  nodes: readonly ComparedNode[],
  { only, fingerprints = new Map() }: PlanSiteOptions = {},
): Promise<SiteRunbook> {
  const work = findWork(nodes, only);
  const rollout = readRollout(site);
  const context = { site, rollout };
  const configured = [...work.before, ...work.after, ...work.joining];
  const isRunning = hasEtcd(nodes);
  const stages = [
    ...configStages("config", work.before, context),
    ...upgradeStages(work.upgrades, context),
    ...configStages("late-config", work.after, context),
    ...kubernetesStages(work.kubernetes, nodes, context),
    ...joinStages(work.joining, nodes, { fingerprints, isRunning }),
  ];
  const configurations = JSON.stringify(
    Object.fromEntries(configured.map(toReplaced)),
  );
  const digests = await Promise.all(
    nodes.map(async ({ row, from, rendered }) => [
      row.node,
      await sha256Hex(JSON.stringify([row, from, rendered?.text])),
    ]),
  );
  return {
    text: stages.length === 0
      ? ""
      : toText(stages, configured.length > 0, isRunning, context),
    stages: stages.map(({ line }) => line),
    untouched: nodes.flatMap(untouchedLine),
    configurations,
    digests: Object.fromEntries(digests),
  };
}

/** Nodes of an apply by what each needs. */
function findWork(
  nodes: readonly ComparedNode[],
  only: SitePart | undefined,
) {
  const touchable = nodes.filter(({ row }) =>
    row.state === "different" &&
    row.differences.every(({ subject }) => subject !== "role")
  );
  const having = (part: SitePart, ...subjects: readonly SiteSubject[]) =>
    only !== undefined && only !== part
      ? []
      : touchable.filter(({ row }) =>
        row.differences.some(({ subject }) => subjects.includes(subject))
      );
  const changed = having("config", "configuration");
  const upgrades = having("os", "version", "schematic");
  return {
    // The running version knows these configurations; a node knows the others only after its upgrade.
    before: changed.filter((one) => !crossesMinor(one)),
    upgrades,
    after: changed.filter((one) => crossesMinor(one) && upgrades.includes(one)),
    kubernetes: having("kubernetes", "kubernetes"),
    joining: only === undefined || only === "config"
      ? nodes.filter(({ row }) => row.state === "maintenance")
      : [],
  };
}

function crossesMinor({ rendered, facts }: ComparedNode): boolean {
  const [live, declared] = [facts?.version ?? "", rendered?.version ?? ""]
    .map((version) => parseMinor(withV(version)));
  return live?.major !== declared?.major || live?.minor !== declared?.minor;
}

function toReplaced(
  { row, configuration, rendered, from = "" }: ComparedNode,
): readonly [string, ReplacedConfiguration] {
  const text = configuration ?? rendered?.text ?? "";
  return [row.address, { text, from }];
}

interface PlanContext {
  readonly site: Site;
  readonly rollout: Rollout;
}

function toText(
  stages: readonly Stage[],
  hasConfigurations: boolean,
  isRunning: boolean,
  { site, rollout }: PlanContext,
): string {
  const rules = stages.flatMap(({ allow }) => Object.entries(allow));
  const allow = Map.groupBy(rules, ([rule]) => rule);
  const value: Plain = {
    apiVersion: "osctl/v1",
    kind: "Runbook",
    name: siteRunName,
    title: `Apply the site of cluster ${site.clusterName}`,
    requires: {
      role: "os:admin",
      ...isRunning && { needs: ["kubernetes"] },
    },
    inputs: {
      ...hasConfigurations && {
        configurations: { type: "secret", required: true },
      },
      commit: {
        type: "string",
        default: "",
        description: "Git commit of the site",
      },
    },
    policy: {
      lock: "cluster",
      ...rollout.windows !== undefined && { window: rollout.windows },
      ...allow.size > 0 && {
        allow: [...allow].map(([rule, all]) => ({
          rule,
          when: String(all.some(([, isAllowed]) => isAllowed)),
          reason: "the site declares it",
        })),
      },
    },
    steps: stages.flatMap(({ step }, index) => [
      // A cluster without etcd cannot meet any.
      ...isRunning ? gateBefore(index, site) : [],
      step,
    ]),
  };
  return writeDocuments([toTree(value)]);
}

/** The checks of the site before each stage; the cluster is healthy after one that succeeded. */
function gateBefore(index: number, { checks }: Site): readonly Step[] {
  const own = checks === null ? [] : [checks].flat() as readonly Plain[];
  const [id, title, gate] = index === 0
    ? [
      "preflight",
      "Check that the cluster is healthy",
      ["cluster.health", ...own],
    ]
    : [`checks-${index + 1}`, "Check what the site requires", own];
  return gate.length === 0 ? [] : [{ id, title, gate, within: "5m" }];
}

function configStages(
  id: string,
  nodes: readonly ComparedNode[],
  { site, rollout }: PlanContext,
): readonly Stage[] {
  if (nodes.length === 0) return [];
  const order = splitNodes(nodes, rollout);
  const rebooting = nodes.filter(reboots);
  const losesEtcd = hasOneControlPlane(site) &&
    rebooting.some(({ row }) => isControlPlane(row));
  const title = "Apply changed configurations";
  return [{
    line: `${title}: ${describeOrder(order)}`,
    step: {
      id,
      title,
      use: "builtin:config-rollout",
      with: {
        configurations: "${{ inputs.configurations }}",
        nodes: listNames(nodes),
        first: listNames(order.canary),
        mode: "auto",
        reboots: listNames(rebooting),
        drain: rollout.drain,
        drainTimeout: rollout.drainTimeout,
        soak: rollout.soak,
        batch: rollout.batch,
        singleControlPlane: losesEtcd,
      },
    },
    allow: { "single-member-downtime": losesEtcd },
  }];
}

function upgradeStages(
  nodes: readonly ComparedNode[],
  { site, rollout }: PlanContext,
): readonly Stage[] {
  const isAlone = hasOneControlPlane(site);
  const targets = Map.groupBy(nodes, ({ rendered }) => {
    const version = withV(rendered?.version ?? "");
    const image = rendered && findInstaller(rendered.documents);
    if (image === undefined) return `${version} keep`;
    // A patch may name the image of another version.
    const isOwn = parseInstaller(image).version === version;
    return `${version} ${isOwn ? image : installerForFile(image, version)}`;
  });
  const parts = [...targets].flatMap(([target, all]) => {
    const { canary, workers, controlPlanes } = splitNodes(all, rollout);
    const rest = [...workers, ...controlPlanes];
    // Without a group, the runbook chooses its canary itself.
    return rollout.canary === undefined || canary.length === 0
      ? [{ target, nodes: all }]
      : [{ target, nodes: canary }, { target, nodes: rest }];
  }).filter(({ nodes }) => nodes.length > 0);
  return parts.map(({ target, nodes }, index) => {
    const [version = "", image = ""] = target.split(" ");
    const changesImage = nodes.some(({ row }) =>
      row.differences.some(({ subject }) => subject === "schematic")
    );
    const losesEtcd = isAlone && nodes.some(({ row }) => isControlPlane(row));
    const title = `Upgrade the operating system to ${version}`;
    return {
      line: `${title}${changesImage ? " with another schematic" : ""}: ${
        describeOrder(splitNodes(nodes, { canary: undefined }), true)
          .replaceAll(" (reboot)", "")
      }`,
      step: {
        id: parts.length === 1 ? "os" : `os-${index + 1}`,
        title,
        use: "builtin:rolling-upgrade",
        with: {
          version,
          image,
          nodes: listNames(nodes),
          drain: rollout.drain,
          drainTimeout: rollout.drainTimeout,
          soak: rollout.soak,
          workerBatch: rollout.batch,
          singleControlPlane: losesEtcd,
        },
      },
      allow: {
        "single-member-downtime": losesEtcd,
        "image-identity": changesImage,
      },
    };
  });
}

function kubernetesStages(
  nodes: readonly ComparedNode[],
  all: readonly ComparedNode[],
  { site }: PlanContext,
): readonly Stage[] {
  const [first] = nodes;
  if (first === undefined) return [];
  const version = withV(site.kubernetesVersion);
  const isMember = ({ facts }: ComparedNode) => facts !== undefined;
  const members = all.filter(isMember);
  // Nodes in maintenance mode join later, with these versions.
  const later = all.filter(({ row }) => row.state === "maintenance");
  const declared = members.filter(({ row }) => row.state !== "undeclared");
  const hasAllPlanes =
    [...declared, ...later].filter(({ row }) => isControlPlane(row)).length ===
      site.nodes.filter(isControlPlane).length;
  const isWhole = declared.length + later.length === site.nodes.length;
  return [{
    line: hasAllPlanes
      ? `Upgrade Kubernetes to ${version}: ${componentOrder}`
      : `Upgrade the kubelets to ${version}: ${listNames(nodes).join(", ")}`,
    step: {
      id: "kubernetes",
      title: `Upgrade Kubernetes to ${version}`,
      use: "builtin:upgrade-kubernetes",
      with: {
        version,
        ...imagesIn(nodes),
        ...!hasAllPlanes &&
          { controlPlane: false, proxy: false, manifests: false },
        ...!isWhole && { nodes: listNames(nodes) },
      },
    },
    allow: { "version-path": false },
  }];
}

const componentOrder =
  "API servers, controller managers, schedulers, kube-proxy, kubelets of control planes, then of workers";

const imageInputs: Readonly<Record<ComponentName, string>> = {
  "kube-apiserver": "apiserverImage",
  "kube-controller-manager": "controllerManagerImage",
  "kube-scheduler": "schedulerImage",
  "kube-proxy": "proxyImage",
  kubelet: "kubeletImage",
};

/** Registries and paths on which all nodes agree. */
function imagesIn(nodes: readonly ComparedNode[]): Record<string, string> {
  const all = nodes.flatMap(({ rendered }) => rendered ?? []);
  return Object.fromEntries(componentNames.flatMap((name) => {
    const images = all.map(({ documents }) =>
      imageRepository(configuredImage(documents, name))
    );
    const [image, other] = new Set(images.filter((image) => image !== ""));
    return image === undefined || other !== undefined
      ? []
      : [[imageInputs[name], image]];
  }));
}
