/** Machine rules: disks, registries, logging, kubelet and features. */

import { podAccessField } from "../../talos.ts";
import { kubernetesImageRules, parseUrl } from "../documents/checks.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isOlderMinor } from "../../lib/version.ts";
import {
  filterHint,
  isFilter,
  isGiven,
  joinWords,
  listDocuments,
  listTexts,
  readRole,
  readText,
} from "./checks.ts";
import type { RuleContext } from "./context.ts";

/** Only the last partition of a disk may take the remaining space. */
export function* diskRules(root: Cursor): Iterable<Problem> {
  for (const disk of root.get("machine", "disks").elements()) {
    if (!isGiven(disk)) {
      yield disk.error("A disk is empty", "Fill it in, or remove it");
    }
    yield* partitionRules(disk);
  }
}

function* partitionRules(disk: Cursor): Iterable<Problem> {
  const device = readText(disk.get("device"));
  const partitions = disk.get("partitions").elements();
  for (const [index, partition] of partitions.entries()) {
    if (!isGiven(partition)) {
      yield partition.error(
        `A partition of disk "${device}" is empty`,
        "Fill it in, or remove it",
      );
    } else if (index < partitions.length - 1 && isRest(partition.get("size"))) {
      yield partition.get("size").error(
        `Partition ${
          index + 1
        } of disk "${device}" takes the rest of the disk but is not the last`,
        "Give it a size, or put it last",
      );
    }
  }
}

function isRest(size: Cursor): boolean {
  return !/[1-9]/.test(readText(size));
}

const sources = ["static", "nodeID", "kms", "tpm"];

/** Every encrypted partition needs keys in separate slots. */
export function* diskEncryptionRules(root: Cursor): Iterable<Problem> {
  const encryption = root.get("machine", "systemDiskEncryption");
  for (const name of ["state", "ephemeral"]) {
    const partition = encryption.get(name);
    if (!isGiven(partition)) continue;
    const keys = partition.get("keys");
    if (keys.elements().length === 0) {
      yield keys.error(
        '"keys" is missing',
        `Give at least one key of partition "${name}"`,
      );
    }
    yield* keyRules(name, keys.elements());
  }
}

function* keyRules(
  partition: string,
  keys: readonly Cursor[],
): Iterable<Problem> {
  const slots = new Set<number>();
  for (const key of keys) {
    const slot = key.get("slot").number() ?? 0;
    if (isGiven(key) && slots.has(slot)) {
      yield key.get("slot").error(
        `Two keys of partition "${partition}" are in slot ${
          readText(key.get("slot")) || 0
        }`,
        "Give each key its own slot",
      );
    }
    slots.add(slot);
    if (!sources.some((source) => isGiven(key.get(source)))) {
      yield key.error(
        `A key of partition "${partition}" has no source`,
        "Give one of static, nodeID, kms and tpm",
      );
    }
  }
}

/** The settings of a registry must not be empty. */
export function* registryRules(root: Cursor): Iterable<Problem> {
  for (const part of ["mirrors", "config"]) {
    const registries = root.get("machine", "registries", part).entries();
    for (const [host, place] of registries) {
      if (isGiven(place)) continue;
      yield place.error(
        `Registry "${host}" is empty under machine.registries.${part}`,
        "Fill it in, or remove it",
      );
    }
  }
}

const hint = "Write it as tcp://HOST:PORT or udp://HOST:PORT";

/** Log destinations must be valid, in the only format. */
export function* loggingRules(root: Cursor): Iterable<Problem> {
  const destinations = root.get("machine", "logging", "destinations")
    .elements();
  for (const destination of destinations.filter(isGiven)) {
    yield* endpointRules(destination.get("endpoint"));
    const format = destination.get("format");
    if (readText(format) === "json_lines") continue;
    yield format.error(
      isGiven(format)
        ? `Log format "${readText(format)}" does not exist`
        : "A log destination has no format",
      'Write "json_lines"',
    );
  }
}

function* endpointRules(endpoint: Cursor): Iterable<Problem> {
  const text = readText(endpoint);
  if (text === "") {
    yield endpoint.error('"endpoint" is missing', hint);
    return;
  }
  const { scheme, host, port } = parseUrl(text) ??
    { scheme: "", host: "", port: "" };
  if (host === "" && port === "") {
    yield endpoint.error(`Log endpoint "${text}" has no host`, hint);
  }
  if (scheme !== "tcp" && scheme !== "udp") {
    yield endpoint.error(
      `Log endpoint "${text}" has scheme "${scheme}", which is not supported`,
      hint,
    );
  }
}

