/** `cluster.apiServer`, `cluster.controllerManager` and `cluster.scheduler`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isGiven, oneOf, textOf } from "./texts.ts";

const pods = ["apiServer", "controllerManager", "scheduler"];
const authorizerTypes = ["Node", "RBAC", "Webhook"];

/** Pods of the control plane ask for processors and memory only. */
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

/** Who may do what is said in one place, by authorizers that are complete. */
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
      `Argument "${name}" is given besides authorizationConfig`,
      "Remove one of the two",
    );
  }
  for (const authorizer of authorizers.items()) {
    yield* authorizerRules(authorizer);
  }
}

function* authorizerRules(authorizer: Cursor): Iterable<Problem> {
  const type = textOf(authorizer.get("type"));
  if (!authorizerTypes.includes(type)) {
    yield authorizer.get("type").error(
      type === ""
        ? '"type" is missing'
        : `Authorizer type "${type}" does not exist`,
      `Write ${oneOf(authorizerTypes)}`,
    );
  }
  if (textOf(authorizer.get("name")) === "") {
    yield authorizer.get("name").error(
      '"name" is missing',
      "Give it a name that appears in metrics and messages",
    );
  }
}
