import assert from "node:assert/strict";
import { ConnectError, RpcError } from "../../../errors.ts";
import { callVersions } from "../../../simulator/release/version_facts.ts";
import {
  decodeMessage,
  httpError,
  isDown,
  isUnsent,
  neverSent,
  resetError,
  roleError,
  statusError,
  unreadable,
} from "../../../transport/connect/status.ts";

const statuses = [
  [1, "CANCELLED"],
  [2, "UNKNOWN"],
  [5, "NOT_FOUND"],
  [7, "PERMISSION_DENIED"],
  [14, "UNAVAILABLE"],
  [16, "UNAUTHENTICATED"],
  [17, "UNKNOWN"],
  [-1, "UNKNOWN"],
  [NaN, "UNKNOWN"],
] as const;

for (const [number, code] of statuses) {
  Deno.test(`statusError of ${number} is ${code} with the node's text`, () => {
    const error = statusError(number, "text of the node");
    assert.equal(error.code, code);
    assert.equal(error.message, "text of the node");
  });
}

const messages = [
  ["plain text", "plain text"],
  ['100%25 of "x"%0A', '100% of "x"\n'],
  ["%C3%BC", "ü"],
  ["50% done", "50% done"],
  ["%FF", "%FF"],
  ["", ""],
] as const;

for (const [sent, text] of messages) {
  Deno.test(`decodeMessage of "${sent}"`, () => {
    assert.equal(decodeMessage(sent), text);
  });
}

const https = [
  [400, "INTERNAL"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "UNIMPLEMENTED"],
  [429, "UNAVAILABLE"],
  [502, "UNAVAILABLE"],
  [503, "UNAVAILABLE"],
  [504, "UNAVAILABLE"],
  [418, "UNKNOWN"],
] as const;

for (const [status, code] of https) {
  Deno.test(`httpError of ${status} is ${code}`, () => {
    const error = httpError("node1:50000", status);
    assert.equal(error.code, code);
    assert.equal(
      error.message,
      `"node1:50000" answers with HTTP status ${status}`,
    );
  });
}

const resets = [
  [1, "UNAVAILABLE"],
  [2, "UNAVAILABLE"],
  [7, "UNAVAILABLE"],
  [8, "CANCELLED"],
  [11, "RESOURCE_EXHAUSTED"],
  [12, "PERMISSION_DENIED"],
] as const;

for (const [number, code] of resets) {
  Deno.test(`resetError of ${number} is ${code}`, () => {
    const error = resetError("node1:50000", number);
    assert.equal(error.code, code);
    assert.equal(
      error.message,
      `"node1:50000" ended the call with HTTP/2 error ${number}`,
    );
  });
}

Deno.test("statusError says which version a node needs for a call it lacks", () => {
  const statusText = (text: string, code = 12) =>
    statusError(code, text).message;
  for (const [call, [first]] of Object.entries(callVersions)) {
    if (first === 0) continue;
    const [service = "", method] = call.split("/");
    const sent = method === undefined
      ? `unknown service ${service}`
      : `unknown method ${method} for service ${service}`;
    assert.equal(
      statusText(sent),
      `the node does not support ${
        method ?? service
      }: it needs v1.${first} or later`,
    );
  }
  const error = statusError(12, "unknown service machine.ImageService");
  assert.deepEqual(
    [error.code, error.cause],
    [
      "UNIMPLEMENTED",
      new RpcError("UNIMPLEMENTED", "unknown service machine.ImageService"),
    ],
  );
  const others = [
    "unknown service time.TimeService",
    "unknown method GenerateConfiguration for service machine.MachineService",
    "method Create not implemented",
  ];
  assert.deepEqual(others.map((text) => statusText(text)), others);
  const untouched = "unknown service machine.ImageService";
  assert.equal(statusText(untouched, 2), untouched);
});

Deno.test("statusError keeps the text as it was beside its own", () => {
  const error = statusError(14, "name resolver error: produced zero addresses");
  assert.equal(
    error.message,
    "cannot connect: no such node",
  );
  assert.equal(error.raw, "name resolver error: produced zero addresses");
  assert.equal(statusError(5, "no such file").raw, undefined);
});

