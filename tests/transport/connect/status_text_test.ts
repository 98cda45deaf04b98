import assert from "node:assert/strict";
import {
  neededRole,
  readableStatus,
  withoutQuotes,
  withoutSecrets,
} from "../../../transport/connect/status_text.ts";

const dialling = 'connection error: desc = "transport: Error while dialing: ';

const readable: readonly (readonly [text: string, message: string])[] = [
  [
    `${dialling}dial tcp 10.0.0.6:50000: connect: connection refused"`,
    "cannot connect to 10.0.0.6:50000: connection refused",
  ],
  [
    `${dialling}dial tcp [fd00::9]:50000: connect: no route to host"`,
    "cannot connect to [fd00::9]:50000: no route to host",
  ],
  [
    `${dialling}dial tcp 10.0.0.6:50000: i/o timeout"`,
    "cannot connect to 10.0.0.6:50000: no answer",
  ],
  [
    `${dialling}dial tcp: lookup worker-9 on 10.0.0.53:53: no such host"`,
    "cannot connect: the name cannot be resolved",
  ],
  [
    'connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026"',
    "cannot connect: the certificate of the node has expired, or its clock is wrong",
  ],
  [
    'connection error: desc = "transport: authentication handshake failed: x509: certificate signed by unknown authority"',
    "cannot connect: the certificate of the node is from another CA",
  ],
  [
    'connection error: desc = "error reading server preface: remote error: tls: unknown certificate authority"',
    "cannot connect: the node does not accept the certificate of the endpoint: it is from another CA",
  ],
  [
    'connection error: desc = "transport: authentication handshake failed: remote error: tls: bad certificate"',
    "cannot connect: the node does not accept the certificate of the endpoint",
  ],
  [
    'connection error: desc = "error reading server preface: EOF"',
    "cannot connect: the connection was closed",
  ],
  [
    'failed to query etcd status: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.2:2379: connect: connection refused"',
    "failed to query etcd status: cannot connect to 10.5.0.2:2379: connection refused",
  ],
  [
    "name resolver error: produced zero addresses",
    "cannot connect: no such node",
  ],
  [
    "dns: A record lookup error: lookup worker-9 on 127.0.0.53:53: server misbehaving",
    "cannot connect: no such node",
  ],
  ["error reading from server: EOF", "the connection was lost"],
  [
    "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
    "no answer in time",
  ],
  ["bootstrap is not available yet", "bootstrap is not available yet"],
];

for (const [text, message] of readable) {
  Deno.test(`a status says "${message}"`, () => {
    assert.equal(readableStatus(text).message, message);
  });
}

Deno.test("neededRole is the weakest that is enough", () => {
  assert.equal(neededRole("/machine.MachineService/Version"), "os:reader");
  assert.equal(neededRole("/machine.MachineService/Reboot"), "os:operator");
  assert.equal(
    neededRole("/machine.MachineService/EtcdSnapshot"),
    "os:etcd:backup",
  );
  assert.equal(neededRole("/machine.MachineService/Reset"), "os:admin");
});

