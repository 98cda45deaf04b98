/** Installing another system beside the one that runs; the next boot starts it. */

import { OsctlError, RefusedError, RpcError } from "../../../errors.ts";
import {
  ContainerdNamespace,
  ContainerDriver,
} from "../../../transport/gen/common.ts";
import { failureKind } from "../../../transport/call/retryable.ts";
import { withoutQuotes } from "../../../transport/connect/status_text.ts";
import type {
  Operation,
  OperationProgress,
  PlannedAction,
  Reconciled,
  Site,
  Verdict,
} from "../operation.ts";
import {
  type InstallState,
  readInstallState,
} from "../../upgrade/install_state.ts";
import { reconcileBoot } from "../boot_key.ts";
import { imagePull } from "../node/image_pull.ts";
import { readMachineState } from "../../../transport/node/machine_state.ts";
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
} from "../../upgrade/upgrade_facts.ts";
import { untilSeen } from "../poll.ts";

/** Code of an attempt of which nothing came. */
const notStarted = "not-started";

/** `upgrade install`. Source: `LifecycleService.Upgrade`, on nodes since v1.13. */
export const upgradeInstall: Operation<UpgradeInput, UpgradeSeen, UpgradeKey> =
  {
    name: "upgrade install",
    // Nothing stops; but a second installation in the same boot destroys the way back.
    effect: "disrupt",
    idempotency: "once",
    touches: "at-step",
    quorum: () => "none",
    observe: observeUpgrade,
    plan(seen, input) {
      if (seen.via === "legacy") {
        throw new RefusedError(
          `A node that runs ${seen.system.version} reboots as part of the upgrade; installing without a reboot needs v1.13`,
        );
      }
      checkUpgradable(seen);
      if (isUpgraded(seen, input)) return [];
      checkUpgrade(seen, input);
      return installActions(seen);
    },
    already: (seen, input) =>
      isUpgraded(seen, input)
        ? runsAlreadyReason(seen)
        : "already installed in this boot; the next boot starts it",
    key: upgradeKey,
    async *apply(site, _, key) {
      yield* pullFirst(site, key);
      yield* install(site, key);
    },
    reconcile: (site, _, key) => reconcileInstall(site, key),
    verify: (site, _, key) => untilInstalled(site, key),
  };

/**
 * What an installation would do; nothing when the same image was installed in this boot already.
 *
 * @throws {RefusedError} If an installer was at work in this boot, and it was another one or failed.
 */
export function installActions(
  { install: found, image }: UpgradeSeen,
): readonly PlannedAction[] {
  if (found.state === "none") return [{ action: `install ${image.text}` }];
  const isSame = found.image === "" || found.image === image.text;
  switch (found.state) {
    case "unknown":
      if (found.image === "") return [{ action: `install ${image.text}` }];
      throw new RefusedError(
        `An installer ran in this boot with an unknown result: ${found.image}; reboot first (S7)`,
      );
    case "running":
      if (isSame) return [{ action: `wait for ${image.text}` }];
      throw new RefusedError(
        `Another installer is running: ${found.image} (S6)`,
      );
    case "ended":
      if (isSame && found.exitCode === 0) return [];
      throw new RefusedError(
        found.exitCode === 0
          ? `${found.image} was already installed in this boot, and a second installation would overwrite the system to roll back to; reboot first (S6)`
          : `An installer failed in this boot (exit status ${found.exitCode}); reboot first (S7)`,
      );
  }
}

/** Pulls the image, unless an installer was at work in this boot. */
export async function* pullFirst(
  site: Site,
  { image, version }: UpgradeKey,
): AsyncGenerator<OperationProgress, void> {
  const { state } = await readInstallState(site.client, version ?? undefined);
  if (state === "running" || state === "ended") return;
  const input = { image, namespace: "system" } as const;
  yield* imagePull.apply(site, input, { before: null });
}

/**
 * Installs an image that was pulled, unless that happened in this boot already.
 *
 * @throws {OsctlError} If the installer fails.
 */
export async function* install(
  site: Site,
  { image, version }: UpgradeKey,
): AsyncGenerator<OperationProgress, void> {
  const target = version ?? undefined;
  const found = await readInstallState(site.client, target);
  // What the plan allowed to continue with: the same image.
  if (found.state === "running") {
    return yield* awaitInstaller(site, target);
  }
  if (found.state === "ended") return checkEnd(found.exitCode, []);
  yield { text: `installing ${image}`, step: "install" };
  const said: string[] = [];
  let exitCode: number | undefined;
  let lost: unknown;
  try {
    for await (const part of runInstaller(site, image)) {
      if (typeof part === "number") exitCode = part;
      else {
        said.push(part);
        yield { text: `installer: ${part}` };
      }
    }
  } catch (error) {
    if (site.signal.aborted || !await isStillThere(site, error)) throw error;
    yield { text: "lost contact with the installer" };
    lost = error;
  }
  if (exitCode === undefined) return yield* awaitInstaller(site, target, lost);
  checkEnd(exitCode, said);
}

