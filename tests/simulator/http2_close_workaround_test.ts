import assert from "node:assert/strict";

Deno.test("a GOAWAY ends a session of either side, and nothing is read from what was freed", async () => {
  const script = new URL("_goaway.ts", import.meta.url).pathname;
  const { stdout, stderr, signal } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script],
    // The C library overwrites what is freed, so that whoever reads it on crashes each time.
    env: { MALLOC_PERTURB_: "165" },
  }).output();
  assert.equal(signal, null);
  assert.equal(
    new TextDecoder().decode(stdout),
    "server true true\nclient true true\n",
    new TextDecoder().decode(stderr),
  );
});
