/** Upgrades the OS of a node, and verifies the running version. */

import {
  RebootRequest_Mode as RebootMode,
  UpgradeRequest_RebootMode as UpgradeRebootMode,
} from "../../../transport/gen/machine_power.ts";
import { single } from "../../../transport/call/reply.ts";
import { RefusedError } from "../../../errors.ts";
import type {
  Attempt,
  NodeContext,
  Operation,
  OperationProgress,
  PlannedAction,
  Reconciled,
  Verdict,
} from "../operation.ts";
import {
  grantAlways,
  leftClosed,
  nodeToDrain,
  openAfter,
  whileEmpty,
} from "./drain_for_upgrade.ts";
import { reconcileBoot } from "../boot_key.ts";
import { readNodeSystem } from "../../upgrade/node_system.ts";
import { untilReady } from "../wait_ready.ts";
import {
  checkUpgradable,
  checkUpgrade,
  isUpgraded,
  observeUpgrade,
  runsAlreadyReason,
  type UpgradeInput,
  type UpgradeKey,
  upgradeKey,
  type UpgradeSeen,
} from "./upgrade_facts.ts";
import {
  awaitInstaller,
  findInstall,
  install,
  installActions,
  isUnknownCall,
  pullFirst,
} from "./install.ts";

/** Timeout for the reboot request, in milliseconds. */
const deadlineMs = 30_000;

/**
 * `upgrade`. Sources: `LifecycleService.Upgrade` and `MachineService.Reboot` on nodes since v1.13,
 * `MachineService.Upgrade` on older ones.
 */
export const upgrade: Operation<UpgradeInput, UpgradeSeen, UpgradeKey> = {
  name: "upgrade",
  effect: "disrupt",
  rolling: true,
  idempotency: "keyed",
  touches: "at-step",
  quorum: ({ insecure }) => insecure ? "none" : "leaves-temporarily",
  observe,
  plan,
  already: runsAlreadyReason,
  key: upgradeKey,
  apply: (context, input, key) =>
    key.opens !== undefined
      ? grantAlways()
      : key.via === "legacy"
      ? upgradeAtOnce(context, input, key)
      : upgradeInSteps(context, input, key),
  reconcile: (context, _, key, attempt) => reconcile(context, key, attempt),
  resume: finishSteps,
  verify: (context, _, key) => verify(context, key),
};

/** The upgrade without the node's own checks; asks for confirmation. */
export const forcedUpgrade: typeof upgrade = { ...upgrade, guarded: true };

async function observe(
  context: NodeContext,
  input: UpgradeInput,
): Promise<UpgradeSeen> {
  const seen = await observeUpgrade(context, input);
  if (!isDrained(seen, input)) return seen;
  if (!isUpgraded(seen, input)) {
    return { ...seen, drains: await nodeToDrain(context) };
  }
  return input.wait ? { ...seen, opens: await leftClosed(context) } : seen;
}

function isDrained(
  { via }: UpgradeSeen,
  { drainMs }: UpgradeInput,
): boolean {
  return via === "lifecycle" && drainMs > 0;
}

function plan(
  seen: UpgradeSeen,
  input: UpgradeInput,
): readonly PlannedAction[] {
  const { opens } = seen;
  checkUpgradable(seen);
  if (isUpgraded(seen, input)) {
    return opens === null
      ? []
      : [{ action: `uncordon ${opens}`, gentle: true }];
  }
  checkUpgrade(seen, input);
  if (seen.via === "legacy" && (input.namespace ?? "system") !== "system") {
    throw new RefusedError(
      "--namespace needs the install call of v1.13 or later, which --legacy, --stage and --force do not use",
    );
  }
  if (seen.drains !== null && !input.wait) {
    throw new RefusedError(
      `Without --wait nothing would uncordon ${seen.drains} after the drain`,
      { hint: "--wait=false needs --drain=false on nodes since v1.13" },
    );
  }
  return [
    // A node whose pods could go nowhere is not drained.
    ...seen.drains ? [{ action: "drain" }] : [],
    ...installActions(seen),
    { action: "reboot" },
  ];
}