const unquoted: readonly (readonly [text: string, shown: string])[] = [
  ["no:\n--- a\n+++ b\n-  token: x", "no:\n(redacted, 23 characters)"],
  [
    'Config diff:\n\n  &Config{\n- \tToken: "a",',
    "Config diff:\n(redacted, 23 characters)",
  ],
  ["a\n token: b\n-  token: c", "a\n(redacted, 20 characters)"],
  [
    "unknown keys:\nmachine:\n    foo: bar\n    files:\n    - content: |\n        pässwort\n",
    "unknown keys:\nmachine:\n    foo: (redacted, 3 characters)\n    files:\n" +
    "    - content: (redacted, 1 character)\n        (redacted, 8 characters)\n",
  ],
  [
    "bad:\nenvironment:\n    - TOKEN=a\n",
    "bad:\nenvironment:\n    (redacted, 9 characters)\n",
  ],
  [
    "token: a\nproxy: b",
    "token: (redacted, 1 character)\nproxy: (redacted, 1 character)",
  ],
  [
    "yaml: line 5: cannot unmarshal !!str `hunter22` into int",
    "yaml: line 5: cannot unmarshal !!str (redacted, 8 characters) into int",
  ],
  [
    'bad "machine:\\n    token: abc"',
    'bad "machine: (redacted, 17 characters)',
  ],
  ['cannot use {"token": "a"}', "cannot use (redacted, 14 characters)"],
  ["cannot use map[token:a]", "cannot use (redacted, 12 characters)"],
  ["token: hunter22\n", "token: (redacted, 8 characters)\n"],
  ["    motd: two words", "    motd: (redacted, 9 characters)"],
  ["hostname: db9", "hostname: (redacted, 3 characters)"],
  [
    'cannot parse "foo: Xy12z" in line 3',
    'cannot parse "foo: (redacted, 5 characters)" in line 3',
  ],
  [
    "cannot use TOKEN=abc here",
    "cannot use TOKEN=(redacted, 3 characters) here",
  ],
];

for (const [text, shown] of unquoted) {
  Deno.test(`of ${JSON.stringify(text)} no configuration stays`, () => {
    assert.equal(withoutQuotes(text), shown);
    assert.equal(withoutQuotes(shown), shown);
  });
}

for (
  const text of [
    "1 error occurred:\n\t* no disk: sda\n\n",
    "timeout: no answer",
    "Config diff:\n\nNo changes.",
    "cannot reach [fd00::1]:50000, [10.0.0.1:2379 10.0.0.2:2379]",
    "cannot connect\nto 10.0.0.1:50000\nat https://10.0.0.1:6443: no",
    'service "etcd" is not running: waiting for volume',
    "etcdserver: mvcc: database space exceeded",
    "error: EOF",
    'failed to pull: "unauthorized: authentication required"',
    "",
  ]
) {
  Deno.test(`${JSON.stringify(text)} quotes nothing`, () =>
    assert.equal(withoutQuotes(text), text));
}

const logged: readonly (readonly [line: string, shown: string])[] = [
  [
    '{"token":"abc","apiKey":1234,"count":5}',
    '{"token":"(redacted, 3 characters)","apiKey":"(redacted, 4 characters)","count":5}',
  ],
  [
    "kern: info: passphrase=hunter --token abc, ok",
    "kern: info: passphrase=(redacted, 6 characters) --token (redacted, 3 characters), ok",
  ],
  [
    "  passphrase: correct horse battery",
    "  passphrase: (redacted, 21 characters)",
  ],
  ["Authorization: Bearer abc.def", "Authorization: (redacted, 14 characters)"],
  [
    'said "password=\\"a b\\"", "x"',
    'said "password=\\"(redacted, 3 characters)\\"", "x"',
  ],
];

for (const [line, shown] of logged) {
  Deno.test(`of ${JSON.stringify(line)} no secret stays`, () => {
    assert.equal(withoutSecrets(line), shown);
    assert.equal(withoutSecrets(shown), shown);
  });
}

for (
  const line of [
    'Failed to watch *v1.Secret: failed to list *v1.Secret: Get "https://a"',
    'secret="kube-system/bootstrap" not found, tokens=5 auth=none',
    "renewed the token: all is well",
    "authentication: webhook",
    '{"secret":{"name":"a"},"token":null}',
  ]
) {
  Deno.test(`${JSON.stringify(line)} says no secret`, () =>
    assert.equal(withoutSecrets(line), line));
}

Deno.test("a long text of a node takes time by its length only", () => {
  const parts = ["token", 'token:"a ', "--token ", "token: x\n", '"a: `b: '];
  for (const part of parts) {
    const text = part.repeat(20_000) + " ".repeat(100_000);
    assert.ok(withoutQuotes(text).length > 0);
  }
});
