/** Installs another system next to the running one; the next boot starts it. */

import { OsctlError, RefusedError, RpcError } from "../../../errors.ts";
import { failureKind } from "../../../transport/call/retryable.ts";
import { isUnsent } from "../../../transport/connect/status.ts";
import { withoutQuotes } from "../../../transport/connect/status_text.ts";
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
  type InstallState,
  readInstallState,
} from "../../upgrade/install_state.ts";
import { reconcileBoot } from "../boot_key.ts";
import { imagePull } from "../node/image_pull.ts";
import {
  containerdInstances,
  type ImageNamespace,
} from "../node/node_images.ts";
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
} from "./upgrade_facts.ts";
import { isOfNode, untilSeen } from "../poll.ts";

const notStarted = "not-started";

/** `upgrade install`. Source: `LifecycleService.Upgrade`, on nodes since v1.13. */
export const upgradeInstall: Operation<UpgradeInput, UpgradeSeen, UpgradeKey> =
  {
    name: "upgrade install",
    // No disruption; but a second installation in the same boot destroys the rollback slot.
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
    async *apply(context, input, key) {
      yield* pullFirst(context, input, key);
      return yield* install(context, input, key);
    },
    reconcile: (context, _, key, attempt) =>
      reconcileInstall(context, key, attempt),
    verify: (context, _, key) => untilInstalled(context, key),
  };

/**
 * Planned installation; empty when the same image was installed in this boot already.
 *
 * @throws {RefusedError} If an installer of another image ran in this boot, or one failed.
 */
