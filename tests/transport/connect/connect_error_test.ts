import assert from "node:assert/strict";
import {
  type ConnectAttempt,
  connectError,
  type DialStage,
  distrust,
  isDistrust,
  isRefusal,
  tooLong,
} from "../../../transport/connect/connect_error.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { parseProxy } from "../../../transport/connect/proxy.ts";

function attempt(
  stage: DialStage,
  rest: Partial<ConnectAttempt> = {},
): ConnectAttempt {
  const endpoint = parseEndpoint("10.0.0.1");
  return { endpoint, stage, identified: true, ...rest };
}

const doctor = "Diagnose it with: osctl doctor connect -e 10.0.0.1:50000";

const causes = [
  ["tcp", "ENOTFOUND", "dns", "the name cannot be resolved"],
  ["tcp", "EAI_AGAIN", "dns", "the DNS server does not answer"],
  ["tcp", "ECONNREFUSED", "refused", "the connection was refused"],
  ["tcp", "EHOSTUNREACH", "unreachable", "no route to host"],
  ["tcp", "ENETUNREACH", "unreachable", "no route to network"],
  ["tcp", "ETIMEDOUT", "timeout", "the host does not answer"],
  [
    "tls",
    "ECONNRESET",
    "reset",
    "the connection was closed during the TLS handshake",
  ],
  [
    "tls",
    "EPIPE",
    "reset",
    "the connection was closed during the TLS handshake",
  ],
  ["tls", "ERR_SSL_WRONG_VERSION_NUMBER", "not-tls", "it does not speak TLS"],
  [
    "tls",
    "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL",
    "unknown",
    "it speaks TLS but not HTTP/2, so it is not a node",
  ],
  [
    "tls",
    "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
    "client-wrong-ca",
    "it does not trust the CA of the client certificate",
  ],
  [
    "http2",
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "client-missing",
    "it requires a client certificate",
  ],
  [
    "http2",
    "ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED",
    "client-expired",
    "the client certificate has expired",
  ],
  [
    "http2",
    "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE",
    "client-wrong-ca",
    "it does not accept the client certificate",
  ],
  [
    "http2",
    "ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR",
    "client-key-mismatch",
    "the key does not match the client certificate",
  ],
  [
    "http2",
    "ECONNRESET",
    "reset",
    "it closed the connection after seeing the client certificate",
  ],
  [
    "http2",
    "",
    "reset",
    "it closed the connection after seeing the client certificate",
  ],
  [
    "proxy",
    "ECONNRESET",
    "reset",
    "the connection was closed while the proxy connects",
  ],
  [
    "tls",
    "ERR_SOMETHING",
    "unknown",
    "error ERR_SOMETHING during the TLS handshake",
  ],
] as const;

for (const [stage, code, reason, seen] of causes) {
  Deno.test(`connectError of "${code}" at stage ${stage} is ${reason}`, () => {
    const cause = Object.assign(new Error("text that counts for nothing"), {
      code,
    });
    const error = connectError(attempt(stage), cause);
    assert.equal(error.reason, reason);
    assert.equal(
      error.message,
      `Cannot connect to "10.0.0.1:50000": ${seen}`,
    );
    assert.equal(error.cause, cause);
    assert.notEqual(error.hint, undefined);
  });
}

for (const code of ["", "EPIPE", "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE"]) {
  Deno.test(`connectError of "${code}" without a client certificate is that it is missing`, () => {
    const error = connectError(attempt("http2", { identified: false }), {
      code,
    });
    assert.equal(error.reason, "client-missing");
    assert.equal(
      error.message,
      'Cannot connect to "10.0.0.1:50000": it requires a client certificate',
    );
  });
}

Deno.test("isRefusal knows the alerts about client certificates", () => {
  assert.equal(isRefusal({ code: "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA" }), true);
  assert.equal(isRefusal({ code: "EPIPE" }), false);
  assert.equal(isRefusal({ code: "toString" }), false);
});

Deno.test("connectError blames the proxy when that is what cannot be reached", () => {
  const proxy = parseProxy("http://proxy:3128");
  const error = connectError(attempt("tcp", { proxy }), {
    code: "ECONNREFUSED",
  });
  assert.equal(error.reason, "proxy");
  assert.equal(
    error.message,
    'Cannot connect to proxy "proxy:3128": the connection was refused',
  );
});

for (const error of [undefined, null, "text", { code: 7 }]) {
  Deno.test(`connectError of ${JSON.stringify(error)} is a closed connection`, () => {
    assert.equal(connectError(attempt("tcp"), error).reason, "reset");
  });
}

Deno.test("connectError points to the doctor when it knows nothing better", () => {
  const refused = connectError(attempt("tcp"), { code: "ECONNREFUSED" });
  assert.equal(refused.hint, doctor);
  const plain = connectError(attempt("tls"), {
    code: "ERR_SSL_WRONG_VERSION_NUMBER",
  });
  assert.equal(plain.hint, "Check the port: the node API listens on 50000");
});

const stages = [
  ["tcp", "while connecting"],
  ["proxy", "while the proxy connects"],
  ["tls", "during the TLS handshake"],
  ["http2", "after the TLS handshake"],
] as const;

for (const [stage, when] of stages) {
  Deno.test(`tooLong says that it was ${when}`, () => {
    const error = tooLong(attempt(stage), 1_500);
    assert.equal(error.reason, "timeout");
    assert.equal(
      error.message,
      `Cannot connect to "10.0.0.1:50000": no answer within 1.5 s ${when}`,
    );
  });
}

Deno.test("distrust carries the verdict, and the doctor where it has no hint", () => {
  const verdict = { reason: "wrong-ca", seen: "it is strange" } as const;
  const error = distrust(attempt("tls"), verdict, "cause");
  assert.equal(error.reason, "wrong-ca");
  assert.equal(error.message, 'Cannot trust "10.0.0.1:50000": it is strange');
  assert.equal(error.hint, doctor);
  assert.equal(error.cause, "cause");
  const hinted = distrust(attempt("tls"), { ...verdict, hint: "h" }, "cause");
  assert.equal(hinted.hint, "h");
});

const codes = [
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", true],
  ["CERT_HAS_EXPIRED", true],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", true],
  ["SELF_SIGNED_CERT_IN_CHAIN", true],
  ["ERR_TLS_CERT_ALTNAME_INVALID", true],
  ["ECONNRESET", false],
  ["ERR_SSL_WRONG_VERSION_NUMBER", false],
] as const;

for (const [code, is] of codes) {
  Deno.test(`isDistrust of ${code} is ${is}`, () => {
    assert.equal(isDistrust({ code }), is);
  });
}
