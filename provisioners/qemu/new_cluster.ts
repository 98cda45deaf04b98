/** Builds the description of a cluster of virtual machines from its specification. */

import { freePorts } from "../free_ports.ts";
import type { CreateOptions } from "../provisioner.ts";
import {
  type ClusterLocation,
  joinFolder,
  type LocalCluster,
} from "../state.ts";
import { locateFiles } from "./arguments.ts";
import { agentKernelArgument } from "./agent/plan.ts";
import type { ClusterMachine, QemuCluster } from "./cluster.ts";
import type { Firmware } from "./firmware.ts";
import { configurationUrl } from "./serve.ts";
import type { QemuSpec } from "./spec.ts";

/** Builds a cluster from its specification. */
export function makeCluster(
  place: ClusterLocation,
  spec: QemuSpec,
  { accelerator, firmware }: {
    readonly accelerator: QemuCluster["accelerator"];
    readonly firmware: Firmware | undefined;
  },
): QemuCluster {
  const { plan, documents } = spec;
  const { nameservers, isNamedByDhcp, cni, ...network } = spec.network;
  const free = freePorts(plan.machines.length);
  const gateways = plan.subnets.map(({ gateway }) => gateway);
  return {
    accelerator,
    network: {
      bridge: plan.bridge,
      mac: plan.mac,
      subnets: plan.subnets,
      taps: plan.machines.map(({ tap }) => tap),
      ...network,
      ...cni === undefined ? {} : {
        cni: { ...cni, name: place.name },
        machines: plan.machines.map(({ mac, ips }) => ({ mac, ips })),
      },
    },
    nameservers: nameservers.length > 0 ? nameservers : gateways,
    isNamedByDhcp,
    bootScript: spec.bootScript,
    controlPlanePort: documents.controlPlanePort,
    ...documents.keys.includes("kms")
      ? { kmsKey: crypto.getRandomValues(new Uint8Array(32)).toBase64() }
      : {},
    hasJsonLogs: documents.hasJsonLogs,
    imageCache: spec.imageCache,
    agent: spec.agent,
    ca: spec.access.ca,
    machines: plan.machines.map((machine, at) =>
      makeMachine(spec, machine, {
        folder: joinFolder(place),
        serverPort: free[at] ?? 0,
        firmware,
      })
    ),
  };
}

function makeMachine(
  spec: QemuSpec,
  planned: QemuSpec["plan"]["machines"][number],
  { folder, serverPort, firmware }: {
    readonly folder: string;
    readonly serverPort: number;
    readonly firmware: Firmware | undefined;
  },
): ClusterMachine {
  const { plan, injection, hardware } = spec;
  const { name, type } = planned;
  const resources = type === "worker" ? spec.worker : spec.controlplane;
  const prefix = `${folder}/${name}`;
  const early = spec.agent === undefined ? "" : agentKernelArgument(spec.agent);
  const source = injection === "http"
    ? `talos.config=${
      configurationUrl(plan.subnets[0]?.gateway ?? "", serverPort)
    }`
    : injection === "metal-iso"
    ? "talos.config=metal-iso"
    : "";
  return {
    ...planned,
    ...hardware,
    folder,
    serverPort,
    processors: processorsFor(resources.nanocpus),
    memory: Math.floor(resources.memory / (1024 * 1024)),
    mtu: spec.network.mtu,
    disks: listDisks(spec, type).map(({ driver, serial }, index) => ({
      path: `${prefix}-${index}.disk`,
      driver,
      blockSize: spec.blockSize,
      serial,
    })),
    kernelArguments: [spec.kernelArguments, early, source].filter((text) =>
      text !== ""
    ).join(" "),
    ...spec.hasStubArguments
      ? { stubArguments: stubArguments(spec, early, source) }
      : {},
    firmware: firmware === undefined ? [] : [
      `${prefix}-flash0.img`,
      ...firmware.variables === undefined ? [] : [`${prefix}-flash1.img`],
    ],
    isSecureBoot: firmware?.isSecureBoot ?? false,
    configuration: injection === "http" ? `${prefix}.yaml` : undefined,
    configurationIso: injection === "metal-iso"
      ? `${prefix}-metal-config.iso`
      : undefined,
  };
}

/** Returns the arguments passed through the boot loader, for media without a kernel command line. */
function stubArguments(
  { hardware: { boot } }: QemuSpec,
  early: string,
  source: string,
): string {
  const isDirect = boot.kind === "kernel" || boot.kind === "uki";
  return ["console=ttyS0", early, ...isDirect ? [source] : []]
    .filter((text) => text !== "").join(" ");
}

/** Lists the disks of a machine, system disk first. */
export function listDisks(
  { disks, workerDisks }: QemuSpec,
  type: ClusterMachine["type"],
): readonly QemuSpec["disks"][number][] {
  return type === "worker" ? [...disks, ...workerDisks] : disks;
}

/** Returns the number of CPUs, at least 1. */
export function processorsFor(nanocpus: number): number {
  const exact = nanocpus / 1e9;
  const whole = Math.round(exact);
  // Round half to even.
  const rounded = exact % 1 === 0.5 && whole % 2 === 1 ? whole - 1 : whole;
  return Math.max(1, rounded);
}

/** Creates the state of a cluster. */
export function makeState(
  place: ClusterLocation,
  spec: QemuSpec,
  { osconfig }: CreateOptions,
): LocalCluster {
  const { plan } = spec;
  return {
    provisionername: "qemu",
    bridgename: plan.bridge,
    clusterinfo: {
      clustername: place.name,
      network: {
        name: place.name,
        cidrs: plan.subnets.map(({ cidr }) => cidr),
        gatewayaddrs: plan.subnets.map(({ gateway }) => gateway),
        mtu: spec.network.mtu,
      },
      nodes: plan.machines.map(({ name, type, uuid, ips }) => {
        const resources = type === "worker" ? spec.worker : spec.controlplane;
        return {
          id: locateFiles({ folder: joinFolder(place), name }).pid,
          uuid,
          name,
          type,
          nanocpus: resources.nanocpus,
          memory: resources.memory,
          disksize: spec.disks[0]?.size ?? 0,
          ips,
          apiport: 0,
        };
      }),
      kubernetesendpoint: spec.kubernetesEndpoint,
    },
    osconfig,
  };
}