/** An installer continues without anybody listening, and lets no other begin. */
async function isStillThere(
  { client }: Site,
  error: unknown,
): Promise<boolean> {
  if (failureKind(error) === "away") return true;
  const isBusy = error instanceof RpcError &&
    error.code === "FAILED_PRECONDITION";
  if (!isBusy) return false;
  return (await readInstallState(client, undefined)).state === "running";
}

/** Lines of the installer, and at last its exit status. */
async function* runInstaller(
  { client, signal }: Site,
  imageName: string,
): AsyncGenerator<string | number> {
  const answers = client.lifecycle.upgrade({
    containerd: {
      // Where an image is that was pulled for the system.
      driver: ContainerDriver.CRI,
      namespace: ContainerdNamespace.NS_SYSTEM,
    },
    source: { imageName },
  }, { signal });
  for await (const { progress } of answers) {
    const response = progress?.response;
    if (response?.$case === "exitCode") yield response.value;
    if (response?.$case !== "message") continue;
    for (const line of response.value.split("\n")) {
      if (line.trim() !== "") yield withoutQuotes(line.trimEnd());
    }
  }
}

function checkEnd(exitCode: number, said: readonly string[]): void {
  if (exitCode === 0) return;
  const why = said.find((line) => line.startsWith("Error: ")) ?? said.at(-1);
  throw new OsctlError(
    `The installer failed with exit status ${exitCode}${
      why === undefined ? "" : `: ${why}`
    }`,
    { hint: "Reboot the node before the next attempt" },
  );
}

/**
 * Waits for an installer whose output is not read.
 *
 * @param version Version it installs; `undefined` when that is not known.
 * @param lost What took the call that began it out of sight.
 * @throws {OsctlError} If it fails, or the time is up; what was lost, if that call began nothing.
 */
export async function* awaitInstaller(
  site: Site,
  version: string | undefined,
  lost?: unknown,
): AsyncGenerator<OperationProgress, void> {
  const verdict = yield* untilSeen(site, async () => {
    const found = await readInstallState(site.client, version);
    return found.state === "running"
      ? { missing: "the installer is running" }
      : { verdict: endOf(found) };
  });
  if (verdict.outcome === "timed-out") site.signal.throwIfAborted();
  if (verdict.code === notStarted && lost !== undefined) throw lost;
  if (verdict.outcome !== "done") throw new OsctlError(verdict.reason);
}

/** What no evidence says is left to the reboot: it shows which system starts, and cannot do harm. */
function endOf(found: Exclude<InstallState, { state: "running" }>): Verdict {
  if (found.state === "ended" && found.exitCode !== 0) {
    const reason = `The installer failed with exit status ${found.exitCode}`;
    return { outcome: "failed", reason };
  }
  if (found.state === "none") {
    const reason = "The installer was not started";
    return { outcome: "failed", reason, code: notStarted };
  }
  return { outcome: "done", reason: "the installer has finished" };
}

async function reconcileInstall(
  site: Site,
  key: UpgradeKey,
): Promise<Reconciled> {
  const boot = await reconcileBoot(site, key);
  if (boot === "done") {
    const { version } = await readMachineState(site.client);
    return version === key.version ? "done" : "not-started";
  }
  if (boot !== "not-started") return "unknown";
  const found = await readInstallState(site.client, key.version ?? undefined);
  switch (found.state) {
    case "none":
      return "not-started";
    case "running":
      return "in-progress";
    case "ended":
      return found.exitCode === 0 ? "done" : "unknown";
    case "unknown":
      // It counts as installed: the restart that follows shows what starts, and a second installation would do harm.
      return "in-progress";
  }
}

function untilInstalled(
  site: Site,
  { bootId, version, image }: UpgradeKey,
): AsyncGenerator<OperationProgress, Verdict> {
  const target = version ?? undefined;
  return untilSeen(site, async () => {
    const state = await readMachineState(site.client);
    if (bootId !== null && state.bootId !== bootId) {
      const outcome = state.version === version ? "done" : "rolled-back";
      const reason = `the node has rebooted and runs ${state.version}`;
      return { verdict: { outcome, reason } };
    }
    const found = await readInstallState(site.client, target);
    if (found.state === "running") {
      return { missing: "the installer is running" };
    }
    const verdict = endOf(found);
    const reason = `${version ?? image} is installed; the next boot starts it`;
    return {
      verdict: verdict.outcome === "done" ? { ...verdict, reason } : verdict,
    };
  });
}

/** Tells a node whose API has no such call from one that does not want it. */
export function isUnknownCall(error: unknown): boolean {
  return error instanceof RpcError && error.code === "UNIMPLEMENTED";
}
