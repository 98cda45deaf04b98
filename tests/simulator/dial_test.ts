import assert from "node:assert/strict";
import type { RpcError } from "../../errors.ts";
import { dial } from "../../simulator/dial.ts";
import type { FaultName } from "../../simulator/faults.ts";
import { bootedNodes } from "./_node.ts";

const { signal } = new AbortController();

Deno.test("a node reaches another by address and by host name", async () => {
  const [from, to] = await bootedNodes({ workers: 1 });
  assert.equal(await dial(from!, "10.5.0.3", signal), to);
  assert.equal(await dial(from!, "lab-worker-1", signal), to);
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
    await failure("nobody"),
    "UNAVAILABLE name resolver error: produced zero addresses",
  );
  const with_ = async (name: FaultName) => {
    to!.faults.set(name, { left: Infinity, begun: false });
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
  to!.reachable = false;
  assert.match(await failure("10.5.0.3"), /connect: connection refused"$/);
});
