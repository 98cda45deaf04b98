import assert from "node:assert/strict";
import { selfCommand } from "../../provisioners/own_command.ts";

Deno.test("selfCommand runs a compiled executable as it is", () => {
  const running = {
    standalone: true,
    execPath: "/opt/osctl",
    source: "file:///tmp/deno-compile-osctl/chunk-A.js",
  };
  assert.deepEqual(selfCommand(["a", "", "--b"], running), {
    command: "/opt/osctl",
    args: ["a", "", "--b"],
    env: {},
  });
});

Deno.test("selfCommand runs the unpacked bundle with the launcher's flags", () => {
  const running = {
    standalone: false,
    execPath: "/home/a b/.cache/osctl/1f/deno",
    // Through a handle that other processes do not have.
    source: "file:///proc/self/fd/9/osctl/1f/chunk-A.js",
  };
  assert.deepEqual(selfCommand(["x"], running), {
    command: "/home/a b/.cache/osctl/1f/deno",
    args: [
      "run",
      "--v8-flags=--min-semi-space-size=2,--max-semi-space-size=2,--heap-growing-percent=30,--no-lazy",
      "--allow-all",
      "--quiet",
      "--no-config",
      "--no-lock",
      "--no-remote",
      "--no-npm",
      "--unstable-worker-options",
      "--no-prompt",
      "--node-modules-dir=none",
      "/home/a b/.cache/osctl/1f/mod.js",
      "x",
    ],
    env: {
      DENO_DIR: "/home/a b/.cache/osctl/1f/cache",
      DENO_NO_UPDATE_CHECK: "1",
      NODE_OPTIONS: "",
    },
  });
});

Deno.test("selfCommand of a checkout starts it from any folder", async () => {
  const { command, args, env } = selfCommand(["version", "--client"]);
  const { code, stdout } = await new Deno.Command(command, {
    args,
    env,
    cwd: "/",
    stderr: "inherit",
  }).output();
  assert.equal(code, 0);
  assert.match(new TextDecoder().decode(stdout), /^Client:\n\tTag: +v/);
});
