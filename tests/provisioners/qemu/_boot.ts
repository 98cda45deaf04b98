/** Programs that virtual machines boot in a moment, and machines that boot them. */

import {
  locateFiles,
  programFor,
  qemuArguments,
} from "../../../provisioners/qemu/arguments.ts";
import type { Machine } from "../../../provisioners/qemu/machine.ts";
import { command } from "./_command.ts";

const greeting = new TextEncoder().encode("hello\n");

/**
 * Shell function for a router of IPv6 on interface $1, which speaks until it is killed: iPXE waits 12 s for one, and
 * computes meanwhile.
 */
export const advertise = `advertise() {
  while :; do
    perl -MSocket=:all -e 'socket(my $to, AF_INET6, SOCK_RAW, 58); setsockopt($to, 41, 18, 255); setsockopt($to, SOL_SOCKET, 25, $ARGV[0]);
      send($to, pack("CCnCCnNN", 134, 0, 0, 64, 0, 1800, 0, 0), 0, pack_sockaddr_in6(0, inet_pton(AF_INET6, "ff02::1")))' "$1"
    sleep 0.5
  done
}`;

/** A boot sector that writes "hello" to the serial port and waits for ever, at no cost. */
export function bootSector(): Uint8Array {
  const sector = new Uint8Array(512);
  // cli; ds = 0; si = text; each byte to port 0x3f8; hlt
  sector.set([0xfa, 0x31, 0xc0, 0x8e, 0xd8, 0xbe, 0x16, 0x7c, 0xac, 0x84]);
  sector.set([0xc0, 0x74, 0x06, 0xba, 0xf8, 0x03, 0xee, 0xeb, 0xf5], 10);
  sector.set([0xf4, 0xeb, 0xfd], 19);
  sector.set(greeting, 22);
  sector.set([0x55, 0xaa], 510);
  return sector;
}

/** The same as a program for UEFI (PE32+). */
export function efiProgram(): Uint8Array {
  // Boot loaders need more than the first sectors.
  const program = new Uint8Array(16 * 1024);
  const view = new DataView(program.buffer);
  const put = (at: number, size: 1 | 2 | 4, value: number) =>
    size === 4
      ? view.setUint32(at, value, true)
      : size === 2
      ? view.setUint16(at, value, true)
      : view.setUint8(at, value);
  const text = (at: number, value: string) =>
    program.set(new TextEncoder().encode(value), at);
  text(0, "MZ");
  put(0x3c, 4, 0x40);
  text(0x40, "PE");
  put(0x44, 2, 0x8664); // processor
  put(0x46, 2, 1); // sections
  put(0x54, 2, 0xf0); // size of the next header
  put(0x56, 2, 0x226); // a program that can be loaded anywhere
  const header = 0x58;
  put(header, 2, 0x20b);
  put(header + 4, 4, 0x3e00); // size of code
  put(header + 16, 4, 0x1000); // entry
  put(header + 20, 4, 0x1000); // base of code
  put(header + 32, 4, 0x1000); // alignment in memory
  put(header + 36, 4, 0x200); // and in the file
  put(header + 56, 4, 0x5000); // size in memory
  put(header + 60, 4, 0x200); // size of headers
  put(header + 68, 2, 10); // an EFI application
  put(header + 108, 4, 16); // directories
  const section = header + 0xf0;
  text(section, ".text");
  put(section + 8, 4, 0x3e00);
  put(section + 12, 4, 0x1000);
  put(section + 16, 4, 0x3e00);
  put(section + 20, 4, 0x200);
  put(section + 36, 4, 0x60000020);
  // rsi = text; each byte to port 0x3f8; hlt
  program.set([0x48, 0x8d, 0x35, 15, 0, 0, 0, 0x66, 0xba, 0xf8, 0x03], 0x200);
  program.set([0xac, 0x84, 0xc0, 0x74, 0x03, 0xee, 0xeb, 0xf8], 0x20b);
  program.set([0xf4, 0xeb, 0xfd], 0x213);
  program.set(greeting, 0x216);
  return program;
}

/**
 * Runs a machine in a network namespace until its console has a text, or for some seconds.
 *
 * @param text What a console is expected to say, a regular expression of `grep`.
 * @returns What the console has said that fits; all of it, and what QEMU has said, when nothing does.
 */
export async function bootMachine(
  machine: Machine,
  text: string,
  { seconds = 60, isInstalled = false } = {},
): Promise<string> {
  const start = { accelerator: "tcg", isInstalled, network: false } as const;
  const { log } = locateFiles(machine);
  await Deno.writeTextFile(log, "");
  const { out } = await command([
    ...["unshare", "-n", "bash", "-c"],
    `log=$1; text=$2; tap=$3; end=$((SECONDS + $4)); shift 4
ip tuntap add "$tap" mode tap
"$@" 2>"$log.errors" & pid=$!
until grep -aqe "$text" "$log" || [ "$SECONDS" -ge "$end" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -9 $pid 2>/dev/null; grep -m 1 -aohe "$text" "$log" || cat "$log" "$log.errors"`,
    ...["bash", log, text, machine.tap, `${seconds}`],
    ...[programFor(machine), ...qemuArguments(machine, start)],
  ]);
  return out;
}
