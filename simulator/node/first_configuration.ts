/** How a node without a configuration gets one. */

import { RpcError } from "../../errors.ts";
import {
  type ApplyConfigurationRequest,
  ApplyConfigurationRequest_Mode as Mode,
} from "../../transport/gen/machine.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import { acceptConfiguration } from "./accept_configuration.ts";
import { leaveMaintenance } from "../boot/boot.ts";
import type { SimulatedNode } from "./node.ts";
import { configure } from "./node_configuration.ts";

/** What a node in maintenance answers. */
export interface FirstAnswer {
  /** What it does not like about the configuration. */
  readonly warnings: readonly string[];
  /** What it says about a dry run; empty otherwise. */
  readonly modeDetails: string;
}

/**
 * Takes the configuration of a node that has none, as releases up to v1.12 do.
 *
 * @throws {RpcError} When the node does not take it, or not in that mode.
 */
export async function applyFirst(
  node: SimulatedNode,
  { data, mode, dryRun }: ApplyConfigurationRequest,
): Promise<FirstAnswer> {
  if (!maintenanceModes.has(mode)) {
    const name = enumName(Mode, mode).toLowerCase().replaceAll("_", "-");
    throw new RpcError(
      "UNIMPLEMENTED",
      `apply configuration --mode='${name}' is not supported in maintenance mode`,
    );
  }
  const text = new TextDecoder().decode(data);
  const acceptance = acceptConfiguration(node, text);
  if (acceptance.verdict === "unreadable") {
    const message = `failed to parse config: ${acceptance.why}`;
    throw new RpcError("UNKNOWN", message);
  }
  if (acceptance.verdict === "invalid") {
    throw new RpcError(
      "INVALID_ARGUMENT",
      `configuration validation failed: ${acceptance.why}`,
    );
  }
  const { warnings } = acceptance;
  if (dryRun) return { warnings, modeDetails: nothingYet };
  await leaveWith(node, text);
  return { warnings, modeDetails: "" };
}

const maintenanceModes: ReadonlySet<number> = new Set([
  Mode.TRY,
  Mode.REBOOT,
  Mode.AUTO,
]);

const nothingYet = `Dry run summary:
Node is running in maintenance mode and does not have a config yet.`;

/** Gives a node its configuration, with which it leaves maintenance. */
export async function leaveWith(
  node: SimulatedNode,
  text: string,
): Promise<void> {
  await configure(node, text);
  await node.save();
  node.work(leaveMaintenance(node));
}
