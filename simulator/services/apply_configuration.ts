/** Applying a configuration: `ApplyConfiguration`. */

import { mainKind } from "../../config/documents/load.ts";
import { RpcError } from "../../errors.ts";
import { connectionBroken } from "../state/faults.ts";
import {
  type ApplyConfigurationRequest,
  ApplyConfigurationRequest_Mode as Mode,
} from "../../transport/gen/machine.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import { leaveMaintenance } from "../boot/boot.ts";
import { reboot } from "../boot/power.ts";
import { acceptConfiguration } from "../node/accept_configuration.ts";
import {
  type ApplyPlan,
  applyPlan,
  describeChange,
  type NodeConfigChange,
} from "../node/apply_mode.ts";
import {
  applyLive,
  endTrial,
  saveConfiguration,
  tryConfiguration,
} from "../node/live_configuration.ts";
import { logKernel } from "../node/logs.ts";
import type { SimulatedNode } from "../state/node.ts";
import { configure, readDocuments } from "../state/node_configuration.ts";
import { behaves } from "../release/release.ts";
import { notAuthorized } from "../state/roles.ts";
import type { MachineHandlers, NodeCall } from "./handlers.ts";
import { goDuration, toMilliseconds } from "../wire/timestamp.ts";

/** `ApplyConfiguration`. */
export const applyConfiguration: MachineHandlers = {
  async applyConfiguration(request, call) {
    const { node } = call;
    if (!node.disk.configured && !behaves(node, "rolesInMaintenance")) {
      return { messages: [await applyFirst(node, request)] };
    }
    const { boot } = node;
    if (boot.configuring && behaves(node, "appliesOneAtATime")) {
      throw notNow("another apply configuration is already in progress");
    }
    boot.configuring = true;
    try {
      return { messages: [await apply(request, call)] };
    } finally {
      boot.configuring = false;
    }
  },
};

async function apply(
  { data, mode, dryRun, tryModeTimeout }: ApplyConfigurationRequest,
  { node, roles }: NodeCall,
) {
  if (node.boot.awaitingReboot && behaves(node, "appliesOnceBeforeReboot")) {
    throw notNow(
      "configuration was already applied and node is rebooting, cannot apply more configuration changes until next reboot",
    );
  }
  if (node.disk.configured && !roles.has("os:admin")) throw notAuthorized();
  if (mode !== Mode.TRY) endTrial(node);
  const text = new TextDecoder().decode(data);
  const { change, warnings } = changeTo(node, text, mode);
  const plan = applyPlan(mode, change, behaves(node, "appliesWithReboot"));
  if (dryRun) {
    const modeDetails = `Dry run summary:
${plan.details} (skipped in dry-run).
${describeChange(change)}`;
    return { mode: plan.mode, modeDetails };
  }
  logKernel(node, `apply config request: mode ${modeText(mode, plan)}`);
  const trialMs = tryModeTimeout ? toMilliseconds(tryModeTimeout) : 60_000;
  const moved = await applyPlanned(node, text, { ...plan, trialMs });
  if (moved) {
    throw connectionBroken();
  }
  const trial = plan.mode === Mode.TRY
    ? `\nThe config is applied in 'try' mode and will be automatically reverted back in ${
      goDuration(trialMs)
    }`
    : "";
  const modeDetails = `${plan.details}${trial}${plan.reason}`;
  return { mode: plan.mode, warnings, modeDetails };
}

/** Checks a configuration and computes the change; throws if the node refuses it. */
function changeTo(
  node: SimulatedNode,
  text: string,
  mode: Mode,
): { readonly change: NodeConfigChange; readonly warnings: readonly string[] } {
  const acceptance = acceptConfiguration(node, text);
  if (acceptance.verdict === "unreadable") throw invalid(acceptance.why);
  const { disk: { configured } } = node;
  const isWhole = acceptance.verdict === "invalid" ||
    acceptance.documents.some(({ kind }) => kind === mainKind);
  if (configured && !isWhole && behaves(node, "wantsMainDocument")) {
    throw invalid(
      "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?",
    );
  }
  const reboots = configured && mode === Mode.REBOOT;
  if (reboots && !behaves(node, "appliesWithReboot")) {
    throw new RpcError(
      "UNIMPLEMENTED",
      "the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead",
    );
  }
  if (acceptance.verdict === "invalid") throw invalid(acceptance.why);
  const { documents: to, warnings } = acceptance;
  const from = configured ? readDocuments(node) : undefined;
  return { change: { from, to }, warnings };
}

/** Applies a plan; returns true if the node has another address now. */
async function applyPlanned(
  node: SimulatedNode,
  text: string,
  { mode, trialMs }: ApplyPlan & { readonly trialMs: number },
): Promise<boolean> {
  if (!node.disk.configured && mode !== Mode.STAGED) {
    await leaveWith(node, text);
    return false;
  }
  if (!node.disk.configured) {
    // The next boot reads it, if there is an installed disk.
    node.disk.configuration = text;
    await node.save();
    return false;
  }
  if (mode === Mode.TRY) return await tryConfiguration(node, text, trialMs);
  await saveConfiguration(node, text);
  if (mode === Mode.NO_REBOOT) return await applyLive(node, text);
  if (mode !== Mode.REBOOT) return false;
  node.boot.awaitingReboot = true;
  node.work(reboot(node, { takesOver: true }));
  return false;
}

/** `no_reboot`, or `auto(no_reboot)`. */
function modeText(asked: Mode, { mode }: ApplyPlan): string {
  const [wanted, done] = [asked, mode].map((one) =>
    enumName(Mode, one).toLowerCase()
  );
  return asked === Mode.AUTO ? `${wanted}(${done})` : `${wanted}`;
}

function invalid(message: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", message);
}

function notNow(message: string): RpcError {
  return new RpcError("FAILED_PRECONDITION", message);
}

/**
 * Applies the first configuration of a node, as releases up to v1.12 do.
 *
 * @throws {RpcError} If the node refuses it or the mode.
 */
async function applyFirst(
  node: SimulatedNode,
  { data, mode, dryRun }: ApplyConfigurationRequest,
): Promise<{
  readonly warnings: readonly string[];
  /** Message of a dry run; otherwise empty. */
  readonly modeDetails: string;
}> {
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

/** Applies a configuration, with which the node leaves maintenance mode. */
async function leaveWith(
  node: SimulatedNode,
  text: string,
): Promise<void> {
  await configure(node, text);
  await node.save();
  node.work(leaveMaintenance(node));
}
