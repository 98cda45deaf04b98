/** Command groups: defaults for their commands, else those of the parent group. */

import type { CommandGroup } from "./_kit/mod.ts";

/** Groups by full name; each is a directory of commands. */
export const groups: Readonly<Record<string, CommandGroup>> = {
  airgap: {
    summary: "Prepare and check clusters without internet access",
    section: "configuration",
    noStep: "it reads and writes files and registries from this machine",
  },
  ca: { summary: "Inspect the CAs of nodes and Kubernetes", section: "ca" },
  cluster: {
    summary: "Create, show and destroy clusters on this machine",
    section: "cluster",
    noStep: "it manages clusters on this machine",
  },
  "cluster fault": { summary: "Inject faults into simulated nodes" },
  "cluster node": { summary: "Control the machines of a simulated cluster" },
  config: {
    summary: "Manage the client configuration file",
    section: "configuration",
  },
  conformance: { summary: "Run conformance tests" },
  doctor: { summary: "Diagnose problems" },
  etcd: { summary: "Manage etcd" },
  "etcd alarm": { summary: "List and disarm etcd alarms" },
  "etcd downgrade": { summary: "Downgrade etcd" },
  gen: {
    summary: "Generate keys, certificates and machine configurations",
    section: "configuration",
  },
  "gen secureboot": {
    summary: "Generate keys and databases for Secure Boot",
  },
  image: { summary: "List, pull and cache container images" },
  inject: {
    summary: "Add node API access to Kubernetes manifests",
    section: "configuration",
  },
  inspect: { summary: "Inspect the internals of nodes" },
  machineconfig: {
    summary: "Generate, patch and compare machine configurations",
    aliases: ["mc"],
    section: "configuration",
  },
  meta: { summary: "Write and delete values of the META partition" },
  node: { summary: "Cordon, drain and uncordon nodes" },
  operation: {
    summary: "List and resume unfinished operations",
    section: "runbook",
    noStep: "runs have their own journal",
  },
  runbook: {
    summary: "Write, check, plan and run runbooks",
    section: "runbook",
    noStep: "include runbooks with use",
  },
  site: {
    summary: "Keep a cluster in git: render, compare and apply it",
    section: "configuration",
    noStep: "it reads and writes files of this machine",
  },
  wipe: { summary: "Wipe disks, LVM objects and software RAID arrays" },
};