Deno.test("roleError says which role a refused call needs, and touches nothing else", () => {
  const refused = roleError(
    statusError(7, "not authorized"),
    "/machine.MachineService/Reboot",
  );
  assert.ok(refused instanceof RpcError);
  assert.equal(
    refused.message,
    "not authorized: it needs the role os:operator",
  );
  assert.equal(refused.code, "PERMISSION_DENIED");
  const other = statusError(7, "no request forwarding");
  assert.equal(roleError(other, "/machine.MachineService/Reboot"), other);
});

const transport = 'connection error: desc = "transport: ';
for (
  const [what, error, expected] of [
    ["refuses", new ConnectError("refused", "x"), true],
    ["does not answer", new ConnectError("timeout", "x"), true],
    ["has an unknown name", new ConnectError("dns", "x"), false],
    ["has expired", new ConnectError("server-expired", "x"), false],
    ["is from another CA", new ConnectError("wrong-ca", "x"), false],
    [
      "refuses its endpoint",
      statusError(14, `${transport}Error while dialing: connection refused"`),
      true,
    ],
    [
      "has expired behind its endpoint",
      statusError(
        14,
        `${transport}authentication handshake failed: tls: failed to verify certificate: x509: certificate has expired"`,
      ),
      false,
    ],
    [
      "is unknown to its endpoint",
      statusError(14, "name resolver error: produced zero addresses"),
      false,
    ],
    ["cannot be understood", unreadable(new Error("x")), false],
  ] as const
) {
  Deno.test(`a node that ${what} is ${expected ? "" : "not "}down`, () => {
    assert.equal(isDown(error), expected);
  });
}

Deno.test("a library that lost its connection with INTERNAL is told from a node that answers with it", () => {
  const codes = {
    "stream terminated by RST_STREAM with error code: INTERNAL_ERROR":
      "UNAVAILABLE",
    "server closed the stream without sending trailers": "UNAVAILABLE",
    "transport: received unexpected content-type": "UNAVAILABLE",
    "unexpected EOF": "UNAVAILABLE",
    "upgrade failed: unexpected EOF": "INTERNAL",
    "failed to get system disk: not found": "INTERNAL",
  };
  for (const [text, code] of Object.entries(codes)) {
    assert.equal(statusError(13, text).code, code, text);
  }
});

Deno.test("a call is known to be unsent when no connection was made for it, and at no other time", () => {
  const dialing = 'connection error: desc = "transport: Error while dialing: ';
  const unsent = [
    new ConnectError("refused", "x"),
    new ConnectError("reset", "x"),
    neverSent(new RpcError("UNAVAILABLE", "x")),
    statusError(14, `${dialing}dial tcp 10.5.0.9:50000: no route to host"`),
    statusError(14, `last ${dialing}dial tcp 10.5.0.9:50000: i/o timeout"`),
    statusError(14, "name resolver error: produced zero addresses"),
    statusError(
      14,
      "dns: A record lookup error: lookup w1: server misbehaving",
    ),
    statusError(
      14,
      'connection error: desc = "error reading server preface: remote error: tls: bad certificate"',
    ),
  ];
  const sent = [
    // A node's report of its own services may come in the middle of a change.
    statusError(14, `${dialing}dial tcp 127.0.0.1:2379: connection refused"`),
    statusError(14, `${dialing}dial unix /run/x.sock: connection refused"`),
    new ConnectError("lost", "x"),
    statusError(14, "error reading from server: EOF"),
    statusError(14, "transport is closing"),
    statusError(2, `failed to query etcd: ${dialing}dial tcp 10.5.0.9:2379"`),
    new RpcError("DEADLINE_EXCEEDED", "no answer"),
    new Error("x"),
  ];
  assert.deepEqual(unsent.map(isUnsent), unsent.map(() => true));
  assert.deepEqual(sent.map(isUnsent), sent.map(() => false));
});
