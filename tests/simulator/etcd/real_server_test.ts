import assert from "node:assert/strict";
import { EtcdError } from "../../../simulator/etcd/etcd_error.ts";
import { testReal } from "./_real.ts";

testReal(
  "a server runs until it is stopped, and keeps its data until they are wiped",
  async ({ server, start }) => {
    assert.deepEqual([server.isRunning(), await server.hasData()], [
      false,
      false,
    ]);
    await assert.rejects(server.client.status(), EtcdError);
    assert.equal(server.databaseFile(), undefined);
    const run = await start();
    assert.equal(server.isRunning(), true);
    const { memberId } = await server.client.status();
    await run.stop();
    assert.equal((await run.ended).isFinal, false);
    assert.deepEqual([server.isRunning(), await server.hasData()], [
      false,
      true,
    ]);
    assert.ok((server.databaseFile()?.length ?? 0) > 4096);
    const again = await start();
    assert.equal((await server.client.status()).memberId, memberId);
    await again.kill();
    await server.wipe();
    assert.equal(await server.hasData(), false);
  },
);

testReal(
  "a snapshot becomes the data of another cluster",
  async ({ server, start }) => {
    const run = await start();
    const parts = await Array.fromAsync(server.client.snapshot());
    const { leader } = await server.client.status();
    await run.stop();
    await server.wipe();
    await server.upload(ReadableStream.from(parts));
    await server.restore("restored", { skipHashCheck: false });
    assert.equal(await server.hasData(), true);
    await start();
    const [member] = await server.client.members();
    assert.notEqual(leader, 0n);
    assert.equal((await server.client.status()).leader, member!.id);
  },
);