export function installActions(
  { install: found, image, system }: UpgradeSeen,
): readonly PlannedAction[] {
  const installation = {
    action: `install ${image.text}`,
    from: system.version,
    ...image.version === undefined ? {} : { to: image.version },
  };
  if (found.state === "none") return [installation];
  const isSame = found.image === "" || found.image === image.text;
  switch (found.state) {
    case "unknown":
      if (found.image === "") return [installation];
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

/** Pulls the image, unless an installer ran in this boot. */
export async function* pullFirst(
  context: NodeContext,
  { namespace = "system" }: Pick<UpgradeInput, "namespace">,
  { image, version }: UpgradeKey,
): AsyncGenerator<OperationProgress, void> {
  const { state } = await readInstallState(
    context.client,
    version ?? undefined,
  );
  if (state === "running" || state === "ended") return;
  yield* imagePull.apply(context, { image, namespace }, { before: null });
}

/**
 * Installs a pulled image, unless that happened in this boot already.
 *
 * @returns `undefined` when it is installed, otherwise why no installer started.
 * @throws {OsctlError} If the installer fails.
 */
export async function* install(
  context: NodeContext,
  { namespace = "system" }: Pick<UpgradeInput, "namespace">,
  { image, version }: UpgradeKey,
): AsyncGenerator<OperationProgress, Verdict | undefined> {
  const target = version ?? undefined;
  const found = await readInstallState(context.client, target);
  // The plan allowed only the same image.
  if (found.state === "running") {
    return void (yield* awaitInstaller(context, target));
  }
  if (found.state === "ended") return void checkEnd(found.exitCode, []);
  yield { text: `installing ${image}`, step: "install" };
  const said: string[] = [];
  let exitCode: number | undefined;
  try {
    for await (const part of runInstaller(context, image, namespace)) {
      if (typeof part === "number") exitCode = part;
      else {
        said.push(part);
        yield { text: `installer: ${part}` };
      }
    }
  } catch (error) {
    if (context.signal.aborted || isUnknownCall(error)) throw error;
    const started = yield* isStarted(context, error, target);
    if (started !== true) return started;
    yield { text: "lost contact with the installer" };
  }
  if (exitCode === undefined) {
    return void (yield* awaitInstaller(context, target));
  }
  checkEnd(exitCode, said);
}

/** Maximum time for an installer to appear after a lost response, in milliseconds. */
const lateMs = 60_000;

/**
 * Finds out whether a failed call has started an installer: it continues without a client.
 *
 * @returns True when it has, otherwise the verdict.
 */
async function* isStarted(
  context: NodeContext,
  error: unknown,
  target: string | undefined,
): AsyncGenerator<OperationProgress, true | Verdict> {
  if (!isOfNode(error)) throw error;
  const { message, hint } = error;
  const isSent = failureKind(error) === "away" && !isUnsent(error);
  const isBusy = error instanceof RpcError &&
    error.code === "FAILED_PRECONDITION";
  if (!isSent && !isBusy) {
    return {
      outcome: "failed",
      reason: `The installer was not started: ${message}`,
      code: notStarted,
      hint,
    };
  }
  const until = context.clock.now() + (isSent ? lateMs : 0);
  const { outcome } = yield* untilSeen(context, async () => {
    const { state } = await readInstallState(context.client, target);
    const isThere = isSent ? state !== "none" : state === "running";
    if (isThere) return { verdict: { outcome: "done", reason: "" } };
    return context.clock.now() < until
      ? { missing: `the reply was lost: ${message}` }
      : { verdict: { outcome: "failed", reason: "" } };
  });
  context.signal.throwIfAborted();
  if (outcome === "done") return true;
  return isSent
    ? {
      outcome: "in-doubt",
      reason: `the reply was lost: ${message}, and no installer was seen`,
    }
    : { outcome: "failed", reason: message, code: "FAILED_PRECONDITION" };
}

/** Streams the installer's output, and its exit status at the end. */
async function* runInstaller(
  { client, signal }: NodeContext,
  imageName: string,
  namespace: ImageNamespace,
): AsyncGenerator<string | number> {
  const answers = client.lifecycle.upgrade({
    containerd: containerdInstances[namespace],
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
  // The last line of its usage is no cause.
  const last = said.some((line) => line.startsWith("Usage:"))
    ? undefined
    : said.at(-1);
  const why = said.find((line) => line.startsWith("Error: ")) ?? last;
  throw new OsctlError(
    `The installer failed with exit status ${exitCode}${
      why === undefined ? "" : `: ${why}`
    }`,
    { hint: "Reboot the node before the next attempt" },
  );
}

/**
 * Waits for an installer without its output.
 *
 * @param version Version it installs; `undefined` if unknown.
 * @throws {OsctlError} If it fails, or at the timeout.
 */
export async function* awaitInstaller(
  context: NodeContext,
  version: string | undefined,
): AsyncGenerator<OperationProgress, void> {
  const verdict = yield* untilSeen(context, async () => {
    const found = await readInstallState(context.client, version);
    return found.state === "running"
      ? { missing: "the installer is running" }
      : { verdict: toEnd(found) };
  });
  if (verdict.outcome === "timed-out") context.signal.throwIfAborted();
  if (verdict.outcome !== "done") throw new OsctlError(verdict.reason);
}

/** Leaves unknown states to the reboot: it shows which system starts, and is harmless. */
function toEnd(found: Exclude<InstallState, { state: "running" }>): Verdict {
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

/** Evidence of an attempt: its boot, and the installer while the node still runs the previous boot. */
type InstallFound = InstallState | { readonly boot: Reconciled };

/** Looks for an installer; none counts only when a request can no longer arrive. */
export async function findInstall(
  context: NodeContext,
  key: UpgradeKey,
  attempt?: Attempt,
): Promise<InstallFound> {
  const target = key.version ?? undefined;
  const anyTime = {
    steps: [],
    acknowledged: false,
    ...attempt,
    sentAt: -Infinity,
  };
  // A requested reboot may still arrive, and another one would follow it.
  const isRebooting = attempt?.steps.at(-1) === "reboot";
  const boot = await reconcileBoot(
    context,
    key,
    isRebooting ? attempt : anyTime,
  );
  if (boot !== "not-started") return { boot };
  const found = await readInstallState(context.client, target);
  if (found.state !== "none") return found;
  const later = await reconcileBoot(context, key, attempt);
  if (later !== "not-started") return { boot: later };
  return await readInstallState(context.client, target);
}

async function reconcileInstall(
  context: NodeContext,
  key: UpgradeKey,
  attempt?: Attempt,
): Promise<Reconciled> {
  // An acknowledgement does not tell how it ended.
  const open = attempt && { ...attempt, acknowledged: false };
  const found = await findInstall(context, key, open);
  if ("boot" in found) {
    if (found.boot !== "done") return "unknown";
    const { version } = await readMachineState(context.client);
    return version === key.version ? "done" : "not-started";
  }
  switch (found.state) {
    case "none":
      return "not-started";
    case "running":
      return "in-progress";
    case "ended":
      return found.exitCode === 0 ? "done" : "unknown";
    case "unknown":
      // Counts as installed: the reboot shows which system starts, and a second installation would do harm.
      return "in-progress";
  }
}

function untilInstalled(
  context: NodeContext,
  { bootId, version, image }: UpgradeKey,
): AsyncGenerator<OperationProgress, Verdict> {
  const target = version ?? undefined;
  return untilSeen(context, async () => {
    const state = await readMachineState(context.client);
    if (bootId !== null && state.bootId !== bootId) {
      const outcome = state.version === version ? "done" : "rolled-back";
      const reason = `the node has rebooted and runs ${state.version}`;
      return { verdict: { outcome, reason } };
    }
    const found = await readInstallState(context.client, target);
    if (found.state === "running") {
      return { missing: "the installer is running" };
    }
    const verdict = toEnd(found);
    const reason = `${version ?? image} is installed; the next boot starts it`;
    return {
      verdict: verdict.outcome === "done" ? { ...verdict, reason } : verdict,
    };
  });
}

/** Distinguishes a node without this call from one that refuses it. */
export function isUnknownCall(error: unknown): boolean {
  return error instanceof RpcError && error.code === "UNIMPLEMENTED";
}
