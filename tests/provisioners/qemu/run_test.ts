import assert from "node:assert/strict";
import { isInstalled, run, tryRun } from "../../../provisioners/qemu/run.ts";

Deno.test("run gives the output of a program, and says why it failed", async () => {
  assert.equal(await run(["tr", "a", "b"], { input: "banana" }), "bbnbnb");
  assert.equal(
    await run(["sh", "-c", "echo $FRUIT"], { env: { FRUIT: "plum" } }),
    "plum",
  );
  await assert.rejects(run(["sh", "-c", "echo no room >&2; exit 3"]), {
    message: "Command failed: sh -c echo no room >&2; exit 3: no room",
  });
  await assert.rejects(run(["/missing/program"]), {
    message: 'Cannot run "/missing/program": it is not installed',
  });
  assert.deepEqual([await tryRun(["true"]), await tryRun(["false"])], [
    true,
    false,
  ]);
});

Deno.test("run ends a program that is interrupted", async () => {
  const { signal } = new AbortController();
  const late = AbortSignal.timeout(50);
  await assert.rejects(run(["sleep", "60"], { signal: late }), {
    name: "TimeoutError",
  });
  assert.equal(await run(["true"], { signal }), "");
});

Deno.test("isInstalled looks where programs are", async () => {
  assert.equal(await isInstalled("sh"), true);
  assert.equal(await isInstalled("no-such-program"), false);
});

Deno.test("programs for administrators are found by users without their folders in PATH", async () => {
  const module = new URL("../../../provisioners/qemu/run.ts", import.meta.url);
  const script = `
    import { isInstalled, programPath, run } from "${module}";
    console.log(programPath().PATH, await run(["sh", "-c", "echo $PATH"]));
    console.log(await isInstalled("sh"));
  `;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", script],
    env: { PATH: "/usr/bin:/bin", NO_COLOR: "1" },
  }).output();
  const path = "/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
  assert.equal(
    new TextDecoder().decode(stdout),
    `${path} ${path}\ntrue\n`,
    new TextDecoder().decode(stderr),
  );
});
