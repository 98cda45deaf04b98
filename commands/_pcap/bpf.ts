/** Packet filters as classic BPF instructions. */

import { UsageError } from "../../errors.ts";
import { apiPort } from "../../transport/connect/endpoint.ts";
import type { LinkType } from "./pcap_file.ts";

/** One instruction. Source: `machine.BPFInstruction`. */
export interface BpfInstruction {
  readonly op: number;
  /** Instructions to skip if a comparison is true. */
  readonly jt: number;
  /** Instructions to skip if it is false. */
  readonly jf: number;
  readonly k: number;
}

const longestProgram = 4096;

const line =
  /^\{\s*(0x[\da-f]{1,4}|\d{1,5}),\s*(0x[\da-f]{1,2}|\d{1,3}),\s*(0x[\da-f]{1,2}|\d{1,3}),\s*(0x[\da-f]{1,8}|\d{1,10})\s*\},?$/i;

/**
 * Parses a program as printed by `tcpdump -dd`: a line such as `{ 0x28, 0, 0,
 * 0x0000000c },` for each instruction.
 *
 * @throws {UsageError} Naming the invalid line, or for more than 4096
 * instructions.
 */
export function parseBpf(text: string): readonly BpfInstruction[] {
  const program = text.split("\n").map((one) => one.trim())
    .filter((one) => one !== "").map((one) => {
      const [op, jt, jf, k] = line.exec(one)?.slice(1).map(Number) ?? [];
      const isRight = op !== undefined && op <= 0xffff && jt !== undefined &&
        jt <= 0xff && jf !== undefined && jf <= 0xff && k !== undefined &&
        k <= 0xffffffff;
      if (isRight) return { op, jt, jf, k };
      throw new UsageError(
        `"${one}" in --bpf-filter is not an instruction such as { 0x28, 0, 0, 0x0000000c },`,
        {
          hint:
            `Compile an expression with: tcpdump -dd -y EN10MB 'tcp port 6443'; or use --filter 'tcp port 6443'`,
        },
      );
    });
  if (program.length === 0) {
    throw new UsageError("--bpf-filter has no instructions");
  }
  if (program.length > longestProgram) {
    throw new UsageError(
      `--bpf-filter has ${program.length} instructions, and nodes accept at most ${longestProgram}`,
    );
  }
  return program;
}

const takeAll: BpfInstruction = { op: 0x06, jt: 0, jf: 0, k: 0x40000 };

/**
 * Prepends a filter that drops packets of the node API (TCP port 50000, IPv4 and IPv6).
 *
 * @param program Filter for the other packets; omitted, all of them pass.
 */
export function withoutNodeApi(
  linkType: LinkType,
  program: readonly BpfInstruction[] = [takeAll],
): readonly BpfInstruction[] {
  const ip = linkType === "ethernet" ? 14 : 0;
  const [load8, load16, loadX16, jumpEqual, jumpSet, lengthToX, and, drop] = [
    0x30,
    0x28,
    0x48,
    0x15,
    0x45,
    0xb1,
    0x54,
    0x06,
  ];
  // Jumps to "pass" (after the last instruction) and "drop" (the last
  // instruction) are resolved below.
  const steps: readonly (readonly [
    op: number,
    k: number,
    yes?: number | "pass" | "drop",
    no?: number | "pass" | "drop",
  ])[] = [
    ...(linkType === "ethernet"
      ? [
        [load16, 12],
        [jumpEqual, 0x86dd, 3, 0],
        [jumpEqual, 0x0800, 8, "pass"],
        // Two unreachable instructions keep both branches equally long.
        [load8, 0],
        [load8, 0],
      ] as const
      : [
        [load8, 0],
        [and, 0xf0],
        [jumpEqual, 0x60, 2, 0],
        [jumpEqual, 0x40, 7, "pass"],
        [load8, 0],
      ] as const),
    // IPv6: next header, then both ports.
    [load8, ip + 6],
    [jumpEqual, 6, 0, "pass"],
    [load16, ip + 40],
    [jumpEqual, apiPort, "drop", 0],
    [load16, ip + 42],
    [jumpEqual, apiPort, "drop", "pass"],
    // IPv4: protocol, first fragment only, then both ports after the
    // variable-length header.
    [load8, ip + 9],
    [jumpEqual, 6, 0, "pass"],
    [load16, ip + 6],
    [jumpSet, 0x1fff, "pass", 0],
    [lengthToX, ip],
    [loadX16, ip],
    [jumpEqual, apiPort, "drop", 0],
    [loadX16, ip + 2],
    [jumpEqual, apiPort, "drop", "pass"],
    [drop, 0],
  ];
  const end = steps.length;
  const distance = (to: number | "pass" | "drop" = 0, at: number) =>
    typeof to === "number" ? to : (to === "pass" ? end : end - 1) - at - 1;
  const api = steps.map(([op, k, yes, no], at) => ({
    op,
    jt: distance(yes, at),
    jf: distance(no, at),
    k,
  }));
  return [...api, ...program];
}
