/** `node.system`, `node.verifyVersion`: running system of a node, before and after an upgrade. */

import { exitStatus, OutcomeError } from "../../errors.ts";
import { readBootId } from "../../transport/stream/boot_id.ts";
import { type NodeSystem, readNodeSystem } from "../upgrade/node_system.ts";
import type { Module } from "./module.ts";
import { parseInstaller } from "../upgrade/installer_reference.ts";
import { compareVersions, parseVersion } from "../../lib/version.ts";
import {
  type ModuleInput,
  readText,
  readTruth,
} from "../runbook_cel/values.ts";

const keep = "keep";

/** Reports the running system of a node. */
export const nodeSystem: Module = {
  kind: "read",
  name: "node.system",
  summary: "Report the version a node runs",
  scope: "node",
  input: {},
  output: {
    version: { type: "semver", summary: "Running version" },
    schematic: {
      type: "string",
      summary: "Schematic of its image; empty if none or unknown",
    },
    bootId: {
      type: "string",
      summary: "Id of the running boot; empty if unknown",
    },
  },
  retryable: ["unavailable", "deadline"],
  async *read({ client, signal }) {
    yield { text: "reading the running version" };
    const [system, bootId = ""] = await Promise.all([
      readNodeSystem(client),
      readBootId(client)(signal),
    ]);
    const { version, schematic = "", customized } = system;
    // A plain image may have an empty schematic, or none.
    return { version, schematic: customized ? schematic : "", bootId };
  },
};

/** Verifies the running version of a node. */
export const nodeVerifyVersion: Module = {
  kind: "read",
  name: "node.verifyVersion",
  summary: "Verify that a node runs a version with the extensions it had",
  scope: "node",
  input: {
    version: {
      type: "semver",
      required: true,
      summary: "Expected version",
    },
    sameSchematic: {
      type: "bool",
      initial: true,
      summary: "Whether the image must have the same schematic",
    },
    before: {
      type: "string",
      summary: "Previous schematic; default the one in its configuration",
    },
    image: {
      type: "string",
      initial: keep,
      summary: "Requested image; keep for the previous one",
    },
  },
  output: {
    version: { type: "semver", summary: "Running version" },
    schematic: {
      type: "string",
      summary: "Schematic of its image; empty if unknown",
    },
  },
  retryable: ["unavailable", "deadline"],
  async *read({ client }, input) {
    yield { text: "reading the running version" };
    const system = await readNodeSystem(client);
    const fault = findFault(system, input);
    if (fault !== undefined) {
      throw new OutcomeError("rolled-back", fault, exitStatus.failed);
    }
    const { version, schematic = "" } = system;
    return { version, schematic };
  },
};

function findFault(system: NodeSystem, input: ModuleInput): string | undefined {
  const wanted = readText(input, "version") ?? "";
  const [runs, target] = [parseVersion(system.version), parseVersion(wanted)];
  const isThere = runs !== undefined && target !== undefined &&
    compareVersions(runs, target) === 0;
  if (!isThere) return `the node runs ${system.version}, not ${wanted}`;
  const made = readTruth(input, "sameSchematic", true)
    ? madeFrom(system, input)
    : undefined;
  const { schematic = "" } = system;
  if (made === undefined || made === schematic) return undefined;
  return `the node runs ${shorten(schematic)}, not ${shorten(made)}`;
}

function shorten(schematic: string): string {
  return schematic === ""
    ? "an image without a schematic"
    : `the schematic ${schematic.slice(0, 12)}…`;
}

/** Schematic in the given image name, otherwise that of the previous image. */
function madeFrom(system: NodeSystem, input: ModuleInput): string | undefined {
  const image = readText(input, "image") ?? keep;
  if (image !== keep) return parseInstaller(image).schematic;
  return readText(input, "before") ??
    parseInstaller(system.installImage ?? "").schematic;
}
