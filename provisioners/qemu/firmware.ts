/** UEFI firmware for virtual machines. */

import { OsctlError } from "../../errors.ts";
import { exists } from "../../lib/files/exists.ts";
import type { Architecture } from "./machine.ts";

/** Files of a firmware. */
export interface Firmware {
  readonly code: string;
  /** Path of the variables template; default empty variables. */
  readonly variables?: string;
  readonly isSecureBoot: boolean;
}

const folders: Readonly<Record<Architecture, readonly string[]>> = {
  amd64: [
    "/usr/share/ovmf",
    "/usr/share/OVMF",
    "/usr/share/edk2/x64",
    "/usr/share/edk2/ovmf",
    "/usr/share/qemu",
    "/usr/share/ovmf/x64",
    "/opt/homebrew/share/qemu",
    "/usr/local/share/qemu",
  ],
  arm64: [
    "/usr/share/AAVMF",
    "/usr/share/qemu-efi-aarch64",
    "/usr/share/edk2/aarch64",
    "/usr/share/qemu",
    "/opt/homebrew/share/qemu",
    "/usr/local/share/qemu",
  ],
};

/** Matching pairs of code and variables, Secure Boot first. */
const pairs: Readonly<
  Record<
    Architecture,
    readonly (readonly [string, string | undefined, boolean])[]
  >
> = {
  amd64: [
    ["OVMF_CODE_4M.secboot.fd", "OVMF_VARS_4M.fd", true],
    ["OVMF_CODE.secboot.4m.fd", "OVMF_VARS.4m.fd", true],
    ["OVMF_CODE.secboot.fd", "OVMF_VARS.fd", true],
    ["edk2-x86_64-secure-code.fd", "edk2-i386-vars.fd", true],
    ["OVMF_CODE_4M.fd", "OVMF_VARS_4M.fd", false],
    ["OVMF_CODE.4m.fd", "OVMF_VARS.4m.fd", false],
    ["OVMF_CODE.fd", "OVMF_VARS.fd", false],
    ["edk2-x86_64-code.fd", "edk2-i386-vars.fd", false],
    ["OVMF.fd", undefined, false],
  ],
  arm64: [
    ["AAVMF_CODE.fd", "AAVMF_VARS.fd", false],
    ["QEMU_EFI.fd", "vars-template-pflash.raw", false],
    ["edk2-aarch64-code.fd", "edk2-arm-vars.fd", false],
  ],
};

/** Flash size of arm64 machines, in bytes. */
const flashSize = 64 * 1024 * 1024;

/**
 * Finds firmware on this machine.
 *
 * @param more Additional folders, searched first.
 * @throws {OsctlError} If there is none.
 */
export async function findFirmware(
  architecture: Architecture,
  more: readonly string[] = [],
  usual: readonly string[] = folders[architecture],
): Promise<Firmware> {
  for (const [codeName, variablesName, isSecureBoot] of pairs[architecture]) {
    for (const folder of [...more, ...usual]) {
      const code = `${folder}/${codeName}`;
      if (!await exists(code)) continue;
      if (variablesName === undefined) return { code, isSecureBoot };
      const variables = `${folder}/${variablesName}`;
      if (await exists(variables)) return { code, variables, isSecureBoot };
    }
  }
  throw new OsctlError(`Cannot find UEFI firmware for ${architecture}`, {
    hint: architecture === "amd64"
      ? "Install ovmf (Debian, Ubuntu) or edk2-ovmf (Fedora, Arch), or use: osctl cluster create with --extra-uefi-search-paths or --with-uefi=false"
      : "Install qemu-efi-aarch64 (Debian, Ubuntu) or edk2-aarch64 (Fedora, Arch), or use: osctl cluster create with --extra-uefi-search-paths",
  });
}

/** Copies firmware for a machine, which writes to its variables. Returns the paths, code first. */
export async function copyFirmware(
  { code, variables }: Firmware,
  prefix: string,
  architecture: Architecture,
): Promise<string[]> {
  const paths: string[] = [];
  for (const [index, path] of [code, variables].entries()) {
    if (path === undefined) continue;
    const copy = `${prefix}-flash${index}.img`;
    await Deno.copyFile(path, copy);
    await Deno.chmod(copy, 0o600);
    if (architecture === "arm64") await Deno.truncate(copy, flashSize);
    paths.push(copy);
  }
  return paths;
}
