import assert from "node:assert/strict";
import { canonicalUrl, url } from "../../../../config/documents/scalars/url.ts";
import {
  assertKept,
  assertReadings,
  assertRefused,
  reading,
} from "../_parse_cases.ts";

Deno.test("most URLs are written as they were read", () => {
  assertKept(url, ["", "https://10.0.0.1:6443", "tcp://10.0.0.1:514/"]);
  assertKept(url, [
    "udp://[fd00::1]:514",
    "https://h/a/b?c=d&e#f",
    "file:///x",
  ]);
  assertKept(url, [
    "http://h/%2f%41",
    "http://h/!$&'()*+,;=:@[b]",
    "http://h:",
  ]);
  assertKept(url, ["http://u:p@h/", "http://u:@h", "http://@h"]);
  assertKept(url, ["a", "a/b", "/a", "//h/p", "///a", "*", "mailto:a@b?c"]);
  assertKept(url, ["a?", "a??", "?", "#a", "a?b c", "grpc://h?token=x y"]);
  assertKept(url, ["http://[fe80::1%25en0]:80/", "http://[::FFFF:1.2.3.4]/"]);
  assertKept(url, ["tcp://h:80,i:81", "http://<x>/", 'http://a"b']);
});

Deno.test("URLs are spelled in one way", () => {
  assertReadings(url, [
    ["HTTPS://Example.COM/Path", '"https://Example.COM/Path"'],
    ["http://h/a b", '"http://h/a%20b"'],
    ["http://h/a^b|c", '"http://h/a%5Eb%7Cc"'],
    ["http://h/é%2f(", '"http://h/%C3%A9/%28"'],
    ["http://é/?é#é", '"http://%C3%A9/?é#%C3%A9"'],
    ["http://%c3%a9/", '"http://%C3%A9/"'],
    ["http://u%41:p!@h", '"http://uA:p%21@h"'],
    ["http://a@b@c", '"http://a%40b@c"'],
    ["http://h#a b", '"http://h#a%20b"'],
    ["http://h#", '"http://h"'],
    ["http://", '"http:"'],
    ["http:////a", '"http:////a"'],
    ["a%3Ab c", '"./a:b%20c"'],
    ["//", '""'],
    ["5", '"5"'],
  ]);
});

Deno.test("URLs: refuses those that nodes cannot parse", () => {
  assertRefused(url, ["http://a b/", "http://a/%zz", "a#%zz", "http://%41/"]);
  assertRefused(url, [":a", "1a:b", "a_b:c", "://h"]);
  assertRefused(url, ["http://h:x", "http://[::1", "http://[::1]x"]);
  assertRefused(url, [
    "http://[1.2.3.4]",
    "http://[fe80::1%en0]/",
    "http://u b@h",
  ]);
  assertRefused(url, ["http://a\x01", "http://h\\", "http://u@[x"]);
  assert.equal(canonicalUrl("http://h/\x7f"), undefined);
});

Deno.test("a refused URL is not repeated, for it may hold a password", () => {
  assert.equal(
    reading(url, "https://u:hunter2@h/%zz"),
    "fault: This is not a URL",
  );
});
