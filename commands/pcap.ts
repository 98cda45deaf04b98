import { domain } from "../talos.ts";
import { UsageError } from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { payload } from "../transport/call/payload.ts";
import { apiPort } from "../transport/connect/endpoint.ts";
import { readSpec } from "../transport/node/read_resource.ts";
import { after } from "../lib/timer.ts";
import { type BpfInstruction, parseBpf, withoutNodeApi } from "./_pcap/bpf.ts";
import { writeCapture } from "./_pcap/capture_file.ts";
import { packetLine } from "./_pcap/decode.ts";
import {
  type CapturePart,
  emptyCapture,
  type LinkType,
  packetReader,
  wholePackets,
} from "./_pcap/pcap_file.ts";
import {
  bytes,
  type Command,
  duration,
  text,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { receiving } from "../transport/call/open_calls.ts";

const inputs = {
  interface: text("network interface", { short: "i", initial: "eth0" }),
  output: text(
    "write the capture to this file; - for standard output; default prints text",
    { short: "o", complete: "files", dash: true },
  ),
  filter: text(
    "filter expression, such as 'tcp port 6443'; needs tcpdump on this machine",
  ),
  bpfFilter: text(
    "compiled filter, as printed by tcpdump -dd",
  ),
  duration: duration("stop after this time; default never", {
    initial: "0s",
    shown: "",
  }),
  promiscuous: toggle("also capture packets for other machines"),
  excludeNodeApi: toggle("skip packets of the node API", {
    initial: true,
  }),
  snaplen: {
    ...text("no effect", { hidden: true, short: "s" }),
    type: "int",
    deprecated: "nodes decide how much of a packet they capture",
  },
};

type PcapInputs = Values<typeof inputs>;

export const command = {
  summary: "Capture network packets",
  description:
    `Prints a line for each packet, with its time in UTC, or writes the capture in the pcap format, which tcpdump and Wireshark read. The
capture ends with --duration, Ctrl-C, or when standard output is closed; the file is complete in each case.

Packets of the node API (TCP port 50000) are skipped, since the capture itself causes them;
--exclude-node-api=false captures them, too.

--filter takes an expression in the language of tcpdump, and compiles it with the tcpdump of this machine. --bpf-filter
takes the compiled program: "$(tcpdump -dd -y EN10MB 'tcp port 6443')", with -y RAW for interfaces such as WireGuard.`,
  aliases: ["tcpdump"],
  inputs,
  examples: [
    "pcap --nodes 10.0.0.2 --filter 'udp port 53'",
    "pcap --nodes 10.0.0.2 --duration 30s -o eth0.pcap",
    "pcap --nodes 10.0.0.2 -o - | tcpdump -vr -",
  ],
  output: "own",
  streams: true,
  discloses: ({ output }) => output !== undefined,
  noStep: "it captures until it is stopped",
  view: bytes(),
  async *run({ input, nodes, note, signal }) {
    if (input.filter !== undefined && input.bpfFilter !== undefined) {
      throw new UsageError(
        "Flags --filter and --bpf-filter cannot be combined",
      );
    }
    const own = input.bpfFilter === undefined
      ? undefined
      : parseBpf(input.bpfFilter);
    const client = await nodes.only("pcap");
    const linkType = await readLinkType(client, input.interface);
    const program = own ?? await compileFilter(input.filter, linkType);
    if (input.excludeNodeApi) {
      note(
        `Packets of the node API (TCP port ${apiPort}) are skipped; to capture them: --exclude-node-api=false`,
      );
    }
    const filter = input.excludeNodeApi
      ? withoutNodeApi(linkType, program)
      : program ?? [];
    const parts = capture(client, input, { filter, signal });
    let packets = 0;
    const counted = async function* () {
      for await (const part of parts) {
        packets += part.packets;
        yield part;
      }
    };
    try {
      if (input.output === undefined) yield* formatParts(counted());
      else if (input.output === "-") yield* joinParts(counted(), linkType);
      else await writeCapture(joinParts(counted(), linkType), input.output);
    } finally {
      note(`${packets} ${packets === 1 ? "packet" : "packets"} captured`);
    }
  },
} satisfies Command<Uint8Array, PcapInputs>;

/** Tunnels have no Ethernet header. An unknown interface is tried anyway; the node reports the error. */
async function readLinkType(
  client: NodeClient,
  id: string,
): Promise<LinkType> {
  const type = `LinkStatuses.net.${domain}`;
  const link = await readSpec(client, { namespace: "network", type, id });
  return link?.["type"] === "none" ? "raw" : "ethernet";
}

async function compileFilter(
  expression: string | undefined,
  linkType: LinkType,
): Promise<readonly BpfInstruction[] | undefined> {
  if (expression === undefined) return undefined;
  const name = linkType === "ethernet" ? "EN10MB" : "RAW";
  try {
    const { success, stdout, stderr } = await new Deno.Command("tcpdump", {
      args: ["-dd", "-y", name, "--", expression],
      stdin: "null",
    }).output();
    if (success) return parseBpf(new TextDecoder().decode(stdout));
    const why = new TextDecoder().decode(stderr).trim();
    throw new UsageError(
      `tcpdump cannot compile --filter "${expression}": ${why}`,
    );
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError("--filter needs tcpdump, which is not on the PATH", {
      hint: "Install it, or compile the expression elsewhere: --bpf-filter",
    });
  }
}

/** The capture, until the duration is over or the user interrupts. */
async function* capture(
  { machine, node }: NodeClient,
  { interface: name, promiscuous, duration }: PcapInputs,
  { filter, signal }: {
    readonly filter: readonly BpfInstruction[];
    readonly signal: AbortSignal;
  },
): AsyncGenerator<CapturePart> {
  const over = new AbortController();
  const forget = duration > 0 ? after(duration, () => over.abort()) : () => {};
  try {
    const sent = payload(
      machine.packetCapture(
        { interface: name, promiscuous, bpfFilter: filter },
        { signal: over.signal },
      ),
      // Data is copied before the next chunk.
      { lent: true },
    );
    yield* wholePackets(receiving(`packets of ${name} from ${node}`, sent));
  } catch (error) {
    if (!over.signal.aborted || signal.aborted) throw error;
  } finally {
    forget();
  }
}

async function* formatParts(
  parts: AsyncIterable<CapturePart>,
): AsyncGenerator<Uint8Array> {
  const read = packetReader();
  const encoder = new TextEncoder();
  for await (const part of parts) {
    const { linkType, packets } = read(part);
    const lines = packets.map((packet) => `${packetLine(packet, linkType)}\n`);
    if (lines.length > 0) yield encoder.encode(lines.join(""));
  }
}

/** The raw capture; if it stopped before any data, a valid empty capture. */
async function* joinParts(
  parts: AsyncIterable<CapturePart>,
  linkType: LinkType,
): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const { bytes } of parts) {
    isEmpty = false;
    yield bytes;
  }
  if (isEmpty) yield emptyCapture(linkType);
}
