import assert from "node:assert/strict";
import {
  closeQuietly,
  isEnd,
  type JoinReply,
  messages,
  send,
} from "../../../provisioners/stand_in/join_messages.ts";

Deno.test("messages come whole and in order, until the other side goes", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [client, server] = await Promise.all([
    Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port }),
    listener.accept(),
  ]);
  await send(server, { port: 7 });
  await send(server, { off: true });
  closeQuietly(server);
  closeQuietly(server);
  const got = await Array.fromAsync(messages<JoinReply>(client));
  assert.deepEqual(got, [{ port: 7 }, { off: true }]);
  closeQuietly(client);
  assert.equal(isEnd(new Error("other")), false);
});
