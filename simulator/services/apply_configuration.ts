/** Giving a node its configuration over the wire: `ApplyConfiguration`. */

import {
  type DocumentProblem,
  loadDocuments,
  type Loaded,
} from "../../config/documents/load.ts";
import type { OsVersion } from "../../config/documents/schema.ts";
import { validateDocuments } from "../../config/validate.ts";
import { ConfigError, RpcError } from "../../errors.ts";
import {
  ApplyConfigurationRequest_Mode as Mode,
} from "../../transport/gen/machine.ts";
import { enumName } from "../../transport/enum_name.ts";
import type { MachineHandlers } from "../handlers.ts";
import type { SimulatedNode } from "../node.ts";
import { configure } from "../node_configuration.ts";
import { runningRelease } from "../running_release.ts";
import { leaveMaintenance } from "../boot.ts";

/** `ApplyConfiguration` of a node that has no configuration yet. */
export const applyConfiguration: MachineHandlers = {
  async applyConfiguration({ data, mode, dryRun }, { node }) {
    if (node.configured) {
      throw new RpcError(
        "UNIMPLEMENTED",
        "method ApplyConfiguration not implemented",
      );
    }
    if (!modes.has(mode)) {
      const name = enumName(Mode, mode).toLowerCase().replaceAll("_", "-");
      throw new RpcError(
        "UNIMPLEMENTED",
        `apply configuration --mode='${name}' is not supported in maintenance mode`,
      );
    }
    const text = new TextDecoder().decode(data);
    const warnings = accept(node, text);
    if (dryRun) return { messages: [{ warnings, modeDetails: nothingYet }] };
    await configure(node, text);
    await node.save();
    // It installs the system first, and answers no more while it does.
    node.work(leaveMaintenance(node));
    return { messages: [{ warnings }] };
  },
};

const modes: ReadonlySet<number> = new Set([
  Mode.TRY,
  Mode.REBOOT,
  Mode.AUTO,
]);

const nothingYet = `Dry run summary:
Node is running in maintenance mode and does not have a config yet.`;

/** Warnings of a configuration the node takes. */
function accept(node: SimulatedNode, text: string): readonly string[] {
  const loaded = load(text);
  const unread = loaded.problems.filter(isError);
  if (unread.length > 0) throw unreadable(unread.map(told).join("\n"));
  const problems = validateDocuments(loaded, {
    mode: "metal",
    osVersion: versionOf(node),
  });
  const errors = problems.filter(isError);
  if (errors.length > 0) {
    const count = errors.length === 1 ? "1 error" : `${errors.length} errors`;
    throw new RpcError(
      "INVALID_ARGUMENT",
      `configuration validation failed: ${count} occurred:\n${
        errors.map((problem) => `\t* ${told(problem)}\n`).join("")
      }\n`,
    );
  }
  return problems.map(told);
}

function load(text: string): Loaded {
  try {
    const loaded = loadDocuments(text, "config.yaml");
    if (loaded.documents.length === 0) throw unreadable("config not found");
    const foreign = loaded.documents.find(({ schema }) => schema === undefined);
    if (foreign === undefined) return loaded;
    const { apiVersion, kind, root } = foreign;
    throw unreadable(
      `error decoding document ${apiVersion}/${kind}/ (line ${root.at?.line}): "${kind}" "${apiVersion}": not registered`,
    );
  } catch (error) {
    if (error instanceof ConfigError) throw unreadable(error.message);
    throw error;
  }
}

function unreadable(why: string): RpcError {
  return new RpcError("UNKNOWN", `failed to parse config: ${why}`);
}

function isError({ level }: DocumentProblem): boolean {
  return level === "error";
}

function versionOf(node: SimulatedNode): OsVersion {
  const [, major = "1", minor = "12"] = /^v(\d+)\.(\d+)/.exec(
    runningRelease(node).tag,
  ) ?? [];
  return `${Number(major)}.${Number(minor)}`;
}

function told({ identity, path, message, at }: DocumentProblem): string {
  const line = at === undefined ? "" : `line ${at.line}: `;
  return `${line}${identity}: ${path}: ${message}`;
}
