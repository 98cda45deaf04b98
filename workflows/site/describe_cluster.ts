/** Makes the directory of a running cluster from the configurations of its nodes. */

import {
  findInstaller,
  findPlace,
  findText,
} from "../../config/documents/find_value.ts";
import {
  type ConfigDocument,
  loadDocuments,
  mainKind,
} from "../../config/documents/load.ts";
import { findRelease } from "../../config/releases.ts";
import { secretsFromConfig } from "../../config/generate/secrets_file.ts";
import { ConfigError } from "../../errors.ts";
import { mostCommon } from "../../lib/most_common.ts";
import { imageFactory } from "../../talos.ts";
import { configuredImage } from "../kubernetes/components.ts";
import { parseInstaller } from "../upgrade/installer_reference.ts";
import type { SiteContent, SiteSettings } from "./make_site.ts";
import { makeNodePatch } from "./place_patches.ts";

/** A node of a running cluster. */
export interface LiveNode {
  /** Host name; the address if it has none. */
  readonly host: string;
  readonly address: string;
  readonly version: string;
  readonly text: string;
}

interface ReadNode extends LiveNode {
  readonly documents: readonly ConfigDocument[];
  readonly isControlPlane: boolean;
  readonly image: SiteSettings;
}

/** Describes a running cluster. Throws `ConfigError` if no control plane is among the nodes. */
export async function describeCluster(
  live: readonly LiveNode[],
): Promise<SiteContent> {
  const nodes = live.map(readNode);
  const first = nodes.find(({ isControlPlane }) => isControlPlane);
  if (first === undefined) {
    throw new ConfigError(
      `There is no control plane among ${
        live.map(({ address }) => address).join(", ")
      }`,
      { hint: "Secrets of a cluster are only on its control planes" },
    );
  }
  // Secrets are read before anything that masks them.
  const secrets = await secretsFromConfig(
    first.text,
    `the configuration of ${first.address}`,
  );
  const name = findText(
    first.documents,
    ["KubeClusterConfig", "clusterName"],
    [mainKind, "cluster", "clusterName"],
  ) ?? "";
  const settings = {
    clusterName: name,
    clusterEndpoint: findText(
      first.documents,
      ["KubeClusterConfig", "endpoint"],
      [mainKind, "cluster", "controlPlane", "endpoint"],
    ),
    kubernetesVersion: findKubernetes(first),
    talosVersion: mostCommon(nodes.map(({ version }) => version)),
  };
  return {
    ...{ name, settings, secrets },
    nodes: nodes.map((node) => ({
      settings: {
        host: node.host,
        ...node.host !== node.address && { ip: node.address },
        role: node.isControlPlane ? "control-plane" : "worker",
        ...node.image,
        ...findLabels(node),
      },
      configure: (base) => ({
        wanted: node.documents,
        patches: [makeNodePatch("configuration.yaml", base, node.documents)],
      }),
    })),
  };
}

function readNode(node: LiveNode): ReadNode {
  const name = `the configuration of ${node.address}`;
  const { documents } = loadDocuments(node.text, name);
  const type = findText(documents, [mainKind, "machine", "type"]);
  const installer = findInstaller(documents);
  return {
    ...node,
    documents,
    isControlPlane: type === "controlplane" || type === "init",
    image: {
      talosVersion: node.version,
      ...installer !== undefined && readInstaller(installer),
    },
  };
}

/** Settings that make an installer image; none for one that is not from an image factory. */
function readInstaller(text: string): SiteSettings {
  const { schematic, repository, platform = "metal", secureBoot = false } =
    parseInstaller(text);
  if (schematic === undefined) return {};
  const host = repository.split("/").slice(0, -2).join("/");
  return {
    schematicId: schematic,
    ...host !== imageFactory && { factory: host },
    ...platform !== "metal" && { platform },
    ...secureBoot && { secureboot: true },
  };
}

/** Kubernetes labels, without those that control planes have anyway. */
function findLabels({ documents }: ReadNode): SiteSettings {
  const labels = ([
    ["KubeNodeConfig", "labels"],
    [mainKind, "machine", "nodeLabels"],
  ] as const).flatMap((place) => findPlace(documents, place)?.entries() ?? [])
    .flatMap(([key, value]) =>
      /^node(-role)?\.kubernetes\.io\//.test(key)
        ? []
        : [[key, value.text() ?? ""] as const]
    );
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) };
}

function findKubernetes({ documents, version }: ReadNode): string {
  const image = configuredImage(documents, "kubelet");
  const [, tag = findRelease(version).kubernetes] = /:v([^@]+)/.exec(image) ??
    [];
  return tag;
}
