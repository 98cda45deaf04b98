/** Packet capture: `PacketCapture`. */

import { RpcError } from "../../errors.ts";
import { checkFilter, runFilter } from "../node/packet_filter.ts";
import { packetPauseMs, packetRound } from "../node/packets.ts";
import { toKey } from "../node/contents/content.ts";
import type { MachineHandlers } from "./handlers.ts";

/** Default capture length of a packet, in bytes. */
const usualLength = 4096;

/** `PacketCapture`: packets as they come, until the caller disconnects. */
export const packetCapture: MachineHandlers = {
  async *packetCapture(request, { node, signal }) {
    const { interface: name, bpfFilter, snapLen } = request;
    const { boot: { resources }, clock } = node;
    const link = resources.get(toKey({ type: "LinkStatuses.net", id: name }));
    if (!link) {
      throw new RpcError("NOT_FOUND", `interface "${name}" not found`);
    }
    checkFilter(bpfFilter);
    const most = snapLen || usualLength;
    yield { bytes: captureHeader(most) };
    // The loopback has no simulated traffic.
    const isWired = name === "eth0";
    for (let round = 0; !signal.aborted; round++) {
      for (const packet of isWired ? packetRound(node, round) : [undefined]) {
        await clock.sleep(packetPauseMs, signal);
        if (signal.aborted) return;
        if (packet === undefined) continue;
        const wanted = Math.min(most, runFilter(bpfFilter, packet));
        if (wanted > 0) yield { bytes: record(clock.now(), packet, wanted) };
      }
    }
  },
};

function captureHeader(most: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(24));
  view.setUint32(0, 0xa1b2c3d4, true);
  view.setUint16(4, 2, true);
  view.setUint16(6, 4, true);
  view.setUint32(16, most, true);
  view.setUint32(20, 1, true); // Ethernet
  return new Uint8Array(view.buffer);
}

function record(
  now: number,
  packet: Uint8Array,
  captured: number,
): Uint8Array {
  const bytes = new Uint8Array(16 + captured);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(now / 1000), true);
  view.setUint32(4, Math.floor(now % 1000) * 1000, true);
  view.setUint32(8, captured, true);
  view.setUint32(12, packet.length, true);
  bytes.set(packet.subarray(0, captured), 16);
  return bytes;
}
