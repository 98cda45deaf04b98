/** Installations, since v1.13: `LifecycleService`. */

import { RpcError } from "../../errors.ts";
import type {
  LifecycleServiceDefinition,
  LifecycleServiceInstallProgress,
} from "../../transport/gen/machine_lifecycle.ts";
import { runInstaller } from "../boot/installer.ts";
import { installerImage } from "../release/boot_entries.ts";
import { imagesIn, storeOfInstance } from "../node/images.ts";
import { logLine } from "../node/logs.ts";
import type { SimulatedNode } from "../state/node.ts";
import { runningRelease } from "../release/release.ts";
import type { Handlers } from "./handlers.ts";
import {
  createHistory,
  type HistoryBuffer,
  overrun,
  readHistory,
} from "../wire/history_buffer.ts";

/** `Install` and `Upgrade`; they do not reboot or check etcd. */
export const lifecycle: Handlers<typeof LifecycleServiceDefinition> = {
  // deno-lint-ignore require-yield
  async *install() {
    // Only administrators get here, and a node without a system has none.
    throw new RpcError("ALREADY_EXISTS", "machine is already installed");
  },
  async *upgrade({ containerd, source }, { node, signal }) {
    if (node.boot.installer) {
      throw notNow("another installation/upgrade is already in progress");
    }
    const name = source?.imageName ?? "";
    if (name === "") {
      const message = "installer image name is required";
      throw new RpcError("INVALID_ARGUMENT", message);
    }
    // Failures from here on count as an installer that never ran.
    const start = { installer_image: name, disk: "/dev/vda" };
    log(node, "INFO", "starting upgrade", start);
    const image = (await imagesIn(node, storeOfInstance(containerd))).get(name);
    if (!image) {
      throw upgradeError(
        `installer image "${name}" not found in containerd store: image "${name}": not found`,
      );
    }
    if (!installerImage(image.source, runningRelease(node).tag)) {
      throw upgradeError(
        'failed to start task: exec: "/bin/installer": stat /bin/installer: no such file or directory',
      );
    }
    const progress = createHistory<InstallProgress>(1000);
    // It continues when the client disconnects.
    node.work(install(node, { source: image.source, progress }));
    yield* followProgress(progress, signal);
  },
};

/** Progress of an installation: a line, or the final exit status. */
type InstallProgress = NonNullable<LifecycleServiceInstallProgress["response"]>;

async function install(
  node: SimulatedNode,
  { source, progress }: {
    readonly source: string;
    readonly progress: HistoryBuffer<InstallProgress>;
  },
): Promise<void> {
  const exitCode = await runInstaller(node, {
    image: source,
    upgrade: true,
    say(line) {
      const message = `${line}\n`;
      log(node, "INFO", "upgrade progress", { message });
      progress.append({ $case: "message", value: message });
    },
  });
  if (node.boot.power.signal.aborted) return;
  const [level, end] = exitCode === 0
    ? ["INFO", "upgrade completed"] as const
    : ["WARN", "upgrade failed"] as const;
  log(node, level, end, { exit_code: exitCode });
  progress.append({ $case: "exitCode", value: exitCode });
}

async function* followProgress(
  progress: HistoryBuffer<InstallProgress>,
  signal: AbortSignal,
) {
  for await (const one of readHistory(progress, 0, { follow: true, signal })) {
    if (one === overrun) return;
    yield { progress: { response: one } };
    if (one.$case === "exitCode") return;
  }
}

function log(
  node: SimulatedNode,
  level: LogLevel,
  text: string,
  more: LogFields,
): void {
  const fields = { service: "lifecycle", ...more };
  logFields(node, "machined", { level, text, fields });
}

function upgradeError(why: string): RpcError {
  return new RpcError("INTERNAL", `upgrade failed: ${why}`);
}

function notNow(message: string): RpcError {
  return new RpcError("FAILED_PRECONDITION", message);
}

type LogFields = Readonly<Record<string, string | number>>;

type LogLevel = "INFO" | "WARN";

/**
 * Adds a line with fields to a log.
 *
 * @param id Name of the log: `machined`.
 */
function logFields(
  node: SimulatedNode,
  id: string,
  { level, text, fields }: {
    readonly level: LogLevel;
    readonly text: string;
    readonly fields: LogFields;
  },
): void {
  const time = new Date(node.clock.now()).toISOString();
  const pairs = Object.entries(fields).map(([name, value]) =>
    `${JSON.stringify(name)}: ${JSON.stringify(value)}`
  );
  const shown = `\x1b[${colors[level]}m${level}\x1b[0m`;
  logLine(node, id, `${time} ${shown} ${text} {${pairs.join(", ")}}`);
}

const colors: Readonly<Record<LogLevel, number>> = { INFO: 34, WARN: 33 };
