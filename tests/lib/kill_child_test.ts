import assert from "node:assert/strict";
import { killChild } from "../../lib/kill_child.ts";
import { needs, posix } from "../_needs.ts";

Deno.test(
  "killChild: a process that runs is killed, one that has exited is left",
  needs(posix),
  async () => {
    const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
    killChild(child, "SIGKILL");
    assert.equal((await child.status).signal, "SIGKILL");
    killChild(child, "SIGKILL");
  },
);
