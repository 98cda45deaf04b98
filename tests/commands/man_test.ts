import assert from "node:assert/strict";
import { run } from "../_run.ts";

Deno.test("man prints the page of a command, with all that help says", async () => {
  const { out, status } = await run("man memory");
  assert.match(out, /^\.TH OSCTL-MEMORY 1 "" "osctl v[\d.]+"\n/);
  assert.match(
    out,
    /\n\.SH NAME\nosctl\\-memory \\- Show memory usage\n\.SH SYNOPSIS\nosctl memory \[flags\]\n/,
  );
  assert.match(out, /\n\.TP\n\.B \\-o, \\-\\-output string\noutput format: /);
  assert.equal(status, 0);
  assert.equal((await run("man free")).out, out);
});

Deno.test("man prints the page of a group with its commands, or of osctl", async () => {
  const group = await run("man etcd");
  assert.match(group.out, /\n\.SH osctl etcd members\n/);
  const { out } = await run("man");
  assert.match(out, /\n\.TP\n\.BR osctl\\-etcd \(1\)\nManage etcd\n/);
  assert.match(out, /\n\.SH EXIT STATUS\n\.TP\n\.B 0\n/);
});

Deno.test("man refuses what has no page, and suggests the nearest", async () => {
  const { err, status } = await run("man memori");
  assert.match(
    err,
    /^error: There is no manual page "memori"\nhint: Did you mean "memory"\?\n/,
  );
  assert.equal(status, 2);
});
