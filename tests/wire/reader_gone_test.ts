import assert from "node:assert/strict";
import { linux, needs } from "../_needs.ts";
import { withWire } from "../_wire.ts";

Deno.test("streams end when the reader of the pipe is gone, also while nothing happens", () =>
  withWire({}, async ({ osctl }) => {
    for (
      const line of [
        "events --tail -1",
        "dmesg -f",
        "logs -f kubelet",
        "get links -w",
        "service --watch",
        "memory -w",
        "pcap --exclude-node-api=false",
      ]
    ) {
      const { promise: readerGone, resolve } = Promise.withResolvers<void>();
      const { err, status } = await osctl(line, {
        readerGone,
        onWrite: () => resolve(),
      });
      assert.doesNotMatch(err, /error/, line);
      assert.equal(status, 0, line);
    }
  }));

Deno.test({
  name: "a quiet watch ends behind a reader that has left",
  ...needs(linux),
  fn: () =>
    withWire({}, async ({ osconfig }) => {
      const main = new URL("../../mod.ts", import.meta.url).pathname;
      const line =
        '{ "$0" run -A --no-check "$@"; echo "status $?" >&2; } | head -1';
      const { stdout, stderr } = await new Deno.Command("sh", {
        args: ["-c", line, Deno.execPath(), main, "get", "links", "-w"],
        env: { OSCONFIG: osconfig },
      }).output();
      const [head, rest] = new TextDecoder().decode(stdout).split("\n");
      assert.match(head ?? "", /^NODE +\* /);
      assert.equal(rest, "");
      assert.equal(new TextDecoder().decode(stderr), "status 0\n");
    }),
});
