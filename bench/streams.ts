/** Large files and logs from one node, sent by a server that has them prepared. */

import type { Measurement } from "../tools/bench.ts";
import { executable, measureUsage, type Usage } from "./_bench.ts";
import {
  manyPackets,
  millionLines,
  packetBytes,
  packetCount,
  packFiles,
  repeatReply,
  unpackedBytes,
  zeros,
} from "./_contents.ts";
import { configure, replayServer, startServer } from "./_fast_server.ts";

/** Bytes that are read in messages of each size; nodes send small ones. */
const reads = { 65_536: 2e9, 1_024: 5e8 };

/**
 * Measures `read`, `copy` and `logs` over TLS on loopback.
 *
 * @returns Throughput, and largest resident memory of the client.
 */
export async function run(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  try {
    const program = await executable(folder);
    const packed = await packFiles(folder);
    const measured: Measurement[] = [];
    for (const [text, bytes] of Object.entries(reads)) {
      const size = Number(text);
      const server = await startServer(replayServer, {
        "/machine.MachineService/Read": zeros(bytes, size),
        "/machine.MachineService/Copy": repeatReply(packed, size),
        "/machine.MachineService/Logs": repeatReply(millionLines(), size),
      });
      const env = {
        XDG_CACHE_HOME: folder,
        OSCONFIG: await configure(folder, server),
      };
      const osctl = (...argv: readonly string[]) =>
        measureUsage(program, argv, env);
      try {
        await osctl("--help"); // unpacks
        const kib = `${size / 1_024} KiB`;
        measured.push(
          ...throughput(`read, ${kib}`, bytes, await osctl("read", "/x")),
          ...throughput(
            `copy, ${kib}`,
            unpackedBytes,
            await osctl("copy", "/x", `${folder}/copy-${size}`),
          ),
          ...logs(kib, await osctl("logs", "x")),
        );
      } finally {
        await server.stop();
      }
    }
    measured.push(...await packets(program, folder));
    return measured;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Packets of 1000 bytes that come as fast as they are taken; 125 MB/s are 1 Gbit/s. */
async function packets(
  program: string,
  folder: string,
): Promise<readonly Measurement[]> {
  const server = await startServer(replayServer, {
    "/machine.MachineService/PacketCapture": manyPackets(),
  });
  try {
    const env = {
      XDG_CACHE_HOME: folder,
      OSCONFIG: await configure(folder, server),
    };
    const file = `${folder}/capture.pcap`;
    const usage = await measureUsage(program, ["pcap", "-o", file], env);
    const { size } = await Deno.stat(file);
    await Deno.remove(file);
    const lost = packetCount - (size - 24) / (16 + packetBytes);
    return [
      {
        name: "pcap, 1.25 million packets of 1 kB",
        value: packetCount * packetBytes / 1e3 / usage.ms,
        unit: "MB/s",
        budget: 125,
        atLeast: true,
      },
      { name: "pcap: packets lost", value: lost, unit: "", budget: 0 },
      {
        name: "pcap: memory",
        value: usage.megabytes,
        unit: "MB",
        budget: 200,
      },
    ];
  } finally {
    await server.stop();
  }
}

function logs(kib: string, { ms, megabytes }: Usage): Measurement[] {
  return [
    { name: `logs of 1 million lines, ${kib}`, value: ms, unit: "ms" },
    { name: `logs, ${kib}: memory`, value: megabytes, unit: "MB", budget: 200 },
  ];
}

function throughput(
  name: string,
  bytes: number,
  { ms, megabytes }: Usage,
): Measurement[] {
  return [
    {
      name,
      value: bytes / 1e3 / ms,
      unit: "MB/s",
      budget: 150,
      atLeast: true,
    },
    { name: `${name}: memory`, value: megabytes, unit: "MB", budget: 200 },
  ];
}
