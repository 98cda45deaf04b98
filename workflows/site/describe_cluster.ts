/** Makes the directory of a running cluster from the configurations of its nodes. */

import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import {
  type ConfigDocument,
  loadDocuments,
  mainKind,
} from "../../config/documents/load.ts";
import { findRelease } from "../../config/releases.ts";
import type { SecretsBundle } from "../../config/generate/secrets.ts";
import { secretsFromConfig } from "../../config/generate/secrets_file.ts";
import { ConfigError } from "../../errors.ts";
import { imageFactory } from "../../talos.ts";
import { parseInstaller } from "../upgrade/installer_reference.ts";
import { installImage } from "./compare_site.ts";
import type { NewNode, SiteSettings } from "./make_site.ts";
import { makeNodePatch } from "./place_patches.ts";

/** A node of a running cluster. */
export interface LiveNode {
  /** Host name; the address if it has none. */
  readonly host: string;
  readonly address: string;
  /** OS version with `v`. */
  readonly version: string;
  /** Its configuration, YAML. */
  readonly text: string;
}

/** Settings of a site that are those of a running cluster. */
export interface ClusterDescription {
  readonly name: string;
  readonly settings: SiteSettings;
  readonly nodes: readonly NewNode[];
  readonly secrets: SecretsBundle;
}

interface ReadNode extends LiveNode {
  readonly documents: readonly ConfigDocument[];
  readonly isControlPlane: boolean;
  readonly image: SiteSettings;
}

/** Describes a running cluster. Throws `ConfigError` if no control plane is among the nodes. */
export async function describeCluster(
  live: readonly LiveNode[],
): Promise<ClusterDescription> {
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
  const cluster = findText(first.documents, [
    ["KubeClusterConfig", "clusterName"],
    [mainKind, "cluster", "clusterName"],
  ]) ?? "";
  const settings = {
    clusterName: cluster,
    clusterEndpoint: findText(first.documents, [
      ["KubeClusterConfig", "endpoint"],
      [mainKind, "cluster", "controlPlane", "endpoint"],
    ]),
    kubernetesVersion: findKubernetes(first),
    talosVersion: mostFrequent(nodes.map(({ version }) => version)),
  };
  return {
    name: cluster,
    settings,
    secrets,
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
        patches: [
          makeNodePatch("configuration.yaml", base, node.documents),
        ],
      }),
    })),
  };
}

function readNode(node: LiveNode): ReadNode {
  const name = `the configuration of ${node.address}`;
  const { documents } = loadDocuments(node.text, name);
  const type = findText(documents, [[mainKind, "machine", "type"]]);
  const installer = installImage(documents);
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
  const image = findText(documents, [
    ["KubeletConfig", "image"],
    [mainKind, "machine", "kubelet", "image"],
  ]);
  const [, tag] = /:v([^@]+)/.exec(image ?? "") ?? [];
  return tag ?? findRelease(version).kubernetes;
}

function findText(
  documents: readonly ConfigDocument[],
  places: readonly ValuePlace[],
): string | undefined {
  return places.map((place) => findPlace(documents, place)?.text())
    .find((text) => text !== undefined && text !== "");
}

type ValuePlace = readonly [kind: string, ...keys: readonly string[]];

function findPlace(
  documents: readonly ConfigDocument[],
  [kind, ...keys]: ValuePlace,
): Cursor | undefined {
  const root = documents.find((one) => one.kind === kind)?.root;
  return root && toCursor(root).get(...keys);
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const groups = [...Map.groupBy(texts, (text) => text)];
  return groups.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
