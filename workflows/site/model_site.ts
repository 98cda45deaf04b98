/** A site on simulated nodes: the same differences as those of the live ones, without its secrets. */

import { configurationHash } from "../../config/change/configuration_hash.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { applyPatches, toPatch } from "../../config/patch.ts";
import { toTree } from "../../config/tree/node.ts";
import { withImage } from "../kubernetes/components.ts";
import type { NodeFacts } from "../runbook_cel/facts.ts";
import type { ComparedNode } from "./compare_site.ts";
import { makeRenderer, type RenderedNode } from "./render_node.ts";
import { isControlPlane, reboots } from "./rollout.ts";
import type { Site, SiteNode } from "./site.ts";
import type { SiteEnvironment } from "./site_environment.ts";

/** A declared node, and the simulated one that stands for it. */
interface ModelNode {
  readonly compared: ComparedNode & { readonly facts: NodeFacts };
  /** Name and address of the simulated node. */
  readonly name: string;
  readonly address: string;
}

/** A site whose nodes are simulated. */
interface ModelSite {
  readonly nodes: readonly ComparedNode[];
  /** Configurations that the simulated nodes start with, in their order. */
  readonly configurations: readonly string[];
}

/** Makes the site, with configurations that differ in the same way as those of the live nodes. */
export async function modelSite(
  site: Site,
  all: readonly ModelNode[],
  bundle: SecretsBundle,
  environment: SiteEnvironment,
): Promise<ModelSite> {
  const render = makeRenderer(site, bundle, environment);
  const made = await Promise.all(all.map(async (one) => {
    const node: SiteNode | undefined = one.compared.rendered?.node;
    // Nodes that are left alone have any configuration.
    const isDeclared = node?.role === one.compared.facts.role;
    if (node === undefined || !isDeclared) return { compared: one.compared };
    const rendered = await render({ ...node, ip: one.address });
    const configuration = withImages(rendered.text, one.compared);
    const start = startText(configuration, one.compared);
    const { documents } = loadDocuments(start, one.name);
    return {
      start,
      compared: {
        ...one.compared,
        row: { ...one.compared.row, address: one.address },
        rendered,
        facts: { ...one.compared.facts, name: one.name, address: one.address },
        configuration,
        from: await configurationHash(documents),
      },
    };
  }));
  return {
    nodes: made.map(({ compared }) => compared),
    configurations: made.map(({ start = "" }) => start),
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

/** Sorts nodes as simulated clusters do: control planes first. */
export function inModelOrder<T extends { readonly role: string }>(
  nodes: readonly T[],
): readonly T[] {
  return nodes.toSorted((a, b) =>
    Number(isControlPlane(b)) - Number(isControlPlane(a))
  );
}

/** A node as if it ran everything that is declared but its configuration. */
export function toDeclared(
  rendered: RenderedNode,
  kubernetesVersion: string,
): ComparedNode & { readonly facts: NodeFacts } {
  const { host, ip = host, role } = rendered.node;
  return {
    row: {
      ...{ node: host, address: ip, role, state: "different", reason: null },
      differences: [{
        ...{ subject: "configuration", name: "", live: null, declared: null },
        ...{ diff: null, needs: "reboot" },
      }],
    },
    rendered,
    facts: {
      ...{ name: host, address: ip, role, kubernetesVersion },
      ...{ reachable: true, ready: true, stage: "running" },
      version: rendered.version,
      ...{ schematic: "", customized: false, image: "", bootId: "" },
      ...{ bootloader: "", platform: "metal", secureBoot: false, zone: "" },
      labels: {},
      caps: { lifecycle: true },
      etcd: {
        ...{ member: role === "controlplane", leader: false, learner: false },
        ...{ healthy: true, voters: 1, dataDir: "data" },
      },
    },
  };
}
