/** Authorities of the node's API and of the cluster, and who may hold their keys. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { roleOf } from "./machine_type.ts";
import { isGiven, textOf } from "./texts.ts";

const workersHoldNoKey =
  "Remove the key; only control planes hold keys of authorities";

/** Control planes hold keys of authorities, workers only know whom to trust. */
export function* authorityRules(root: Cursor): Iterable<Problem> {
  const role = roleOf(root);
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
  if (role !== "controlplane" && textOf(key) !== "") {
    yield key.error(
      "The key of the Kubernetes authority is on a machine that is no control plane",
      workersHoldNoKey,
    );
  }
}

function* controlPlane(authority: Cursor): Iterable<Problem> {
  if (!isGiven(authority)) {
    yield authority.error(
      "A control plane has no authority of its own",
      "Give machine.ca with crt and key; machine.acceptedCAs alone is for workers",
    );
  } else if (textOf(authority.get("key")) === "") {
    yield authority.get("key").error(
      "The authority of a control plane has no key",
      "Give machine.ca.key, which all control planes share",
    );
  }
}

function* worker(root: Cursor): Iterable<Problem> {
  const authority = root.get("machine", "ca");
  if (!isGiven(authority)) return;
  if (textOf(authority.get("key")) !== "") {
    yield authority.get("key").error(
      "The key of the node API's authority is on a worker",
      workersHoldNoKey,
    );
  }
  if (textOf(authority.get("crt")) === "" && !acceptsOthers(root)) {
    yield authority.get("crt").error(
      "A worker trusts nobody: machine.ca.crt and machine.acceptedCAs are empty",
      "Give machine.ca.crt",
    );
  }
}

function acceptsOthers(root: Cursor): boolean {
  return root.get("machine", "acceptedCAs").items().length > 0;
}
