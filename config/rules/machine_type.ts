/** `machine.type`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { textOf } from "./texts.ts";

/** What a machine is in its cluster. */
export type MachineRole = "controlplane" | "worker" | "unknown";

const roles: ReadonlyMap<string, MachineRole> = new Map([
  ["controlplane", "controlplane"],
  ["init", "controlplane"],
  ["worker", "worker"],
  ["join", "worker"],
  ["", "worker"],
]);

/** What the machine of a configuration is; `worker` when it does not say. */
export function roleOf(root: Cursor): MachineRole {
  return roles.get(textOf(root.get("machine", "type"))) ?? "unknown";
}

/** The type is known and written in full. */
export function* machineTypeRules(root: Cursor): Iterable<Problem> {
  const type = root.get("machine", "type");
  const text = textOf(type);
  if (roleOf(root) === "unknown") {
    yield type.error(
      `Machine type "${text}" does not exist`,
      'Write "controlplane" or "worker"',
    );
  } else if (text === "" || text === "join") {
    yield type.warning(
      text === ""
        ? "Machine type is not given, which makes a worker"
        : `Machine type "${text}" is an old word`,
      'Write "worker"',
    );
  }
}
