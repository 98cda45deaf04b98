import assert from "node:assert/strict";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { parseProxy, proxyFor } from "../../../transport/connect/proxy.ts";

const urls = [
  ["http://proxy", { kind: "http", at: "proxy:80" }],
  ["proxy:3128", { kind: "http", at: "proxy:3128" }],
  ["https://proxy", { kind: "https", at: "proxy:443" }],
  ["socks5://10.0.0.1", { kind: "socks5", at: "10.0.0.1:1080" }],
  ["socks5h://[fd00::1]:9050", { kind: "socks5", at: "[fd00::1]:9050" }],
  ["SOCKS5://proxy:1/", { kind: "socks5", at: "proxy:1" }],
] as const;

for (const [url, { kind, at }] of urls) {
  Deno.test(`parseProxy reads ${url}`, () => {
    const proxy = parseProxy(url);
    assert.equal(proxy.kind, kind);
    assert.equal(proxy.endpoint.text, at);
    assert.equal(proxy.auth, undefined);
  });
}

Deno.test("parseProxy decodes the credentials", () => {
  assert.deepEqual(parseProxy("http://me:p%40%3A@proxy").auth, {
    username: "me",
    password: "p@:",
  });
});

const wrongUrls = [
  ["ftp://proxy", 'Cannot use proxy "ftp://proxy"'],
  ["http://", 'Cannot use proxy "http://"'],
  ["http://proxy:99999", 'Cannot use proxy "http://proxy:99999"'],
  ["socks4://me:secret@proxy", 'Cannot use proxy "socks4://***@proxy"'],
  ["http://me:%zz@proxy", 'Cannot use proxy "http://***@proxy"'],
  ["me:secret@proxy:x", 'Cannot use proxy "***@proxy:x"'],
] as const;

for (const [url, message] of wrongUrls) {
  Deno.test(`parseProxy refuses ${url} and shows no password`, () => {
    assert.throws(() => parseProxy(url), { name: "ConfigError", message });
  });
}

function choose(
  endpoint: string,
  env: Readonly<Record<string, string>>,
  proxyUrl?: string,
): string | undefined {
  return proxyFor(parseEndpoint(endpoint), {
    env: (name) => env[name],
    proxyUrl,
  })?.endpoint.text;
}

Deno.test("proxyFor uses none when none is named", () => {
  assert.equal(choose("node1", {}), undefined);
  assert.equal(choose("node1", { HTTPS_PROXY: "" }), undefined);
  assert.equal(choose("node1", { HTTP_PROXY: "http://proxy" }), undefined);
});

Deno.test("the proxy of the context comes before that of the environment", () => {
  const env = { HTTPS_PROXY: "http://upper", NO_PROXY: "*" };
  assert.equal(choose("node1", env, "socks5://own"), "own:1080");
  assert.equal(choose("127.0.0.1", {}, "http://own:8080"), "own:8080");
  const named = { HTTPS_PROXY: "http://upper" };
  assert.equal(choose("node1", named, "direct"), undefined);
  assert.equal(choose("node1", named, ""), "upper:80");
});

Deno.test("proxyFor looks at the upper-case name first", () => {
  const env = { HTTPS_PROXY: "http://upper", https_proxy: "http://lower" };
  assert.equal(choose("node1", env), "upper:80");
  assert.equal(choose("node1", { https_proxy: "http://lower" }), "lower:80");
});

for (const endpoint of ["127.0.0.1", "127.1.2.3", "localhost", "::1"]) {
  Deno.test(`proxyFor reaches ${endpoint} directly`, () => {
    assert.equal(choose(endpoint, { HTTPS_PROXY: "http://proxy" }), undefined);
  });
}

const direct = [
  ["node1", "*"],
  ["node1", "other, node1"],
  ["node1", "NODE1"],
  ["node1.example.org", "example.org"],
  ["node1.example.org", ".example.org"],
  ["node1.example.org", "*.example.org"],
  ["example.org", "example.org"],
  ["node1:6443", "node1:6443"],
  ["10.0.0.1", "10.0.0.1"],
  ["10.0.0.1", "10.0.0.1:50000"],
  ["10.200.3.4", "192.168.0.0/16,10.0.0.0/8"],
  ["10.0.0.129", "10.0.0.128/25"],
  ["10.0.0.1", "0.0.0.0/0"],
  ["fd00::1", "fd00:0::1"],
  ["[fd00::1]:6443", "[fd00::1]:6443"],
  ["fd00:1::5", "fd00::/16"],
  ["fd00:1::5", "fd00:1::4/127"],
] as const;

for (const [endpoint, exceptions] of direct) {
  Deno.test(`proxyFor reaches ${endpoint} directly with NO_PROXY=${exceptions}`, () => {
    const env = { HTTPS_PROXY: "http://proxy", NO_PROXY: exceptions };
    assert.equal(choose(endpoint, env), undefined);
  });
}

const proxied = [
  ["node1", ""],
  ["node1", "node"],
  ["node10", "node1"],
  ["badexample.org", "example.org"],
  ["example.org", ".example.org"],
  ["example.org", "*.example.org"],
  ["node1", "node1:6443"],
  ["10.0.0.1", "10.0.0.2"],
  ["10.0.0.1", "10."],
  ["10.0.0.127", "10.0.0.128/25"],
  ["10.0.0.1", "10.0.0.0/x"],
  ["10.0.0.1", "fd00::/8"],
  ["node1", "10.0.0.0/8"],
  ["fd00:1::6", "fd00:1::4/127"],
  ["::ffff:10.0.0.1", "10.0.0.0/8"],
] as const;

for (const [endpoint, exceptions] of proxied) {
  Deno.test(`proxyFor reaches ${endpoint} through the proxy with NO_PROXY=${exceptions}`, () => {
    const env = { HTTPS_PROXY: "http://proxy", NO_PROXY: exceptions };
    assert.equal(choose(endpoint, env), "proxy:80");
  });
}

Deno.test("proxyFor reads the lower-case exceptions", () => {
  const env = { HTTPS_PROXY: "http://proxy", no_proxy: "node1" };
  assert.equal(choose("node1", env), undefined);
});