/** Kubelet settings that the node sets itself. */
const ownKeys = new Set([
  "apiVersion",
  "authentication",
  "authorization",
  "cgroupRoot",
  "kind",
  "kubeletCgroups",
  "port",
  "protectKernelDefaults",
  "resolvConf",
  "rotateCertificates",
  "seccompDefault",
  "staticPodPath",
  "systemCgroups",
]);

/** Address filters must be valid, and settings of the node itself must be absent. */
export function* kubeletRules(root: Cursor): Iterable<Problem> {
  const kubelet = root.get("machine", "kubelet");
  yield* kubernetesImageRules(kubelet.get("image"));
  const subnets = listTexts(kubelet.get("nodeIP", "validSubnets"));
  for (const [place, subnet] of subnets) {
    if (isFilter(subnet)) continue;
    yield place.error(
      `Node IP subnet "${subnet}" is not valid`,
      filterHint,
    );
  }
  yield* kubeletSettingRules(kubelet.get("extraConfig"));
}

/** Kubelet settings of the node itself must be absent. */
export function* kubeletSettingRules(settings: Cursor): Iterable<Problem> {
  for (const [name, place] of settings.entries()) {
    if (!ownKeys.has(name)) continue;
    yield place.error(
      `Kubelet setting "${name}" cannot be changed`,
      "Remove it; the node sets it itself",
    );
  }
}

const sortAlgorithms = ["v1", "v2"];
const roles = [
  "os:admin",
  "os:operator",
  "os:reader",
  "os:etcd:backup",
  "os:impersonator",
];

/** Features that depend on the machine type or the platform. */
export function* featureRules(
  root: Cursor,
  context: RuleContext,
): Iterable<Problem> {
  const features = root.get("machine", "features");
  const [resolver] = listDocuments(context, "ResolverConfig");
  const own = resolver?.get("hostDNS");
  if (context.mode === "container") {
    yield* own === undefined || !isGiven(own)
      ? containerDnsRules(features.get("hostDNS"))
      : containerDnsRules(own);
  }
  const hostDns = features.get("hostDNS");
  const forwards = hostDns.get("forwardKubeDNSToHost");
  if (
    context.mode !== "container" && !isOlderMinor(context.version, "1.13") &&
    forwards.truth() === true && hostDns.get("enabled").truth() !== true
  ) {
    yield forwards.error(
      "forwardKubeDNSToHost is true, but host DNS is not enabled",
      "Set machine.features.hostDNS.enabled to true",
    );
  }
  yield* podAccessRules(root, features.get(podAccessField));
  const algorithm = features.get("nodeAddressSortAlgorithm");
  if (
    readText(algorithm) !== "" &&
    !sortAlgorithms.includes(readText(algorithm).toLowerCase())
  ) {
    yield algorithm.error(
      `Sort algorithm "${readText(algorithm)}" does not exist`,
      `Write ${joinWords(sortAlgorithms)}`,
    );
  }
}

/** Pods cannot reach the DNS servers of a container's host. */
function* containerDnsRules(hostDns: Cursor): Iterable<Problem> {
  for (const name of ["enabled", "forwardKubeDNSToHost"]) {
    const flag = hostDns.get(name);
    if (flag.truth() === true) continue;
    yield flag.error(
      `hostDNS.${name} is not true, which mode "container" needs`,
      `Set ${[...flag.path].join(".")} to true`,
    );
  }
}

function* podAccessRules(root: Cursor, access: Cursor): Iterable<Problem> {
  const enabled = access.get("enabled");
  if (enabled.truth() !== true) return;
  if (readRole(root) !== "controlplane") {
    yield enabled.error(
      "Pods can only use the node API through control planes, and this node is a worker",
      `Set ${podAccessField}.enabled to false`,
    );
  }
  yield* roleRules(access.get("allowedRoles"));
}

/** Roles for pods must exist. */
export function* roleRules(allowed: Cursor): Iterable<Problem> {
  for (const [place, role] of listTexts(allowed)) {
    if (roles.includes(role)) continue;
    yield place.error(
      `Role "${role}" does not exist`,
      `Write ${joinWords(roles)}`,
    );
  }
}
