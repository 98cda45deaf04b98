import assert from "node:assert/strict";
import fc from "fast-check";
import * as cluster from "../../transport/gen/cluster.ts";
import * as common from "../../transport/gen/common.ts";
import * as meta from "../../transport/gen/cosi_meta.ts";
import * as cosi from "../../transport/gen/cosi_resource.ts";
import { Any } from "../../transport/gen/google/protobuf/any.ts";
import { Duration } from "../../transport/gen/google/protobuf/duration.ts";
import { Empty } from "../../transport/gen/google/protobuf/empty.ts";
import { Timestamp } from "../../transport/gen/google/protobuf/timestamp.ts";
import { Status } from "../../transport/gen/google/rpc/status.ts";
import * as inspect from "../../transport/gen/inspect.ts";
import * as machine from "../../transport/gen/machine.ts";
import * as debug from "../../transport/gen/machine_debug.ts";
import * as events from "../../transport/gen/machine_events.ts";
import * as image from "../../transport/gen/machine_image.ts";
import * as lifecycle from "../../transport/gen/machine_lifecycle.ts";
import * as lvm from "../../transport/gen/machine_lvm.ts";
import * as md from "../../transport/gen/machine_md.ts";
import * as resourceConfig from "../../transport/gen/resource_config.ts";
import * as resourceNetwork from "../../transport/gen/resource_network.ts";
import * as security from "../../transport/gen/securityapi.ts";
import * as storage from "../../transport/gen/storage.ts";
import * as time from "../../transport/gen/time.ts";

interface Codec<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array): T;
}

const modules = [
  cluster,
  common,
  meta,
  cosi,
  { Any, Duration, Empty, Timestamp, Status },
  inspect,
  machine,
  debug,
  events,
  image,
  lifecycle,
  lvm,
  md,
  resourceConfig,
  resourceNetwork,
  security,
  storage,
  time,
];

function bytes(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replaceAll(/\s/g, ""));
}

/** Fails unless the message and the bytes, written as hex, are each other's code. */
function assertWire<T>(codec: Codec<T>, message: T, hex: string): void {
  assert.deepEqual(codec.encode(message).finish().toHex(), bytes(hex).toHex());
  assert.deepEqual(codec.decode(bytes(hex)), message);
}

Deno.test("gen encodes the largest uint64 as a bigint", () => {
  assertWire(
    machine.EtcdRemoveMemberByIDRequest,
    { memberId: 18446744073709551615n },
    "08 ffffffffffffffffff01",
  );
});

Deno.test("gen keeps every digit of an int64 beyond 2^53", () => {
  assertWire(
    machine.ImageListResponse,
    {
      metadata: undefined,
      name: "",
      digest: "",
      size: 9007199254740993n,
      createdAt: undefined,
    },
    "20 8180808080808010",
  );
});

Deno.test("gen encodes negative int32 and int64 in ten bytes", () => {
  assertWire(
    machine.DiskUsageRequest,
    { recursionDepth: -1, all: true, threshold: -2n, paths: ["/a", "/é"] },
    "08 ffffffffffffffffff01  10 01  18 feffffffffffffffff01  22 02 2f61  22 03 2fc3a9",
  );
});

Deno.test("gen encodes a map as entries with key and value", () => {
  assertWire(
    image.ImageServiceListResponse,
    {
      name: "",
      digest: "",
      size: 0n,
      createdAt: undefined,
      labels: { a: "b", empty: "" },
    },
    "2a 06 0a0161 120162  2a 07 0a05 656d707479",
  );
});

Deno.test("gen decodes map entries whose key or value is omitted", () => {
  const { labels } = cosi.Metadata.decode(
    bytes("52 00  52 03 0a0161  52 03 120162"),
  );
  assert.deepEqual(labels, { "": "b", a: "" });
});

