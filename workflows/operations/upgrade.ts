/** Giving a node another version of the operating system, and seeing it run. */

import {
  RebootRequest_Mode as RebootMode,
  UpgradeRequest_RebootMode as UpgradeRebootMode,
} from "../../transport/gen/machine.ts";
import { single } from "../../transport/reply.ts";
import type {
  Operation,
  PlannedAction,
  Progress,
  Reconciled,
  Site,
  Verdict,
} from "../operation.ts";
import { readInstallState } from "../upgrade/install_state.ts";
import { reconcileBoot } from "./boot_key.ts";
import { longCall } from "./long_call.ts";
import { readNodeSystem } from "./node_system.ts";
import { untilSettled } from "./settle.ts";
import {
  checkUpgrade,
  isUpgraded,
  observeUpgrade,
  type UpgradeInput,
  type UpgradeKey,
  upgradeKey,
  type UpgradeSeen,
} from "./upgrade_facts.ts";
import {
  awaitInstaller,
  install,
  installActions,
  isUnknownCall,
} from "./upgrade_install.ts";

/** Longest time for the answer to a reboot, in milliseconds. */
const deadlineMs = 30_000;

/**
 * `upgrade`. Sources: `LifecycleService.Upgrade` and `MachineService.Reboot` on nodes since v1.13,
 * `MachineService.Upgrade` on older ones.
 */
export const upgrade: Operation<UpgradeInput, UpgradeSeen, UpgradeKey> = {
  name: "upgrade",
  effect: "disrupt",
  idempotency: "keyed",
  retryable: [],
  quorum: ({ insecure }) => insecure ? "none" : "leaves-temporarily",
  observe: observeUpgrade,
  plan,
  key: upgradeKey,
  apply: (site, input, key) =>
    key.via === "legacy"
      ? upgradeAtOnce(site, input, key)
      : upgradeInSteps(site, input, key),
  reconcile: (site, _, key) => reconcile(site, key),
  resume: (site, input, key) => finishSteps(site, input, key),
  verify: (site, _, key) => verify(site, key),
};

/** The same for people who skip what the node checks itself; they are asked first. */
export const forcedUpgrade: typeof upgrade = { ...upgrade, guarded: true };

function plan(
  seen: UpgradeSeen,
  input: UpgradeInput,
): readonly PlannedAction[] {
  if (isUpgraded(seen, input)) return [];
  checkUpgrade(seen, input);
  return [...installActions(seen), { action: "reboot" }];
}

async function* upgradeAtOnce(
  { client, signal }: Site,
  { stage, force, preserve, mode }: UpgradeInput,
  { image }: UpgradeKey,
): AsyncGenerator<Progress, void> {
  yield { text: `the node pulls ${image}` };
  const request = {
    image,
    stage,
    force,
    preserve,
    rebootMode: mode === "powercycle"
      ? UpgradeRebootMode.POWERCYCLE
      : UpgradeRebootMode.DEFAULT,
  };
  const answer = await longCall(
    signal,
    (options) => client.machine.upgrade(request, options),
  );
  const { ack, actorId } = single(answer.messages);
  yield { text: `${ack} (actor ${actorId})` };
}

async function* upgradeInSteps(
  site: Site,
  input: UpgradeInput,
  key: UpgradeKey,
): AsyncGenerator<Progress, void> {
  try {
    yield* install(site, key);
  } catch (error) {
    if (!isUnknownCall(error)) throw error;
    return yield* upgradeAtOnce(site, input, key);
  }
  yield* rebootInto(site, input, key);
}

/** Nothing is installed a second time: what is not seen to have ended is waited for, then started. */
async function* finishSteps(
  site: Site,
  input: UpgradeInput,
  key: UpgradeKey,
): AsyncGenerator<Progress, void> {
  yield* awaitInstaller(site, key.version ?? undefined);
  yield* rebootInto(site, input, key);
}

async function* rebootInto(
  { client }: Site,
  { mode }: UpgradeInput,
  { version, image }: UpgradeKey,
): AsyncGenerator<Progress, void> {
  const { messages } = await client.machine.reboot({
    mode: mode === "powercycle" ? RebootMode.POWERCYCLE : RebootMode.DEFAULT,
  }, { deadlineMs });
  const { actorId } = single(messages);
  yield {
    text: `the node reboots into ${version ?? image} (actor ${actorId})`,
  };
}

async function reconcile(site: Site, key: UpgradeKey): Promise<Reconciled> {
  const boot = await reconcileBoot(site, key);
  if (boot !== "not-started" || key.via === "legacy") return boot;
  const found = await readInstallState(site.client, key.version ?? undefined);
  return found.state === "none" ? "not-started" : "partly";
}

async function* verify(
  site: Site,
  { bootId, version, schematic }: UpgradeKey,
): AsyncGenerator<Progress, Verdict> {
  const verdict = yield* untilSettled(site, {
    bootId: bootId ?? undefined,
    reboots: true,
    ...version === null ? {} : { version },
  });
  if (verdict.outcome !== "done" || schematic === null) return verdict;
  const now = await readNodeSystem(site.client);
  if (now.schematic === schematic) return verdict;
  const found = now.schematic?.slice(0, 12) ?? "none";
  return {
    outcome: "rolled-back",
    reason: `the node came back with the schematic ${found}…, not ${
      schematic.slice(0, 12)
    }…`,
  };
}
