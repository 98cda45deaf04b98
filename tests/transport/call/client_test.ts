import assert from "node:assert/strict";
import {
  type CallOptions,
  type Transport,
  unreadAnswers,
} from "../../../transport/call/call.ts";
import {
  changeClient,
  type Definition,
  nodeClient,
  type Services,
  services,
} from "../../../transport/call/client.ts";
import { frame, type MessageReader } from "../../../transport/call/frames.ts";
import { payload } from "../../../transport/call/payload.ts";
import { ClusterServiceDefinition } from "../../../transport/gen/cluster.ts";
import { Data } from "../../../transport/gen/common.ts";
import { StateDefinition } from "../../../transport/gen/cosi_resource.ts";
import { InspectServiceDefinition } from "../../../transport/gen/inspect.ts";
import {
  MachineServiceDefinition,
  PacketCaptureRequest,
} from "../../../transport/gen/machine.ts";
import { DebugServiceDefinition } from "../../../transport/gen/machine_debug.ts";
import { ImageServiceDefinition } from "../../../transport/gen/machine_image.ts";
import { LifecycleServiceDefinition } from "../../../transport/gen/machine_lifecycle.ts";
import { LVMServiceDefinition } from "../../../transport/gen/machine_lvm.ts";
import { MDServiceDefinition } from "../../../transport/gen/machine_md.ts";
import { SecurityServiceDefinition } from "../../../transport/gen/securityapi.ts";
import { StorageServiceDefinition } from "../../../transport/gen/storage.ts";
import { TimeServiceDefinition } from "../../../transport/gen/time.ts";

function recorder(): { seen: CallOptions[]; transport: Transport } {
  const seen: CallOptions[] = [];
  return {
    seen,
    transport: {
      unary(_method, _request, options) {
        seen.push(options);
        return Promise.reject(new Error("not answered"));
      },
      stream(_method, _request, options) {
        seen.push(options);
        return ReadableStream.from([]);
      },
      close() {},
    },
  };
}

Deno.test("a call starts from the client's options and its own win", async () => {
  const { seen, transport } = recorder();
  const { signal } = new AbortController();
  const client = nodeClient("a", transport, {
    node: "a",
    signal,
    deadlineMs: 5,
  });
  await client.machine.version({}, { deadlineMs: 7 }).catch(() => {});
  assert.deepEqual(seen, [{ node: "a", signal, deadlineMs: 7 }]);
});

Deno.test("either signal ends a call that has one of its own", async () => {
  for (const which of ["client", "call"] as const) {
    const { seen, transport } = recorder();
    const stops = {
      client: new AbortController(),
      call: new AbortController(),
    };
    const client = nodeClient("a", transport, { signal: stops.client.signal });
    const options = { signal: stops.call.signal };
    await client.machine.version({}, options).catch(() => {});
    for await (const _ of client.machine.logs({}, options));
    assert.deepEqual(seen.map(({ signal }) => signal?.aborted), [false, false]);
    stops[which].abort();
    assert.deepEqual(seen.map(({ signal }) => signal?.aborted), [true, true]);
  }
});

Deno.test("a client shows the signal its calls end with", () => {
  const { transport } = recorder();
  const { signal } = new AbortController();
  assert.equal(nodeClient("a", transport, { signal }).signal, signal);
  assert.equal(nodeClient("a", transport, {}).signal.aborted, false);
});

Deno.test("the messages of every method are those of its definition, loaded or not", async () => {
  const definitions: Readonly<Record<keyof Services, Definition>> = {
    machine: MachineServiceDefinition,
    storage: StorageServiceDefinition,
    time: TimeServiceDefinition,
    state: StateDefinition,
    cluster: ClusterServiceDefinition,
    inspect: InspectServiceDefinition,
    security: SecurityServiceDefinition,
    image: ImageServiceDefinition,
    debug: DebugServiceDefinition,
    lifecycle: LifecycleServiceDefinition,
    lvm: LVMServiceDefinition,
    md: MDServiceDefinition,
  };
  for (const [name, { fullName, methods }] of Object.entries(definitions)) {
    const lazy = services[name as keyof Services]; // the record has its keys
    assert.equal(lazy.fullName, fullName);
    assert.deepEqual(Object.keys(lazy.methods), Object.keys(methods));
    for (const [key, method] of Object.entries(methods)) {
      const { types, ...facts } = lazy.methods[key]!; // compared above
      const [requestType, responseType] = await types();
      assert.deepEqual(
        { ...facts, requestType, responseType, options: {} },
        method,
      );
    }
  }
});

Deno.test("a stream whose messages are not loaded is read from the wire like any other", async () => {
  const seen: unknown[] = [];
  const transport: Transport = {
    ...recorder().transport,
    stream: (method, request) => {
      seen.push(request);
      return Object.assign((async function* () {})(), {
        [unreadAnswers]: {
          type: method.responseType,
          async *read<T>(reader: MessageReader<T>) {
            await Promise.resolve();
            const message = Data.fromPartial({ bytes: Uint8Array.of(1, 2) });
            reader.read(frame(Data.encode(message).finish()));
            yield reader.flush?.() ?? [];
          },
        },
      });
    },
  };
  const { machine } = nodeClient("a", transport, {});
  for (const _ of ["not loaded", "loaded"]) {
    const chunks = payload(machine.packetCapture({ interface: "eth0" }));
    assert.deepEqual(await Array.fromAsync(chunks), [Uint8Array.of(1, 2)]);
  }
  assert.deepEqual(
    seen,
    Array(2).fill(PacketCaptureRequest.fromPartial({ interface: "eth0" })),
  );
});

Deno.test("a client with another signal or name keeps its services", () => {
  const { transport } = recorder();
  const client = nodeClient("10.0.0.2", transport, {});
  const { signal } = new AbortController();
  const other = changeClient(client, { signal });
  assert.equal(other.signal, signal);
  assert.equal(other.node, "10.0.0.2");
  assert.equal(typeof other.machine.version, "function");
  const named = changeClient(client, { node: "worker-1" });
  assert.equal(named.node, "worker-1");
  assert.equal(typeof named.machine.version, "function");
  // Those of a copy would be missing.
  assert.equal({ ...client }.machine, undefined);
});
