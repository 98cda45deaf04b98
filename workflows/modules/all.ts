/** Modules that are not, or not only, commands. */

import type { Module } from "./module.ts";
import { accept, drop, issue } from "./ca_change.ts";
import {
  configBackup,
  kubeconfigFetch,
  osconfigWrite,
  vaultExport,
} from "./ca_files.ts";
import { caGenerate, osconfigIssue } from "./ca_generate.ts";
import { caReport, caVerify } from "./ca_verify.ts";
import {
  etcdAssess,
  etcdBootstrapFromSnapshot,
  etcdChooseSource,
  etcdCopyDatabase,
  etcdSnapshot,
  nodeResetEphemeral,
} from "./etcd_recovery.ts";
import { etcdRemove } from "./etcd_member.ts";
import { k8sApplyManifests } from "./kubernetes_manifests.ts";
import { k8sPullImages, k8sSetImage } from "./kubernetes_upgrade.ts";
import { configInitial } from "./config_initial.ts";
import { configRead, configReplace, configRestore } from "./node_config.ts";
import { nodeCollectSupport } from "./node_support.ts";
import { nodeSystem, nodeVerifyVersion } from "./node_version.ts";
import { listStaleTrust } from "./stale_trust.ts";

const all: readonly Module[] = [
  accept,
  caGenerate,
  caReport,
  caVerify,
  configBackup,
  configInitial,
  configRead,
  configReplace,
  configRestore,
  drop,
  etcdAssess,
  etcdBootstrapFromSnapshot,
  etcdChooseSource,
  etcdCopyDatabase,
  etcdRemove,
  etcdSnapshot,
  issue,
  k8sApplyManifests,
  k8sPullImages,
  k8sSetImage,
  kubeconfigFetch,
  listStaleTrust,
  nodeCollectSupport,
  nodeResetEphemeral,
  nodeSystem,
  nodeVerifyVersion,
  osconfigIssue,
  osconfigWrite,
  vaultExport,
];

/** Modules by name. */
export const modules: ReadonlyMap<string, Module> = new Map(
  all.map((one) => [one.name, one]),
);
