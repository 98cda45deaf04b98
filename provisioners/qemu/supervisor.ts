/** Supervises a virtual machine: restarts it when it exits, until it is powered off. */

import { exists } from "../../lib/files/exists.ts";
import { OsctlError } from "../../errors.ts";
import { killChild } from "../../lib/kill_child.ts";
import { systemClock } from "../../simulator/clock/clock.ts";
import { locateFiles, programFor, qemuArguments } from "./arguments.ts";
import { isBootable } from "./disks.ts";
import { killTpm } from "./leftovers.ts";
import type { Accelerator, Machine } from "./machine.ts";
import type { PowerSwitch } from "./servers/machine_server.ts";
import { programPath } from "./run.ts";

interface SuperviseOptions {
  readonly accelerator: Accelerator;
  /** False to leave it off until it is powered on. */
  readonly isOn: boolean;
  /** Called when it is powered on or off. */
  readonly changed: (isOn: boolean) => Promise<void>;
  readonly signal: AbortSignal;
}

export interface SupervisedMachine {
  readonly power: PowerSwitch;
  /** Resolves when it has started or stays off; rejects with OsctlError if its first start fails. */
  readonly started: Promise<void>;
  /** Resolves when it is finally stopped. */
  readonly ended: Promise<void>;
}

/** Backoff in milliseconds before restarting a machine that exited at once. */
const pauseMs = 1_000;

/** Grace period for a machine to exit, in milliseconds. */
const patienceMs = 5_000;

/** Starts a supervised machine. */
export function supervise(
  machine: Machine,
  { accelerator, isOn: initial, changed, signal }: SuperviseOptions,
): SupervisedMachine {
  let isOn = initial;
  let network = false;
  let current: Deno.ChildProcess | undefined;
  let wake = () => {};
  let patience: ReturnType<typeof setTimeout> | undefined;

  function stop(): void {
    const child = current;
    if (child === undefined) return;
    killChild(child, "SIGTERM");
    clearTimeout(patience);
    patience = setTimeout(() => killChild(child, "SIGKILL"), patienceMs);
  }

  function turn(on: boolean): void {
    if (isOn === on) return;
    isOn = on;
    // Ignored: writing fails while the folder is being removed.
    changed(on).catch((error) => log(machine, `${error}`).catch(() => {}));
    if (!on) stop();
    wake();
  }

  const started = Promise.withResolvers<void>();
  // Not every caller awaits it.
  started.promise.catch(() => {});
  if (!initial) started.resolve();

  /** Waits for the greeting of the QEMU monitor, sent once all devices are ready. */
  async function tellStarted(child: Deno.ChildProcess): Promise<void> {
    while (current === child && !signal.aborted) {
      if (await isGreeted(locateFiles(machine).monitor)) {
        return started.resolve();
      }
      await systemClock.sleep(20, signal);
    }
  }

  async function runOnce(): Promise<void> {
    if (machine.tpm !== undefined) await startTpm(machine);
    const start = {
      accelerator,
      network,
      isInstalled: await isBootable(machine.disks[0]),
    };
    network = false;
    const args = qemuArguments(machine, start);
    const program = programFor(machine);
    const inside = machine.namespace === undefined
      ? []
      : ["ip", "netns", "exec", machine.namespace];
    const [first = program, ...words] = [...inside, program, ...args];
    await log(machine, `starting ${first} ${words.join(" ")}`);
    current = new Deno.Command(first, {
      args: words,
      env: programPath(),
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    // It was powered off during the start.
    if (!isOn || signal.aborted) stop();
    tellStarted(current);
    const { code, stderr } = await current.output();
    current = undefined;
    clearTimeout(patience);
    const said = new TextDecoder().decode(stderr).trim();
    const end = `exited with status ${code}${said && `: ${said}`}`;
    await log(machine, end);
    if (code === 0 || !isOn || signal.aborted) started.resolve();
    else {
      started.reject(
        new OsctlError(`Cannot start ${machine.name}: ${program} ${end}`),
      );
    }
  }

  async function runAll(): Promise<void> {
    while (!signal.aborted) {
      if (!isOn) {
        await new Promise<void>((resolve) => wake = resolve);
        continue;
      }
      const began = performance.now();
      try {
        await runOnce();
      } catch (error) {
        started.reject(error);
        await log(machine, error instanceof Error ? error.message : `${error}`);
      }
      const took = performance.now() - began;
      if (isOn && took < pauseMs) await systemClock.sleep(pauseMs, signal);
    }
  }

  signal.addEventListener("abort", () => {
    stop();
    wake();
  });
  return {
    power: {
      isOn: () => isOn,
      on: () => turn(true),
      off: () => turn(false),
      restart(options) {
        network = options?.network ?? false;
        if (isOn) stop();
        else turn(true);
      },
    },
    started: started.promise,
    ended: runAll(),
  };
}

async function isGreeted(path: string): Promise<boolean> {
  try {
    using monitor = await Deno.connect({ transport: "unix", path });
    return await monitor.read(new Uint8Array(64)) !== null;
  } catch {
    // It does not listen yet, or has exited.
    return false;
  }
}

async function log(machine: Machine, line: string): Promise<void> {
  await Deno.writeTextFile(locateFiles(machine).log, `osctl: ${line}\n`, {
    append: true,
    mode: 0o600,
  });
}

/** Starts the TPM of a machine, which exits when the machine disconnects. Throws OsctlError if it does not start. */
async function startTpm(machine: Machine): Promise<void> {
  const folder = locateFiles(machine).tpm;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  // A TPM without a connection may still run.
  await killTpm(machine);
  const socket = `${folder}/swtpm.sock`;
  const { success, stderr } = await new Deno.Command("swtpm", {
    env: programPath(),
    args: [
      "socket",
      ...["--tpmstate", `dir=${folder},mode=0600`],
      ...["--ctrl", `type=unixio,path=${socket}`],
      "--terminate",
      ...["--pid", `file=${folder}/swtpm.pid`],
      ...["--log", `file=${folder}/swtpm.log,level=20`],
      "--daemon",
      ...machine.tpm === "2.0" ? ["--tpm2"] : [],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (success && await exists(socket)) return;
  const said = new TextDecoder().decode(stderr).trim() ||
    (await Deno.readTextFile(`${folder}/swtpm.log`)).trim().split("\n").at(-1);
  throw new OsctlError(`Cannot start the TPM of ${machine.name}: ${said}`);
}
