/** A site on simulated nodes: the same differences as those of the live ones, without its secrets. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { applyPatches, toPatch } from "../../config/patch.ts";
import { toTree } from "../../config/tree/node.ts";
import { ConfigError } from "../../errors.ts";
import { isOlder } from "../../lib/version.ts";
import { withImage } from "../kubernetes/components.ts";
import { listModelNodes } from "../rehearsal/cluster_shape.ts";
import { type LikeLive, likeLive } from "../rehearsal/like_live.ts";
import { sharedSecrets } from "../rehearsal/model/shared_secrets.ts";
import type { TestbedOptions } from "../rehearsal/open_testbed.ts";
import type { NodeFacts } from "../runbook_cel/facts.ts";
import { type ComparedNode, difference } from "./compare_site.ts";
import { hasEtcd } from "./join_nodes.ts";
import {
  makeRenderer,
  type RenderedNode,
  type RenderNode,
} from "./render_node.ts";
import { isControlPlane, reboots } from "./rollout.ts";
import type { Site } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";

/** A site whose nodes are simulated. */
interface ModelSite extends LikeLive {
  readonly nodes: readonly ComparedNode[];
  readonly model: NonNullable<TestbedOptions["model"]>;
}

/** First version of simulated nodes that wait for the bootstrap of etcd. */
const firstCreated = "v1.11.0";

/**
 * Makes the site: members whose configurations differ in the same way, and nodes in maintenance mode.
 *
 * @throws {ConfigError} If the simulated nodes cannot create a cluster of this version.
 */
export async function modelSite(
  site: Site,
  compared: readonly ComparedNode[],
  environment: SiteEnvironment,
): Promise<ModelSite> {
  const { secrets } = await sharedSecrets();
  const render = makeRenderer(site, secrets, environment);
  const chosen = ["controlplane", "worker"].flatMap((role) =>
    compared.filter((one) => findFacts(one, site)?.role === role)
  );
  const like = likeLive(chosen.flatMap((one) => findFacts(one, site) ?? []));
  const bootstrapped = hasEtcd(compared);
  if (!bootstrapped && isOlder(like.spec.version, firstCreated)) {
    throw new ConfigError(
      `Cannot rehearse the creation of a cluster of ${like.spec.version}`,
      { hint: `It needs ${firstCreated} or a later version` },
    );
  }
  const names = listModelNodes(like.spec);
  const nodes = await Promise.all(
    chosen.map((one, index) => modelNode(one, names[index]!, render)), // as many
  );
  const [live] = compared.flatMap(({ facts }) => facts ?? []);
  const kubernetes = live?.kubernetesVersion ?? site.kubernetesVersion;
  return {
    ...like,
    nodes: nodes.map(({ compared }) => compared),
    model: {
      kubernetes: kubernetes.replace(/^v/, ""),
      configuration: (index) => nodes[index]?.start,
      unconfigured: (index) => nodes[index]?.compared.facts === undefined,
      bootstrapped,
    },
  };
}

/** Facts of a node that is part of a rehearsal. */
function findFacts(
  { row, rendered, facts }: ComparedNode,
  { kubernetesVersion }: Site,
): NodeFacts | undefined {
  const isNew = row.state === "maintenance" && rendered !== undefined;
  return isNew ? declaredFacts(rendered, kubernetesVersion) : facts;
}

async function modelNode(
  compared: ComparedNode,
  { name, address }: Pick<NodeFacts, "name" | "address">,
  render: RenderNode,
): Promise<{ readonly compared: ComparedNode; readonly start?: string }> {
  const { facts } = compared;
  const node = compared.rendered?.node;
  // Nodes that are left alone have any configuration.
  if (node === undefined || node.role !== (facts ?? node).role) {
    return { compared };
  }
  const rendered = await render({ ...node, ip: address });
  const row = { ...compared.row, address };
  if (facts === undefined) return { compared: { row, rendered } };
  const configuration = withImages(rendered.text, compared);
  const start = startText(configuration, compared);
  const { documents } = loadDocuments(start, name);
  return {
    start,
    compared: {
      ...{ row, rendered, configuration },
      facts: { ...facts, name, address },
      from: await configurationHash(documents),
    },
  };
}

/** Sets the live images of components that differ. */
function withImages(text: string, { row }: ComparedNode): string {
  return row.differences.reduce(
    (text, { subject, name, live }) =>
      subject === "kubernetes" && live !== null
        // The name of a component.
        ? withImage(text, name as Parameters<typeof withImage>[1], live)
        : text,
    text,
  );
}

/** A configuration that differs from the declared one if the live one does, in what needs a reboot if that does. */
function startText(text: string, compared: ComparedNode): string {
  const differs = compared.row.differences.some(({ subject }) =>
    subject === "configuration"
  );
  if (!differs) return text;
  const machine = reboots(compared)
    ? { env: { OSCTL_REHEARSAL: "1" } }
    : { sysctls: { "kernel.panic": "61" } };
  const patch = toPatch(
    [{ root: toTree({ machine }), number: 1 }],
    "the rehearsal",
  );
  const { documents } = loadDocuments(text, "the rehearsal");
  return encodeDocuments(applyPatches(documents, [patch]).documents);
}

/** A node that was not asked: new, or a member that has everything but its configuration. */
export function assumeNode(
  rendered: RenderedNode,
  { kubernetesVersion }: Site,
  isNew: boolean,
): ComparedNode {
  const { host: node, ip: address = node, role } = rendered.node;
  const head = { node, address, role, reason: null };
  if (isNew) {
    return {
      row: { ...head, state: "maintenance", differences: [] },
      rendered,
    };
  }
  const differences = [difference("configuration", "reboot", {})];
  return {
    row: { ...head, state: "different", differences },
    rendered,
    facts: declaredFacts(rendered, kubernetesVersion),
  };
}

/** Facts of a node that runs what is declared. */
export function declaredFacts(
  { node: { host, ip = host, role }, version }: RenderedNode,
  kubernetesVersion: string,
): NodeFacts {
  return {
    ...{ name: host, address: ip, role, kubernetesVersion, version },
    ...{ reachable: true, ready: true, stage: "running" },
    ...{ schematic: "", customized: false, image: "", bootId: "" },
    ...{ bootloader: "", platform: "metal", secureBoot: false, zone: "" },
    labels: {},
    caps: { lifecycle: true },
    etcd: {
      ...{ member: isControlPlane({ role }), leader: false, learner: false },
      ...{ healthy: true, voters: 1, dataDir: "data" },
    },
  };
}
