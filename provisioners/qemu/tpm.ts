/** The TPM of a machine: a program that emulates one, for as long as the machine runs. */

import { OsctlError } from "../../errors.ts";
import { exists } from "../../config/files/exists.ts";
import { filesOf } from "./arguments.ts";
import type { Machine } from "./machine.ts";

/** Starts the TPM of a machine, which ends with the machine's connection. Throws OsctlError when it does not start. */
export async function startTpm(machine: Machine): Promise<void> {
  const folder = filesOf(machine).tpm;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const socket = `${folder}/swtpm.sock`;
  const { success, stderr } = await new Deno.Command("swtpm", {
    args: [
      "socket",
      ...["--tpmstate", `dir=${folder},mode=0600`],
      ...["--ctrl", `type=unixio,path=${socket},terminate`],
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
  const said = new TextDecoder().decode(stderr).trim();
  throw new OsctlError(`Cannot start the TPM of ${machine.name}: ${said}`);
}
