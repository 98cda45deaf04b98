import { kubernetesImageRules } from "../documents/checks.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import {
  filterHint,
  isFilter,
  isGiven,
  joinWords,
  listTexts,
  readRole,
  readText,
} from "./checks.ts";

const pods = ["apiServer", "controllerManager", "scheduler"];
const authorizerTypes = ["Node", "RBAC", "Webhook"];

/** Control plane pods may request only CPU and memory. */
export function* resourceRules(root: Cursor): Iterable<Problem> {
  for (const pod of pods) {
    const resources = root.get("cluster", pod, "resources");
    for (const side of ["requests", "limits"]) {
      for (const [name, place] of resources.get(side).entries()) {
        if (name === "cpu" || name === "memory") continue;
        yield place.error(
          `Resource "${name}" of ${pod} is not supported`,
          'Only "cpu" and "memory" are',
        );
      }
    }
  }
}

/** Control plane images must have a Kubernetes version; workers ignore them. */
export function* componentImageRules(root: Cursor): Iterable<Problem> {
  if (root.get("machine", "type").text() === "worker") return;
  for (const pod of pods) {
    yield* kubernetesImageRules(root.get("cluster", pod, "image"));
  }
}

/** Authorization must be configured in one place, with complete authorizers. */
export function* authorizationRules(root: Cursor): Iterable<Problem> {
  const server = root.get("cluster", "apiServer");
  const authorizers = server.get("authorizationConfig");
  if (!isGiven(authorizers)) return;
  for (const [name, place] of server.get("extraArgs").entries()) {
    if (
      name !== "authorization-mode" &&
      !name.startsWith("authorization-webhook-")
    ) continue;
    yield place.error(
      `Argument "${name}" cannot be combined with authorizationConfig`,
      "Remove one of the two",
    );
  }
  for (const authorizer of authorizers.elements()) {
    yield* authorizerRules(authorizer);
  }
}

function* authorizerRules(authorizer: Cursor): Iterable<Problem> {
  const type = readText(authorizer.get("type"));
  if (!authorizerTypes.includes(type)) {
    yield authorizer.get("type").error(
      type === ""
        ? '"type" is missing'
        : `Authorizer type "${type}" does not exist`,
      `Write ${joinWords(authorizerTypes)}`,
    );
  }
  if (readText(authorizer.get("name")) === "") {
    yield authorizer.get("name").error(
      '"name" is missing',
      "Give it a name that appears in metrics and messages",
    );
  }
}

/** Only control planes run etcd, and they need its CA. */
export function* etcdRules(root: Cursor): Iterable<Problem> {
  const etcd = root.get("cluster", "etcd");
  if (!isGiven(etcd)) return;
  if (readRole(root) !== "controlplane") {
    yield etcd.error(
      "etcd is configured on a worker",
      "Remove cluster.etcd",
    );
    return;
  }
  if (!isGiven(etcd.get("ca"))) {
    yield etcd.get("ca").error(
      '"ca" is missing',
      "Give cluster.etcd.ca with crt and key",
    );
  }
  yield* subnetRules(etcd);
}

function* subnetRules(etcd: Cursor): Iterable<Problem> {
  const subnet = etcd.get("subnet");
  const advertised = listTexts(etcd.get("advertisedSubnets"));
  const old = readText(subnet);
  if (old !== "" && advertised.length > 0) {
    yield subnet.error(
      `Both subnet "${old}" and advertisedSubnets are given`,
      "Remove subnet and list it in advertisedSubnets",
    );
  }
  const alone = advertised.length === 0 && old !== ""
    ? [[subnet, old] as const]
    : [];
  const listened = listTexts(etcd.get("listenSubnets"));
  for (const [place, text] of [...advertised, ...alone, ...listened]) {
    if (isFilter(text)) continue;
    yield place.error(`etcd subnet "${text}" is not valid`, filterHint);
  }
}
