/** Cost of the generated code: decoding, size and start-up; see docs/decisions/0002-ts-proto-generates-the-protobuf-code.md. */

import { Data } from "../transport/gen/common.ts";
import { ListResponse } from "../transport/gen/cosi_resource.ts";
import { ServiceListResponse } from "../transport/gen/machine.ts";

/** One figure. */
export interface Measurement {
  readonly name: string;
  /** Median, in {@linkcode unit}. */
  readonly value: number;
  /** Unit of value and budget. */
  readonly unit: string;
  /** Largest value that is acceptable; absent if the figure is only for information. */
  readonly budget?: number;
}

const machineCode = `${import.meta.dirname}/../transport/gen/machine.ts`;

/**
 * Measures the generated code.
 *
 * @returns Decode times, then size and start-up of the bundled machine service.
 * @throws {Error} If the code cannot be bundled or run.
 */
export async function run(): Promise<readonly Measurement[]> {
  return [...decoding(), ...await startUp()];
}

function decoding(): readonly Measurement[] {
  const list = ServiceListResponse.encode(serviceList(20)).finish();
  const resource = ListResponse.encode(address()).finish();
  const chunk = Data.encode(Data.create({ bytes: new Uint8Array(2 ** 16) }))
    .finish();
  return [
    decodeTime(
      "ServiceList, 20 services",
      100,
      () => ServiceListResponse.decode(list),
    ),
    decodeTime("ListResponse", 10, () => ListResponse.decode(resource)),
    decodeTime("Data, 64 kB", 5, () => Data.decode(chunk)),
  ];
}

function decodeTime(
  message: string,
  budget: number,
  decode: () => unknown,
): Measurement {
  const perRound = 2_000;
  const rounds = Array.from({ length: 15 }, () => {
    const start = performance.now();
    for (let i = 0; i < perRound; i++) decode();
    return (performance.now() - start) / perRound * 1_000;
  });
  return {
    name: `decode ${message}`,
    value: median(rounds),
    unit: "µs",
    budget,
  };
}

async function startUp(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  try {
    const bundle = `${folder}/machine.js`;
    const empty = `${folder}/empty.js`;
    await deno("bundle", "--minify", "--output", bundle, machineCode);
    await Deno.writeTextFile(empty, "");
    const { size } = await Deno.stat(bundle);
    return [
      {
        name: "bundle of machine.ts",
        value: size / 1_000,
        unit: "kB",
        budget: 300,
      },
      {
        name: "start-up of machine.ts: time added to an empty program",
        value: await timeOver(empty, bundle),
        unit: "ms",
        budget: 10,
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs two programs in turns and subtracts the median times, in milliseconds. */
async function timeOver(base: string, program: string): Promise<number> {
  const times: { readonly base: number; readonly program: number }[] = [];
  for (let i = 0; i < 21; i++) {
    times.push({ base: await runTime(base), program: await runTime(program) });
  }
  return median(times.map((time) => time.program)) -
    median(times.map((time) => time.base));
}

async function runTime(program: string): Promise<number> {
  const start = performance.now();
  await deno("run", program);
  return performance.now() - start;
}

async function deno(
  command: string,
  ...args: readonly string[]
): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [command, "--quiet", ...args],
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) {
    throw new Error(`Cannot ${command}: ${new TextDecoder().decode(stderr)}`);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function serviceList(count: number): ServiceListResponse {
  const events = ["Waiting", "Preparing", "Running"].map((state, index) => ({
    state,
    msg: `Started task ${state} for the container of this service`,
    ts: { seconds: 1_700_000_000n + BigInt(index), nanos: 123_456_789 },
  }));
  const services = Array.from({ length: count }, (_, index) => ({
    id: `service-${index}`,
    state: "Running",
    events: { events },
    health: { healthy: true, lastChange: { seconds: 1_700_000_100n } },
  }));
  return ServiceListResponse.create({
    messages: [{ metadata: { hostname: "node-1" }, services }],
  });
}

function address(): ListResponse {
  const metadata = {
    namespace: "network",
    type: "AddressStatuses.net.example.test",
    id: "eth0/192.0.2.10/24",
    version: "3",
    owner: "network.AddressStatusController",
    phase: "running",
    created: { seconds: 1_700_000_000n },
    updated: { seconds: 1_700_000_100n },
  };
  const yamlSpec = "address: 192.0.2.10/24\nlinkName: eth0\nfamily: inet4\n"
    .repeat(3);
  const spec = { yamlSpec, protoSpec: new Uint8Array(90) };
  return ListResponse.create({ resource: { metadata, spec } });
}
