import assert from "node:assert/strict";
import {
  fetchReason,
  isUntrusted,
} from "../../../transport/connect/fetch_reason.ts";

/** An error as the runtime makes it of its own text. */
function fail(text: string): TypeError {
  return new TypeError("fetch failed", { cause: new Error(text) });
}

const sending =
  "error sending request for url (https://a:1/x(y)): client error";

Deno.test("fetchReason: replaces the runtime's messages by ours", () => {
  for (
    const [text, reason] of [
      [
        `${sending} (Connect): tcp connect error: Connection refused (os error 111)`,
        "the connection was refused",
      ],
      [
        `${sending} (Connect): dns error: failed to lookup address information: Name or service not known`,
        "the name cannot be resolved",
      ],
      [
        `${sending} (Connect): invalid peer certificate: UnknownIssuer`,
        "its certificate is from another CA",
      ],
      [
        `${sending} (Connect): invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))`,
        "its certificate is not accepted",
      ],
      ["error reading a body from connection", "the connection was closed"],
      [
        "peer closed connection without sending TLS close_notify: https://docs.rs/rustls/#unexpected-eof",
        "the connection was closed",
      ],
      [
        `${sending} (Connect): tcp connect error: Invalid argument (os error 22)`,
        "tcp connect error: Invalid argument",
      ],
    ] as const
  ) {
    assert.equal(fetchReason(fail(text)), reason);
    assert.equal(isUntrusted(fail(text)), text.includes("certificate"));
  }
});

Deno.test("the runtime's fetch fails with texts that are known", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const error = await fetch(`http://127.0.0.1:${port}/`).catch((it) => it);
  assert.equal(fetchReason(error), "the connection was refused");
});
