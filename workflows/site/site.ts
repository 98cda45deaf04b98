/** A cluster in a directory, as one typed value. */

import type { MapNode } from "../../config/tree/node.ts";
import type { Json } from "../../lib/json.ts";
import type { SourcePosition } from "../runbooks/runbook.ts";
import type { Schematic } from "../upgrade/schematic.ts";

/** The directory. */
export interface Site {
  /** Path of `site.yaml` or `topf.yaml`. */
  readonly file: string;
  /** Folder of the file; empty for the working directory. */
  readonly folder: string;
  /** True for `topf.yaml`, where only what TOPF knows has a meaning. */
  readonly isTopf: boolean;
  readonly clusterName: string;
  readonly clusterEndpoint: string;
  /** Version as written, with or without `v`. */
  readonly kubernetesVersion: string;
  /** OS version of the cluster as written; `undefined` if there is none. */
  readonly talosVersion: string | undefined;
  readonly patchesFolder: string;
  readonly secrets: SecretsSource;
  readonly data: MapNode;
  /** Control planes first, then by name. */
  readonly nodes: readonly SiteNode[];
  readonly kubernetes: KubernetesOptions;
  /** Settings of upgrades, as in the file. */
  readonly upgrade: Json;
  /** Checks before the first change, as in runbooks. */
  readonly checks: Json;
}

/** Source of the secrets bundle. */
type SecretsSource = {
  readonly path: string;
} | {
  readonly program: string;
};

/** Options of all configurations. */
export interface KubernetesOptions {
  readonly dnsDomain?: string;
  readonly certSans?: readonly string[];
  readonly discovery?: boolean;
  readonly kubespan?: boolean;
}

/** Schematic of an installer image. */
export type SchematicChoice =
  | { readonly id: string }
  /** A schematic file. */
  | { readonly path: string }
  | { readonly parts: Schematic };

/** A declared node. */
export interface SiteNode {
  readonly host: string;
  /** Address; `undefined` if the host is resolved. */
  readonly ip: string | undefined;
  readonly role: "controlplane" | "worker";
  /** Names of its groups; later ones win. */
  readonly groups: readonly string[];
  /** Kubernetes labels, with those of its groups. */
  readonly labels: Readonly<Record<string, string>>;
  /** Values for templates, with those of its groups. */
  readonly data: MapNode;
  /** OS version with `v`; `undefined` if neither the node nor the cluster has one. */
  readonly talosVersion: string | undefined;
  readonly factory: string;
  readonly platform: string;
  readonly secureBoot: boolean;
  readonly schematic: SchematicChoice;
  readonly place: SourcePosition;
}

/** The role as files and folders spell it. */
export function formatRole(
  { role }: Pick<SiteNode, "role">,
): "control-plane" | "worker" {
  return role === "worker" ? "worker" : "control-plane";
}
