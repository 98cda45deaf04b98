/** Cluster rules: CAs, networks and endpoint. */

import { isDnsName } from "../documents/checks.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import type { RuleContext } from "./context.ts";
import {
  endpointFault,
  isGiven,
  isSplit,
  joinWords,
  listTexts,
  readRole,
  readText,
} from "./checks.ts";

const workersHoldNoKey = "Remove the key; only control planes hold CA keys";

/** Control planes have CA keys, workers only certificates. */
export function* caRules(root: Cursor): Iterable<Problem> {
  const role = readRole(root);
  if (!isGiven(root.get("machine", "ca")) && !acceptsOthers(root)) {
    yield root.get("machine", "ca").error(
      "Neither machine.ca nor machine.acceptedCAs is given",
      role === "controlplane"
        ? "Give machine.ca with crt and key"
        : "Give machine.ca with crt",
    );
  } else if (role === "controlplane") {
    yield* controlPlane(root.get("machine", "ca"));
  } else if (role === "worker") {
    yield* worker(root);
  }
  const key = root.get("cluster", "ca", "key");
  if (role !== "controlplane" && readText(key) !== "") {
    yield key.error(
      "The key of the Kubernetes CA is on a machine that is not a control plane",
      workersHoldNoKey,
    );
  }
}

function* controlPlane(ca: Cursor): Iterable<Problem> {
  if (!isGiven(ca)) {
    yield ca.error(
      "A control plane has no CA of its own",
      "Give machine.ca with crt and key; machine.acceptedCAs alone is for workers",
    );
  } else if (readText(ca.get("key")) === "") {
    yield ca.get("key").error(
      "The CA of a control plane has no key",
      "Give machine.ca.key, which all control planes share",
    );
  }
}

function* worker(root: Cursor): Iterable<Problem> {
  const ca = root.get("machine", "ca");
  if (!isGiven(ca)) return;
  if (readText(ca.get("key")) !== "") {
    yield ca.get("key").error(
      "The key of the node API CA is on a worker",
      workersHoldNoKey,
    );
  }
  if (readText(ca.get("crt")) === "" && !acceptsOthers(root)) {
    yield ca.get("crt").error(
      "A worker trusts no CA: machine.ca.crt and machine.acceptedCAs are empty",
      "Give machine.ca.crt",
    );
  }
}

function acceptsOthers(root: Cursor): boolean {
  return root.get("machine", "acceptedCAs").elements().length > 0;
}

/** The service domain must be a DNS name. */
export function* dnsDomainRules(root: Cursor): Iterable<Problem> {
  const domain = root.get("cluster", "network", "dnsDomain");
  const text = readText(domain);
  if (text === "" || isDnsName(text)) return;
  yield domain.error(
    `"${text}" is not a DNS name`,
    "Write a name such as cluster.local",
  );
}

/** Manifests of a cloud provider require an enabled one. */
export function* cloudProviderRules(root: Cursor): Iterable<Problem> {
  const provider = root.get("cluster", "externalCloudProvider");
  const manifests = listTexts(provider.get("manifests"));
  if (manifests.length > 0 && provider.get("enabled").truth() !== true) {
    yield provider.get("manifests").error(
      "Cloud provider manifests are given, but externalCloudProvider is not enabled",
      "Set cluster.externalCloudProvider.enabled to true, or remove them",
    );
  }
  for (const [place, url] of manifests) {
    const fault = endpointFault(url);
    if (fault === undefined) continue;
    yield place.error(
      `Manifest URL "${url}" ${fault}`,
      "Write a URL such as https://example.com/provider.yaml",
    );
  }
}

/** Names of inline manifests must be unique. */
export function* inlineManifestRules(root: Cursor): Iterable<Problem> {
  const seen = new Set<string>();
  const manifests = root.get("cluster", "inlineManifests").elements();
  for (const manifest of manifests.filter(isGiven)) {
    const place = manifest.get("name");
    const name = readText(place);
    if (name.trim() === "") {
      yield place.error(
        name === ""
          ? '"name" is missing'
          : `"${name}" is not the name of an inline manifest`,
        "Give the manifest a unique name",
      );
    } else if (seen.has(name)) {
      yield place.error(
        `Two inline manifests are named "${name}"`,
        "Rename one of them",
      );
    }
    seen.add(name);
  }
}

const names = ["flannel", "custom", "none"];

/** The pod network must be known, without settings of others. */
export function* cniRules(root: Cursor): Iterable<Problem> {
  const cni = root.get("cluster", "network", "cni");
  if (readRole(root) !== "controlplane" || !isGiven(cni)) return;
  const name = readText(cni.get("name"));
  if (!names.includes(name)) {
    yield cni.get("name").error(
      name === "" ? "The CNI has no name" : `CNI "${name}" does not exist`,
      `Write ${joinWords(names)}`,
    );
    return;
  }
  yield* flannelRules(cni, name);
  yield* policyRules(cni, name);
  yield* name === "custom" ? customUrls(cni) : foreignUrls(cni, name);
}

function* flannelRules(cni: Cursor, name: string): Iterable<Problem> {
  const given = cni.get("flannel", "extraArgs");
  if (name === "flannel" || listTexts(given).length === 0) return;
  yield given.error(
    `Flannel arguments are given for CNI "${name}"`,
    'Remove them, or set the name to "flannel"',
  );
}

function* policyRules(cni: Cursor, name: string): Iterable<Problem> {
  const given = cni.get("flannel", "kubeNetworkPoliciesEnabled");
  if (name === "flannel" || given.truth() !== true) return;
  yield given.error(
    `Flannel network policies are enabled for CNI "${name}"`,
    'Remove it, or set the name to "flannel"',
  );
}

function* foreignUrls(cni: Cursor, name: string): Iterable<Problem> {
  const urls = cni.get("urls");
  if (listTexts(urls).length === 0) return;
  yield urls.error(
    `Manifests are given for CNI "${name}", which does not use manifests`,
    'Remove them, or set the name to "custom"',
  );
}

function* customUrls(cni: Cursor): Iterable<Problem> {
  const urls = listTexts(cni.get("urls"));
  if (urls.length === 0) {
    yield cni.get("urls").warning(
      'CNI "custom" has no manifests',
      'Give their URLs, or set the name to "none"',
    );
  }
  for (const [place, url] of urls) {
    const fault = endpointFault(url);
    if (fault === undefined) continue;
    yield place.error(
      `Manifest URL "${url}" ${fault}`,
      "Write a URL such as https://example.com/cni.yaml",
    );
  }
}

const hint =
  "Write it as https://HOST:6443, an IPv6 address as https://[fd00::1]:6443";

/** Every node must have the endpoint of the cluster. */
export function* controlPlaneEndpointRules(
  root: Cursor,
  context: RuleContext,
): Iterable<Problem> {
  const cluster = root.get("cluster");
  const controlPlane = cluster.get("controlPlane");
  const endpoint = controlPlane.get("endpoint");
  if (!isGiven(cluster)) {
    yield cluster.error(
      '"cluster" is missing',
      "Give at least cluster.controlPlane.endpoint",
    );
  } else if (!isGiven(controlPlane)) {
    if (isSplit(context)) return;
    yield controlPlane.error(
      '"controlPlane" is missing',
      "Give cluster.controlPlane.endpoint",
    );
  } else if (readText(endpoint) === "") {
    yield endpoint.error('"endpoint" is missing', hint);
  } else {
    const fault = endpointFault(readText(endpoint));
    if (fault === undefined) return;
    yield endpoint.error(`Endpoint "${readText(endpoint)}" ${fault}`, hint);
  }
}
