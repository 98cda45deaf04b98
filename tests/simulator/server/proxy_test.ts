import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { MachineServiceDefinition } from "../../../transport/gen/machine.ts";
import { withCluster } from "../../_cluster.ts";
import { testClient } from "../_client.ts";
import { dial } from "../../../simulator/server/proxy.ts";
import type { FaultName } from "../../../simulator/state/faults.ts";
import { bootedNode, bootNodes } from "../_node.ts";
import type {
  AnyHandler,
  MethodRoute,
} from "../../../simulator/services/handlers.ts";
import { invoke } from "../../../simulator/server/invoke.ts";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import { applyLive } from "../../../simulator/node/live_configuration.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";

const { version } = MachineServiceDefinition.methods;

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

const { signal } = new AbortController();

Deno.test("a node reaches another by address, and by host name only if it resolves names of members", async () => {
  const [from, to] = await bootNodes({ workers: 1 });
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
  const [from, to] = await bootNodes({ workers: 1 });
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

Deno.test("proxy: reports each answered call with its caller", async () => {
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
