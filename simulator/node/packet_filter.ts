/** Packet filter: runs classic BPF programs on packets. */

import { RpcError } from "../../errors.ts";
import type { BPFInstruction } from "../../transport/gen/machine_files.ts";

const classes = {
  ld: 0,
  ldx: 1,
  st: 2,
  stx: 3,
  alu: 4,
  jmp: 5,
  ret: 6,
  misc: 7,
};

/**
 * Validates a program like the kernel.
 *
 * @throws {RpcError} UNKNOWN, in the node's words, if it jumps out of bounds or does not end with a return.
 */
export function checkFilter(program: readonly BPFInstruction[]): void {
  if (program.length === 0) return;
  const isRight = program.length <= 4096 &&
    (program.at(-1)!.op & 7) === classes.ret && // not empty
    program.every(({ op, jt, jf, k }, at) => {
      if ((op & 7) !== classes.jmp) return true;
      const far = (op & 0xf0) === 0 ? k : Math.max(jt, jf);
      return at + 1 + far < program.length;
    });
  if (isRight) return;
  throw new RpcError(
    "UNKNOWN",
    "error setting BPF filter: setsockopt: invalid argument",
  );
}

/**
 * Runs a program on a packet.
 *
 * @param program A validated program; an empty one accepts all packets.
 * @returns Number of bytes to capture; 0 to drop the packet.
 */
export function runFilter(
  program: readonly BPFInstruction[],
  packet: Uint8Array,
): number {
  if (program.length === 0) return packet.length;
  const view = new DataView(
    packet.buffer,
    packet.byteOffset,
    packet.byteLength,
  );
  const memory = new Uint32Array(16);
  let [a, x] = [0, 0];
  for (let at = 0; at < program.length; at++) {
    const { op, jt, jf, k } = program[at]!; // in bounds
    const source = (op & 8) === 0 ? k : x;
    switch (op & 7) {
      case classes.ld: {
        const loaded = load(view, op, { k, x, a: memory[k & 15] ?? 0 });
        if (loaded === undefined) return 0;
        a = loaded;
        break;
      }
      case classes.ldx: {
        if ((op & 0xe0) === 0xa0) {
          if (k >= view.byteLength) return 0;
          x = (view.getUint8(k) & 15) * 4;
        } else if ((op & 0xe0) === 0x60) x = memory[k & 15] ?? 0;
        else x = (op & 0xe0) === 0x80 ? view.byteLength : k;
        break;
      }
      case classes.st:
        memory[k & 15] = a;
        break;
      case classes.stx:
        memory[k & 15] = x;
        break;
      case classes.alu: {
        if (source === 0 && ((op & 0xf0) === 0x30 || (op & 0xf0) === 0x90)) {
          return 0;
        }
        a = compute(op, a, source);
        break;
      }
      case classes.jmp:
        if ((op & 0xf0) === 0) at += k;
        else at += holds(op, a, source) ? jt : jf;
        break;
      case classes.ret:
        return Math.min(packet.length, (op & 0x18) === 0x10 ? a : k);
      case classes.misc:
        if ((op & 0xf8) === 0) x = a;
        else a = x;
    }
  }
  return 0;
}

/** Loads the operand of an instruction; `undefined` beyond the end of the packet. */
function load(
  view: DataView,
  op: number,
  { k, x, a }: { readonly k: number; readonly x: number; readonly a: number },
): number | undefined {
  const mode = op & 0xe0;
  if (mode === 0x00) return k;
  if (mode === 0x60) return a;
  if (mode === 0x80) return view.byteLength;
  const offset = mode === 0x40 ? x + k : k;
  const size = (op & 0x18) === 0 ? 4 : (op & 0x18) === 8 ? 2 : 1;
  if (offset + size > view.byteLength) return undefined;
  if (size === 4) return view.getUint32(offset);
  return size === 2 ? view.getUint16(offset) : view.getUint8(offset);
}

function compute(op: number, a: number, source: number): number {
  switch (op & 0xf0) {
    case 0x00:
      return (a + source) >>> 0;
    case 0x10:
      return (a - source) >>> 0;
    case 0x20:
      return Math.imul(a, source) >>> 0;
    case 0x30:
      return Math.floor(a / source);
    case 0x40:
      return (a | source) >>> 0;
    case 0x50:
      return (a & source) >>> 0;
    case 0x60:
      return (a << source) >>> 0;
    case 0x70:
      return a >>> source;
    case 0x80:
      return -a >>> 0;
    case 0x90:
      return a % source;
    default:
      return (a ^ source) >>> 0;
  }
}

function holds(op: number, a: number, source: number): boolean {
  switch (op & 0xf0) {
    case 0x10:
      return a === source;
    case 0x20:
      return a > source;
    case 0x30:
      return a >= source;
    default:
      return (a & source) !== 0;
  }
}
