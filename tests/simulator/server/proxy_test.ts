import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { methodOf } from "../../../transport/call/client.ts";
import {
  type HostnameResponse,
  MachineServiceDefinition,
} from "../../../transport/gen/machine.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { dial } from "../../../simulator/server/proxy.ts";
import type { FaultName } from "../../../simulator/state/faults.ts";
import { bootedNode, bootedNodes } from "../_node.ts";
import type {
  AnyHandler,
  MethodRoute,
} from "../../../simulator/services/handlers.ts";
import { invoke } from "../../../simulator/server/invoke.ts";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import { applyLive } from "../../../simulator/node/live_configuration.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { powerOff } from "../../../simulator/boot/boot.ts";

Deno.test("endpoint answers itself, without metadata, when no node is named", async () => {
  await withCluster({}, async ({ endpoints, adminIdentity: identity }) => {
    using client = testClient({ endpoint: endpoints[0]!, identity });
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]?.version?.tag, "v1.12.11");
    assert.equal(messages[0]?.metadata, undefined);
  });
});

Deno.test("endpoint forwards to one node without adding metadata", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
      metadata: { node: ["10.5.0.3"] },
    });
    const { messages } = await client.machine.hostname({});
    assert.deepEqual(messages, [{
      metadata: undefined,
      hostname: "simulated-worker-1",
    }]);
  });
});

Deno.test("endpoint merges the answers of several nodes; a failed one is a message", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      identity: cluster.adminIdentity,
      metadata: { nodes: ["10.5.0.2", "10.5.0.3", "10.5.0.9"] },
    });
    const { methods } = MachineServiceDefinition;
    const { messages } = await client.transport.unary(
      methodOf(MachineServiceDefinition, methods.hostname),
      {},
      {},
    ) as HostnameResponse;
    const byNode = new Map(
      messages.map((message) => [message.metadata?.hostname, message]),
    );
    assert.equal(byNode.get("10.5.0.2")?.hostname, "simulated-controlplane-1");
    assert.equal(byNode.get("10.5.0.3")?.hostname, "simulated-worker-1");
    const text =
      'connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.9:50000: connect: no route to host"';
    assert.deepEqual(byNode.get("10.5.0.9"), {
      metadata: {
        hostname: "10.5.0.9",
        error: `rpc error: code = Unavailable desc = ${text}`,
        status: { code: 14, message: text, details: [] },
      },
      hostname: "",
    });
  });
});

Deno.test("endpoint refuses targets, and fan-outs of resources, as a node does", async () => {
  await withCluster(
    { workers: 1 },
    async ({ endpoints, adminIdentity: identity }) => {
      const endpoint = endpoints[0]!;
      const get = { namespace: "runtime", type: "x", id: "y" };
      using port = testClient({
        endpoint,
        identity,
        metadata: { node: ["10.5.0.3:50000"] },
      });
      await assert.rejects(
        port.machine.version({}),
        new RpcError("INTERNAL", 'invalid target "10.5.0.3:50000"'),
      );
      using many = testClient({
        endpoint,
        identity,
        metadata: { nodes: ["10.5.0.2"] },
      });
      await assert.rejects(
        many.state.get(get),
        new RpcError(
          "INVALID_ARGUMENT",
          "one-2-many proxying is not supported for COSI methods",
        ),
      );
      using two = testClient({
        endpoint,
        identity,
        metadata: { node: ["10.5.0.2", "10.5.0.3"] },
      });
      await assert.rejects(
        two.machine.version({}),
        new RpcError("INVALID_ARGUMENT", "node metadata must be single-valued"),
      );
      using stranger = testClient({
        endpoint,
        identity,
        metadata: { node: ["stranger"] },
      });
      await assert.rejects(
        stranger.machine.version({}),
        new RpcError(
          "UNAVAILABLE",
          "name resolver error: produced zero addresses",
        ),
      );
    },
  );
});

Deno.test("a worker forwards nothing, and does not know its own name as a target", async () => {
  await withCluster({ workers: 1 }, async (cluster) => {
    const endpoint = cluster.listening.get("10.5.0.3")!;
    const identity = cluster.adminIdentity;
    for (
      const metadata of [{ node: ["10.5.0.3"] }, {
        nodes: ["simulated-worker-1"],
      }]
    ) {
      using own = testClient({ endpoint, identity, metadata });
      const { messages } = await own.machine.hostname({});
      assert.deepEqual(messages, [{
        metadata: undefined,
        hostname: "simulated-worker-1",
      }]);
    }
    using other = testClient({
      endpoint,
      identity,
      metadata: { node: ["10.5.0.2"] },
    });
    await assert.rejects(
      other.machine.hostname({}),
      new RpcError("PERMISSION_DENIED", "no request forwarding"),
    );
  });
});

