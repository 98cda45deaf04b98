import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import type { AnyHandler, Route } from "../../simulator/handlers.ts";
import { invoke } from "../../simulator/invoke.ts";
import type { SimulatedNode } from "../../simulator/node.ts";
import { powerOff } from "../../simulator/power_off.ts";
import { MachineServiceDefinition } from "../../transport/gen/machine.ts";
import { bootedNode } from "./_node.ts";

const { events, version } = MachineServiceDefinition.methods;

function ask(
  node: SimulatedNode,
  definition: Route["definition"],
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
  node.cluster.heard = ({ node: { identity }, method, mutating, roles }) =>
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