async function* upgradeAtOnce(
  { client, signal }: NodeContext,
  { stage, force, preserve, mode }: UpgradeInput,
  { image }: UpgradeKey,
): AsyncGenerator<OperationProgress, void> {
  yield { text: `pulling ${image}`, step: "upgrade" };
  const request = {
    image,
    stage,
    force,
    preserve,
    rebootMode: mode === "powercycle"
      ? UpgradeRebootMode.POWERCYCLE
      : UpgradeRebootMode.DEFAULT,
  };
  const answer = await client.machine.upgrade(request, {
    signal,
    deadlineMs: 0,
  });
  const { actorId } = single(answer.messages);
  yield { text: `installing (actor ${actorId})` };
}

async function* upgradeInSteps(
  context: NodeContext,
  input: UpgradeInput,
  key: UpgradeKey,
): AsyncGenerator<OperationProgress, Verdict | undefined> {
  yield* pullFirst(context, input, key);
  const drains = drainOptions(input);
  return yield* whileEmpty(context, drains, key.drains, async function* () {
    try {
      const ended = yield* install(context, input, key);
      if (ended !== undefined) return ended;
    } catch (error) {
      if (!isUnknownCall(error)) throw error;
      const { renewLeave = grantAlways } = context;
      const refused = yield* renewLeave();
      if (refused !== undefined) return refused;
      return yield* upgradeAtOnce(context, input, key);
    }
    return yield* rebootInto(context, input, key);
  });
}

function drainOptions({ drainMs }: UpgradeInput) {
  return { drainMs, owner: "upgrade" } as const;
}

/** Nothing is installed twice: waits for an install that was not seen to finish, then reboots. */
function finishSteps(
  context: NodeContext,
  input: UpgradeInput,
  key: UpgradeKey,
): AsyncGenerator<OperationProgress, Verdict | undefined> {
  const drains = drainOptions(input);
  return whileEmpty(context, drains, key.drains, async function* () {
    yield* awaitInstaller(context, key.version ?? undefined);
    return yield* rebootInto(context, input, key);
  });
}

/** Drain and install take time, and the state of etcd may have changed. */
async function* rebootInto(
  { client, renewLeave = grantAlways }: NodeContext,
  { mode }: UpgradeInput,
  { version, image }: UpgradeKey,
): AsyncGenerator<OperationProgress, Verdict | undefined> {
  const refused = yield* renewLeave();
  if (refused !== undefined) {
    const { reason } = refused;
    const now = `${version ?? image} is installed; the next boot starts it`;
    return { ...refused, reason: `${reason}; ${now}` };
  }
  yield { text: "requesting a reboot", step: "reboot" };
  const { messages } = await client.machine.reboot({
    mode: mode === "powercycle" ? RebootMode.POWERCYCLE : RebootMode.DEFAULT,
  }, { deadlineMs });
  const { actorId } = single(messages);
  yield {
    text: `the node is rebooting into ${version ?? image} (actor ${actorId})`,
  };
}

async function reconcile(
  context: NodeContext,
  key: UpgradeKey,
  attempt: Attempt | undefined,
): Promise<Reconciled> {
  if (key.opens !== undefined) return "done";
  if (key.via === "legacy") return await reconcileBoot(context, key, attempt);
  const found = await findInstall(context, key, attempt);
  if ("boot" in found) return found.boot;
  switch (found.state) {
    case "none":
      return "not-started";
    case "unknown":
      // When in doubt it is rebooted, and never installed twice.
      return attempt?.steps.includes("install") ? "partly" : "not-started";
    case "running":
    case "ended":
      return "partly";
  }
}

/** Waits for the end, and uncordons the node if the upgrade cordoned it. */
async function* verify(
  context: NodeContext,
  key: UpgradeKey,
): AsyncGenerator<OperationProgress, Verdict> {
  const verdict = yield* untilUpgraded(context, key);
  return yield* openAfter(context, key.opens ?? key.drains, verdict);
}

async function* untilUpgraded(
  context: NodeContext,
  { bootId, version, schematic, opens }: UpgradeKey,
): AsyncGenerator<OperationProgress, Verdict> {
  const verdict = yield* untilReady(context, {
    bootId: bootId ?? undefined,
    reboots: opens === undefined,
    ...version === null ? {} : { version },
  });
  if (verdict.outcome !== "done" || schematic === null) return verdict;
  const now = await readNodeSystem(context.client);
  if (now.schematic === schematic) return verdict;
  const found = now.schematic?.slice(0, 12) ?? "none";
  return {
    outcome: "rolled-back",
    reason: `the node came back with the schematic ${found}…, not ${
      schematic.slice(0, 12)
    }…`,
  };
}
