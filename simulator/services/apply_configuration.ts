/** Giving a node its configuration over the wire: `ApplyConfiguration`. */

import type { DocumentProblem } from "../../config/documents/load.ts";
import { loadDocuments } from "../../config/documents/load.ts";
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
import { reboot } from "../power.ts";

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
    node.work(reboot(node));
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
  const { loaded, problems } = check(node, text);
  const unread = loaded.filter(({ level, path }) =>
    level === "error" || path === "kind"
  );
  if (unread.length > 0) {
    throw new RpcError("UNKNOWN", `failed to parse config: ${lines(unread)}`);
  }
  const errors = problems.filter(({ level }) => level === "error");
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

function check(node: SimulatedNode, text: string) {
  try {
    const loaded = loadDocuments(text, "config.yaml");
    const problems = validateDocuments(loaded, {
      mode: "metal",
      osVersion: versionOf(node),
    });
    if (loaded.documents.length === 0) {
      throw new ConfigError("config not found");
    }
    return { loaded: loaded.problems, problems };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new RpcError("UNKNOWN", `failed to parse config: ${error.message}`);
  }
}

function versionOf({ cluster }: SimulatedNode): OsVersion {
  const [, major = "1", minor = "12"] = /^v(\d+)\.(\d+)/.exec(
    cluster.release.tag,
  ) ?? [];
  return `${Number(major)}.${Number(minor)}`;
}

function lines(problems: readonly DocumentProblem[]): string {
  return problems.map(told).join("\n");
}

function told({ identity, path, message, at }: DocumentProblem): string {
  const line = at === undefined ? "" : `line ${at.line}: `;
  return `${line}${identity}: ${path}: ${message}`;
}
