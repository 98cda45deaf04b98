import assert from "node:assert/strict";
import { parseEndpoint } from "../../../config/generate/machine_options.ts";
import { ConfigError } from "../../../errors.ts";

for (
  const text of [
    "https://10.0.0.1:6443",
    "https://[fd00::1]:6443",
    "https://Cluster.Example.com",
    "https://h:6443/path?x=1",
  ]
) {
  Deno.test(`${text} is an endpoint and comes back unchanged`, () => {
    assert.equal(parseEndpoint(text), text);
  });
}

const anywhere = "Give it as https://10.0.0.1:6443";

const wrong: readonly (readonly [text: string, fault: string, hint: string])[] =
  [
    ["10.0.0.1", "it has no scheme", 'Try "https://10.0.0.1:6443"'],
    ["h:7443", "it has no scheme", 'Try "https://h:7443"'],
    ["[fd00::1]", "it has no scheme", 'Try "https://[fd00::1]:6443"'],
    ["fd00::1", "it has no scheme", 'Try "https://[fd00::1]:6443"'],
    ["https:/h", "it has no scheme", 'Try "https://h:6443"'],
    ["", "it has no scheme", anywhere],
    ["http://h:6443", "its scheme is http, not https", 'Try "https://h:6443"'],
    ["ftp://h/p", "its scheme is ftp, not https", 'Try "https://h:6443/p"'],
    ["https://", "it has no host", anywhere],
    [
      "https://h:0",
      "its port is not between 1 and 65535",
      'Try "https://h:6443"',
    ],
    [
      "https://h:65536",
      "its port is not between 1 and 65535",
      'Try "https://h:6443"',
    ],
    ["https://h:x", "it is not a URL", 'Try "https://h:6443"'],
    ["https://fd00::1:6443", "it is not a URL", 'Try "https://[fd00::1]:6443"'],
    ["https://a b", "it is not a URL", anywhere],
  ];

for (const [text, fault, hint] of wrong) {
  Deno.test(`"${text}" is not an endpoint: ${fault}`, () => {
    assert.throws(() => parseEndpoint(text), (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual([error.message, error.hint], [
        `Cannot use cluster endpoint "${text}": ${fault}`,
        hint,
      ]);
      return true;
    });
  });
}