const { signal } = new AbortController();

Deno.test("a node reaches another by address, and by host name only if it resolves names of members", async () => {
  const [from, to] = await bootedNodes({ workers: 1 });
  assert.ok(from);
  assert.equal(await dial(from, "10.5.0.3", signal), to);
  assert.equal(await dial(from, "lab-controlplane-1", signal), from);
  await assert.rejects(
    dial(from, "lab-worker-1", signal),
    new RpcError(
      "UNAVAILABLE",
      "name resolver error: produced zero addresses",
    ),
  );
  await applyLive(
    from,
    machineConfig(from).replace(
      "hostDNS:\n",
      "hostDNS:\n            resolveMemberNames: true\n",
    ),
  );
  assert.equal(await dial(from, "lab-worker-1", signal), to);
});

Deno.test("a node says why it does not reach another", async () => {
  const [from, to] = await bootedNodes({ workers: 1 });
  const failure = (target: string) =>
    dial(from!, target, signal).then(
      () => "reached",
      (error: RpcError) => `${error.code} ${error.message}`,
    );
  assert.equal(
    await failure("fd00::9"),
    'UNAVAILABLE connection error: desc = "transport: Error while dialing: dial tcp [fd00::9]:50000: connect: no route to host"',
  );
  assert.equal(
    await failure("stranger"),
    "UNAVAILABLE name resolver error: produced zero addresses",
  );
  const with_ = async (name: FaultName) => {
    to!.faults.set(name, { remaining: Infinity, triggered: false });
    const text = await failure("10.5.0.3");
    to!.faults.clear();
    return text.slice("UNAVAILABLE connection error: desc = ".length);
  };
  const mistrust =
    '"transport: authentication handshake failed: tls: failed to verify certificate: x509:';
  assert.equal(
    await with_("server-ca-changed"),
    `${mistrust} certificate signed by unknown authority"`,
  );
  assert.equal(
    await with_("server-cert-expired"),
    `${mistrust} certificate has expired or is not yet valid"`,
  );
  assert.equal(
    await with_("client-cert-refused"),
    '"error reading server preface: remote error: tls: unknown certificate authority"',
  );
  assert.equal(
    await with_("blackhole"),
    '"transport: Error while dialing: dial tcp 10.5.0.3:50000: i/o timeout"',
  );
  to!.boot.reachable = false;
  assert.match(await failure("10.5.0.3"), /connect: connection refused"$/);
});

const { events, version } = MachineServiceDefinition.methods;

function ask(
  node: SimulatedNode,
  definition: MethodRoute["definition"],
  handler?: AnyHandler,
  roles = ["os:admin"],
) {
  const route = {
    path: `/machine.MachineService/${definition.name}`,
    definition,
    handler,
    isKnown: true,
  };
  const { signal } = new AbortController();
  return Array.fromAsync(
    invoke(node, { route, request: {}, roles: new Set(roles), signal }),
  );
}

Deno.test("a unary call gives one message, a stream all of them", async () => {
  const node = await bootedNode();
  assert.deepEqual(await ask(node, version, () => "one"), ["one"]);
  const stream = async function* () {
    yield "one";
    yield "two";
  };
  assert.deepEqual(await ask(node, events, stream), ["one", "two"]);
});

Deno.test("a call without the role for it reaches no handler", async () => {
  const node = await bootedNode();
  const handler = () => assert.fail("reached");
  await assert.rejects(
    ask(node, version, handler, ["os:etcd:backup"]),
    new RpcError("PERMISSION_DENIED", "not authorized"),
  );
});

Deno.test("a stream whose node loses its power breaks", async () => {
  const node = await bootedNode();
  const stream = async function* () {
    yield "one";
    powerOff(node);
    yield "never";
  };
  await assert.rejects(
    ask(node, events, stream),
    new RpcError("UNAVAILABLE", "error reading from server: EOF"),
  );
});

Deno.test("a method without handler is not implemented", async () => {
  const node = await bootedNode();
  await assert.rejects(
    ask(node, version),
    new RpcError("UNIMPLEMENTED", "method Version not implemented"),
  );
});

Deno.test("who listens hears each call that a node answers, and who asks", async () => {
  const node = await bootedNode();
  const heard: unknown[] = [];
  node.cluster.onCall = ({ node: { identity }, method, mutating, roles }) =>
    void heard.push([identity.hostname, method, mutating, [...roles]]);
  const { reboot } = MachineServiceDefinition.methods;
  await ask(node, version, () => "one", ["os:reader"]);
  await ask(node, reboot, () => "two");
  const { hostname } = node.identity;
  assert.deepEqual(heard, [
    [hostname, "Version", false, ["os:reader"]],
    [hostname, "Reboot", true, ["os:admin"]],
  ]);
});

Deno.test("a node without configuration shows resources and disks to anybody, and little else", async () => {
  await withCluster({ unconfigured: () => true }, async (cluster) => {
    using client = testClient({
      endpoint: cluster.endpoints[0]!,
      metadata: { nodes: ["10.9.9.9"] },
    });
    const { messages } = await client.storage.disks({});
    assert.deepEqual(
      messages[0]!.disks.map(({ deviceName }) => deviceName),
      ["/dev/loop0", "/dev/vda"],
    );
    const { resource } = await client.state.get({
      namespace: "runtime",
      type: "MachineStatuses.runtime.talos.dev",
      id: "machine",
    });
    assert.match(resource!.spec!.yamlSpec, /^stage: maintenance\n/);
    await assert.rejects(
      client.state.get({
        namespace: "config",
        type: "MachineConfigs.config.talos.dev",
        id: "v1alpha1",
      }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
    await assert.rejects(
      client.machine.version({}),
      new RpcError(
        "UNIMPLEMENTED",
        "API is not implemented in maintenance mode",
      ),
    );
    await assert.rejects(
      client.machine.serviceList({}),
      new RpcError("UNIMPLEMENTED", "method ServiceList not implemented"),
    );
    await assert.rejects(
      client.time.time({}),
      new RpcError("UNIMPLEMENTED", "unknown service time.TimeService"),
    );
  });
});

Deno.test("a node loses its configuration and gets it back", async () => {
  await withCluster({}, async (cluster) => {
    const endpoint = cluster.endpoints[0]!;
    await cluster.setFault("10.5.0.2", "maintenance");
    using anybody = testClient({ endpoint });
    assert.equal((await anybody.storage.disks({})).messages.length, 1);
    await cluster.setFault("10.5.0.2", "maintenance", false);
    using admin = testClient({ endpoint, identity: cluster.adminIdentity });
    assert.equal((await admin.machine.version({})).messages.length, 1);
  });
});

Deno.test("a node without configuration asks for roles since v1.13", async () => {
  const options = { unconfigured: () => true, release: { tag: "v1.13.0" } };
  await withCluster(options, async (cluster) => {
    using client = testClient({ endpoint: cluster.endpoints[0]! });
    const { messages } = await client.machine.version({});
    assert.equal(messages[0]!.version!.tag, "v1.13.0");
    assert.equal((await client.time.time({})).messages.length, 1);
    await assert.rejects(
      client.machine.metaDelete({ key: 1 }),
      new RpcError("PERMISSION_DENIED", "not authorized"),
    );
  });
});

Deno.test("nodes do not know the calls of later versions", async () => {
  await withCluster({ release: { tag: "v1.8.4" } }, async (cluster) => {
    const identity = cluster.adminIdentity;
    using client = testClient({ endpoint: cluster.endpoints[0]!, identity });
    await assert.rejects(
      client.storage.blockDeviceWipe({ devices: [] }),
      new RpcError(
        "UNIMPLEMENTED",
        "unknown method BlockDeviceWipe for service storage.StorageService",
      ),
    );
    await assert.rejects(
      client.machine.etcdDowngradeCancel({}),
      new RpcError(
        "UNIMPLEMENTED",
        "unknown method EtcdDowngradeCancel for service machine.MachineService",
      ),
    );
    const { messages } = await client.machine.etcdStatus({});
    assert.equal(messages[0]!.memberStatus!.storageVersion, "");
    assert.equal(messages[0]!.memberStatus!.protocolVersion, "3.5.17");
  });
});
