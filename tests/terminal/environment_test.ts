import assert from "node:assert/strict";
import { realEnvironment } from "../../terminal/environment.ts";
import { linux, needs, posix } from "../_needs.ts";

Deno.test("realEnvironment is that of the process", () => {
  const environment = realEnvironment();
  assert.equal(environment.os, Deno.build.os);
  assert.equal(environment.env("PATH"), Deno.env.get("PATH"));
  assert.ok(Math.abs(environment.now().getTime() - Date.now()) < 60_000);
  assert.equal(environment.stdin.terminal, Deno.stdin.isTerminal());
});

Deno.test("realEnvironment writes whole texts to both streams and reads standard input", async () => {
  const script = `
    import { realEnvironment } from ${
    JSON.stringify(
      new URL("../../terminal/environment.ts", import.meta.url).href,
    )
  };
    const environment = realEnvironment();
    const text = await new Response(environment.stdin.readable).text();
    await environment.stdout.write(new TextEncoder().encode(text.repeat(100000)));
    await environment.stderr.write(new TextEncoder().encode(String(environment.stdout.columns())));
  `;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode("abc"));
  await input.close();
  const { stdout, stderr } = await child.output();
  assert.equal(stdout.length, 300_000);
  assert.equal(new TextDecoder().decode(stderr), "undefined");
});

Deno.test("a command whose output takes no more fails, and says why", {
  ...needs(linux),
}, async () => {
  const program = new URL("../../mod.ts", import.meta.url).pathname;
  for (
    const words of ["--help", "version --client", "version --client -o json"]
  ) {
    const line = `exec "$0" run --no-check -A "$1" ${words} >/dev/full`;
    const { code, stderr } = await new Deno.Command("sh", {
      args: ["-c", line, Deno.execPath(), program],
    }).output();
    assert.deepEqual({ code, err: new TextDecoder().decode(stderr) }, {
      code: 1,
      err:
        "error: Cannot write to standard output: no space left on the disk\n" +
        "hint: The output is incomplete\n",
    });
  }
});

Deno.test("a terminal of no columns is one that does not tell how wide it is", {
  ...needs(linux),
}, async () => {
  const program = new URL("../../mod.ts", import.meta.url).pathname;
  const line =
    `stty cols 0 rows 0; ${Deno.execPath()} run --no-check -A ${program} config contexts`;
  const home = await Deno.makeTempDir();
  try {
    const file = `${home}/config`;
    await Deno.writeTextFile(
      file,
      "context: one\ncontexts:\n  one: {endpoints: [10.0.0.2]}\n",
    );
    const { code, stdout } = await new Deno.Command("script", {
      args: ["-qec", line, "/dev/null"],
      env: { OSCONFIG: file, NO_COLOR: "1" },
    }).output();
    assert.equal(code, 0);
    assert.match(
      new TextDecoder().decode(stdout),
      /^CURRENT .*\r\n\* +one .*\r\n$/,
    );
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test({
  name: "much is written to a file at once, and to a pipe with room",
  ...needs(posix),
  async fn() {
    const environment = new URL(
      "../../terminal/environment.ts",
      import.meta.url,
    );
    const script = `
      import { realEnvironment } from "${environment}";
      const { stdout } = realEnvironment();
      let done = false;
      stdout.write(new Uint8Array(65_536)).then(() => done = true);
      // Synchronous work ends before any that waits.
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      Deno.stderr.writeSync(new TextEncoder().encode(done ? "at once" : "beside"));
      while (!done) await new Promise((resolve) => setTimeout(resolve, 1));
      Deno.exit(0);
    `;
    const folder = await Deno.makeTempDir();
    try {
      await Deno.writeTextFile(`${folder}/script.ts`, script);
      const run = [Deno.execPath(), "run", "-A", "--no-check", "--quiet"];
      for (
        const [where, how, size] of [
          [`> ${folder}/file`, "at once", 65_536],
          ["> /dev/null", "at once", 0],
          [
            `| cat > ${folder}/file`,
            Deno.build.os === "linux" ? "at once" : "beside",
            65_536,
          ],
        ] as const
      ) {
        const { stderr } = await new Deno.Command("sh", {
          args: ["-c", `"$@" ${where}`, "sh", ...run, `${folder}/script.ts`],
        }).output();
        // Parallel writes may end in either order.
        if (how === "at once") {
          assert.equal(new TextDecoder().decode(stderr), how, where);
        }
        const written = await Deno.stat(`${folder}/file`);
        if (size > 0) assert.equal(written.size, size, where);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

Deno.test("a full pipe does not stop the rest of the program", {
  ...needs(posix),
}, async () => {
  const environment = new URL("../../terminal/environment.ts", import.meta.url);
  const script = `
    import { realEnvironment } from "${environment}";
    const { stdout, stderr } = realEnvironment();
    const all = Array.from({ length: 40 }, () => new Uint8Array(65_536));
    const written = all.reduce(
      (before, block) => before.then(() => stdout.write(block)),
      Promise.resolve(),
    );
    await new Promise((resolve) => setTimeout(resolve, 0));
    await stderr.write(new TextEncoder().encode("alive"));
    await written;
  `;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // Nothing reads the pipe before.
  const reader = child.stderr.getReader();
  const { value } = await reader.read();
  assert.equal(new TextDecoder().decode(value), "alive");
  const { byteLength } = await new Response(child.stdout).arrayBuffer();
  assert.equal(byteLength, 40 * 65_536);
  await reader.cancel();
  assert.equal((await child.status).code, 0);
});

Deno.test("OSCTL_COLUMNS is the width of what is no terminal", async () => {
  const environment = new URL("../../terminal/environment.ts", import.meta.url);
  const script = `
    import { realEnvironment } from "${environment}";
    console.log(realEnvironment().stdout.columns());
  `;
  for (
    const [given, width] of [["80", "80"], ["", "undefined"], [
      "wide",
      "undefined",
    ], ["-1", "undefined"]] as const
  ) {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", script],
      env: { OSCTL_COLUMNS: given, NO_COLOR: "1" },
    }).output();
    assert.equal(new TextDecoder().decode(stdout).trim(), width, given);
  }
});
