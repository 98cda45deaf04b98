/** Detection of hardware virtualization. */

import { temporaryFile } from "../../lib/files/temporary.ts";
import { killChild } from "../../lib/kill_child.ts";
import { OsctlError } from "../../errors.ts";
import { programFor } from "./arguments.ts";
import { programPath, startProgram } from "./run.ts";
import type { Accelerator, Architecture } from "./machine.ts";

/** Values of the flag. */
export const accelerators = ["auto", "kvm", "tcg"] as const;

interface Acceleration {
  readonly accelerator: Accelerator;
  /** Notice for the user if machines run without acceleration. */
  readonly note?: string;
}

/** Options for the detection. */
export interface AccelerationOptions {
  readonly architecture: Architecture;
  /** Timeout of the probe machine, in milliseconds; default 2 s. */
  readonly probeMs?: number;
  /** QEMU program for the probe; default by architecture. */
  readonly program?: string;
  /** Device of KVM; default `/dev/kvm`. */
  readonly device?: string;
  /** This machine; default the one osctl runs on. */
  readonly host?: {
    readonly os: string;
    readonly arch: string;
  };
}

/**
 * Chooses the accelerator of machines.
 *
 * @param wanted Requested accelerator; `auto` for the fastest that works.
 * @throws {OsctlError} If KVM was requested, and does not work.
 */
export async function chooseAccelerator(
  wanted: (typeof accelerators)[number],
  options: AccelerationOptions,
): Promise<Acceleration> {
  if (wanted === "tcg") return { accelerator: "tcg" };
  const { os, arch } = options.host ?? Deno.build;
  const own = arch === "x86_64" ? "amd64" : "arm64";
  const problem = options.architecture !== own
    ? `its processor is not ${options.architecture}`
    : await hardwareProblem(os, options);
  if (problem === undefined) {
    return { accelerator: os === "darwin" ? "hvf" : "kvm" };
  }
  if (wanted === "kvm") {
    throw new OsctlError(`KVM does not work on this machine: ${problem}`, {
      hint: "Use --accel auto for software emulation, which is much slower",
    });
  }
  return {
    accelerator: "tcg",
    note:
      `Using software emulation, which is much slower: KVM does not work on this machine: ${problem}`,
  };
}

async function hardwareProblem(
  os: string,
  options: AccelerationOptions,
): Promise<string | undefined> {
  // All Macs have the Hypervisor framework.
  if (os === "darwin") return undefined;
  if (os !== "linux") return `it runs ${os}`;
  const { device = "/dev/kvm" } = options;
  try {
    using _ = await Deno.open(device, { read: true, write: true });
  } catch (error) {
    return error instanceof Deno.errors.NotFound
      ? `there is no ${device}`
      : `${device} cannot be opened`;
  }
  return await probe(options);
}

/** Exit status of QEMU after a write to the exit device. */
const exited = 33;

/** Runs a machine that exits at once: if KVM is present but broken, machines hang or do not start. */
async function probe(
  { architecture, probeMs = 2_000, program }: AccelerationOptions,
): Promise<string | undefined> {
  // The exit device only exists on PCs.
  if (architecture !== "amd64") return undefined;
  const rom = await temporaryFile({ prefix: "osctl-probe-" });
  try {
    await Deno.writeFile(rom, probeRom());
    const child = startProgram(program ?? programFor({ architecture }), {
      args: [
        ...["-accel", "kvm", "-machine", "q35", "-cpu", "max", "-m", "32"],
        ...["-nodefaults", "-display", "none", "-bios", rom],
        ...["-device", "isa-debug-exit,iobase=0xf4,iosize=1"],
      ],
      env: programPath(),
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killChild(child, "SIGKILL");
    }, probeMs);
    const { code, stderr } = await child.output();
    clearTimeout(timer);
    if (isLate) return `a test VM did not run within ${probeMs / 1000} s`;
    if (code === exited) return undefined;
    const [line = ""] = new TextDecoder().decode(stderr).trim().split("\n");
    return line.replace(/^qemu-system-\w+: /, "") || `status ${code}`;
  } finally {
    await Deno.remove(rom);
  }
}

/** 64 KiB of ROM, ending with the reset vector: `mov dx,0xf4; mov al,0x10; out dx,al; hlt`. */
function probeRom(): Uint8Array {
  const rom = new Uint8Array(64 * 1024).fill(0xf4);
  rom.set([0xba, 0xf4, 0x00, 0xb0, 0x10, 0xee, 0xf4], 0xfff0);
  return rom;
}