Deno.test("gen sends the chosen field of a oneof even when it is zero or empty", () => {
  const request = debug.DebugContainerRunRequest;
  assertWire(request, { request: { $case: "signal", value: 0 } }, "18 00");
  assertWire(
    request,
    { request: { $case: "stdinData", value: new Uint8Array() } },
    "12 00",
  );
  assertWire(
    request,
    { request: { $case: "termResize", value: { width: 80, height: 24 } } },
    "22 04 0850 1018",
  );
  assertWire(request, { request: undefined }, "");
});

Deno.test("gen takes the last of several fields of a oneof", () => {
  assert.deepEqual(
    lifecycle.LifecycleServiceInstallProgress.decode(
      bytes("0a 02 6869  10 07"),
    ),
    { response: { $case: "exitCode", value: 7 } },
  );
});

Deno.test("gen tells an optional field that is empty from one that is absent", () => {
  const request = {
    namespace: "",
    type: "",
    id: undefined,
    options: undefined,
    apiVersion: 1,
  };
  assertWire(cosi.WatchRequest, { ...request, id: "" }, "1a 00  28 01");
  assertWire(cosi.WatchRequest, request, "28 01");
});

Deno.test("gen keeps nanoseconds of a timestamp and times before 1970", () => {
  const health = { unknown: false, healthy: true, lastMessage: "" };
  assertWire(
    machine.ServiceHealth,
    { ...health, lastChange: { seconds: 1700000000n, nanos: 123456789 } },
    "10 01  22 0b 08 80e2cfaa06 10 959aef3a",
  );
  assertWire(
    machine.ServiceHealth,
    { ...health, lastChange: { seconds: -62135596800n, nanos: 0 } },
    "10 01  22 0b 08 8092b8c398feffffff01",
  );
});

Deno.test("gen encodes a duration of whole and of negative seconds", () => {
  assertWire(Duration, { seconds: 86400n, nanos: 0 }, "08 80a305");
  assertWire(
    Duration,
    { seconds: -1n, nanos: -500000000 },
    "08 ffffffffffffffffff01  10 80b6ca91feffffffff01",
  );
});

Deno.test("gen encodes doubles little-endian", () => {
  assertWire(
    machine.LoadAvg,
    { metadata: undefined, load1: 0.5, load5: -2, load15: 0 },
    "11 000000000000e03f  19 00000000000000c0",
  );
});

Deno.test("gen packs repeated numbers and reads them unpacked too", () => {
  const packed = "32 03 01 ac02";
  const stat = machine.SystemStat.fromPartial({ irq: [1n, 300n] });
  assertWire(machine.SystemStat, stat, packed);
  assert.deepEqual(
    machine.SystemStat.decode(bytes("30 01  30 ac02")).irq,
    [1n, 300n],
  );
});

Deno.test("gen nests messages with their length in front", () => {
  assertWire(
    machine.ServiceListResponse,
    {
      messages: [{
        metadata: {
          hostname: "n1",
          error: "",
          status: { code: 14, message: "x", details: [] },
        },
        services: [
          {
            id: "etcd",
            state: "Running",
            events: undefined,
            health: undefined,
          },
        ],
      }],
    },
    `0a 1e
       0a 0b 0a02 6e31 1a05 080e 120178
       12 0f 0a04 65746364 1207 52756e6e696e67`,
  );
});

Deno.test("gen hands a message of any type through as bytes", () => {
  const inner = events.TaskEvent.encode({ task: "t", action: 1 }).finish();
  assertWire(
    Any,
    { typeUrl: "u", value: inner },
    "0a 01 75  12 05 0a0174 1001",
  );
});

Deno.test("gen writes a message without fields as no bytes", () => {
  assertWire(machine.RollbackRequest, {}, "");
  assertWire(Empty, {}, "");
});

Deno.test("gen skips fields that a newer node added", () => {
  assert.deepEqual(
    machine.FeaturesInfo.decode(
      bytes(
        "f807 01  fa07 02 6162  f907 0000000000000000  fd07 00000000  08 01",
      ),
    ),
    { rbac: true },
  );
});

