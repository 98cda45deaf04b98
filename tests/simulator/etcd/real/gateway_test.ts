import assert from "node:assert/strict";
import { encodePem, pemLabel } from "../../../../pki/pem.ts";
import { clientKeyPair } from "../../../../simulator/etcd/real/real_server.ts";
import {
  type Gateway,
  gateway,
} from "../../../../simulator/etcd/real/gateway.ts";
import { type Real, testReal } from "../_real.ts";

async function withGateway(
  { server, issuer, start }: Real,
  test: (way: Gateway) => Promise<void>,
): Promise<void> {
  await start();
  const [host, port] = server.endpoint().split(":") as [string, string];
  const way = gateway({
    host,
    port: Number(port),
    ca: encodePem(pemLabel.certificate, issuer.certificate),
    ...await clientKeyPair(issuer, "test"),
  });
  try {
    await test(way);
  } finally {
    way.close();
  }
}

testReal("calls are answered, and refused in etcd's words", async (real) => {
  await withGateway(real, async (way) => {
    const key = btoa("name");
    await way.call("/v3/kv/put", { key, value: btoa("value") });
    const read = await way.call("/v3/kv/range", { key }) as {
      readonly kvs: readonly { readonly value: string }[];
    };
    assert.equal(atob(read.kvs[0]!.value), "value");
    await assert.rejects(way.call("/v3/kv/put", {}), {
      message: "etcdserver: key is not provided",
    });
    await assert.rejects(way.call("/v3/nothing", {}), {
      message: "unknown method",
    });
  });
});

testReal("a stream is read message by message", async (real) => {
  await withGateway(real, async (way) => {
    const parts = await Array.fromAsync(
      way.stream("/v3/maintenance/snapshot", {}),
    ) as readonly { readonly blob?: string }[];
    const bytes = parts.map(({ blob = "" }) => Uint8Array.fromBase64(blob));
    const size = bytes.reduce((sum, { length }) => sum + length, 0);
    // Pages, and the sum behind them.
    assert.equal(size % 512, 32);
    await assert.rejects(
      Array.fromAsync(way.stream("/v3/nothing", {})),
      { message: "unknown method" },
    );
  });
});

testReal("a call ends with its signal", async (real) => {
  await withGateway(real, async (way) => {
    const signal = AbortSignal.abort();
    await assert.rejects(
      way.call("/v3/maintenance/status", {}, { signal }),
      { message: "context deadline exceeded" },
    );
  });
});