Deno.test("gen skips a field of another wire type than it expects", () => {
  assert.deepEqual(
    machine.FeaturesInfo.decode(bytes("0a 02 6162  0d 01000000")),
    { rbac: false },
  );
});

Deno.test("gen keeps the number of an enum value it does not know", () => {
  const event: { readonly stage: number } = events.MachineStatusEvent.decode(
    bytes("08 2a"),
  );
  assert.equal(event.stage, 42);
});

Deno.test("gen fills in the defaults of what a partial message omits", () => {
  assert.deepEqual(machine.LogsRequest.fromPartial({ id: "kubelet" }), {
    namespace: "",
    id: "kubelet",
    driver: common.ContainerDriver.CONTAINERD,
    follow: false,
    tailLines: 0,
  });
});

const services = [
  [cluster.ClusterServiceDefinition, "cluster.ClusterService", 1],
  [inspect.InspectServiceDefinition, "inspect.InspectService", 1],
  [debug.DebugServiceDefinition, "machine.DebugService", 1],
  [image.ImageServiceDefinition, "machine.ImageService", 5],
  [lvm.LVMServiceDefinition, "machine.LVMService", 3],
  [lifecycle.LifecycleServiceDefinition, "machine.LifecycleService", 2],
  [md.MDServiceDefinition, "machine.MDService", 1],
  [machine.MachineServiceDefinition, "machine.MachineService", 55],
  [security.SecurityServiceDefinition, "securityapi.SecurityService", 1],
  [storage.StorageServiceDefinition, "storage.StorageService", 2],
  [time.TimeServiceDefinition, "time.TimeService", 2],
  [cosi.StateDefinition, "cosi.resource.State", 8],
] as const;

for (const [definition, name, count] of services) {
  Deno.test(`gen defines ${name} with ${count} methods`, () => {
    assert.equal(definition.fullName, name);
    assert.equal(Object.keys(definition.methods).length, count);
  });
}

Deno.test("gen knows which methods stream, and in which direction", () => {
  const streams = services.flatMap(([definition]) =>
    Object.values(definition.methods)
      .filter((method) => method.requestStream || method.responseStream)
      .map((method) =>
        `${method.name} ${method.requestStream ? "up" : ""}${
          method.responseStream ? "down" : ""
        }`
      )
  );
  assert.deepEqual(streams, [
    "HealthCheck down",
    "ContainerRun updown",
    "List down",
    "Pull down",
    "Import up",
    "Install down",
    "Upgrade down",
    "Copy down",
    "Dmesg down",
    "Events down",
    "EtcdRecover up",
    "EtcdSnapshot down",
    "Kubeconfig down",
    "List down",
    "DiskUsage down",
    "Logs down",
    "Read down",
    "PacketCapture down",
    "ImageList down",
    "List down",
    "Watch down",
  ]);
});

/** Fields of any number and wire type, with contents that seldom fit them. */
const noise = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 127 }), fc.uint8Array({ maxLength: 12 })),
  { maxLength: 8 },
).map((fields) =>
  Uint8Array.from(fields.flatMap(([tag, rest]) => [tag, ...rest]))
);

Deno.test("gen ends for any input with a message or an error", () => {
  const codecs = modules.flatMap((module) =>
    Object.values<unknown>(module).filter(isCodec)
  );
  assert.equal(codecs.length, 286);
  const ended = { message: 0, error: 0 };
  fc.assert(
    fc.property(fc.constantFrom(...codecs), noise, (codec, input) => {
      ended[outcome(codec, input)]++;
    }),
    { numRuns: 5_000 },
  );
  assert.ok(ended.message > 0 && ended.error > 0);
});

function isCodec(value: unknown): value is Codec<unknown> {
  return typeof value === "object" && value !== null && "decode" in value;
}

function outcome(
  codec: Codec<unknown>,
  input: Uint8Array,
): "message" | "error" {
  try {
    codec.encode(codec.decode(input)).finish();
    return "message";
  } catch (error) {
    assert.ok(error instanceof Error);
    return "error";
  }
}
