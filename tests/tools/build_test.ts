import assert from "node:assert/strict";
import { requested } from "../../tools/build.ts";

function outputs(...args: readonly string[]): readonly string[] {
  return requested(args, "/dist/").map(({ output }) => output);
}

Deno.test("build makes dist/osctl for this machine when nothing is said", () => {
  const [one, ...others] = requested([], "/dist/");
  assert.deepEqual(others, []);
  assert.equal(one?.platform.target, Deno.build.target);
  assert.equal(one?.form, "any");
  assert.match(one?.output ?? "", /^\/dist\/osctl(\.exe)?$/);
});

Deno.test("build names files after the platforms that were asked for", () => {
  assert.deepEqual(
    outputs("--target", "linux-arm64", "--target=x86_64-pc-windows-msvc"),
    ["/dist/osctl-linux-arm64", "/dist/osctl-windows-amd64.exe"],
  );
  assert.deepEqual(outputs("--output", "/x/y"), ["/x/y"]);
});

Deno.test("build refuses a form it does not know", () => {
  assert.throws(() => requested(["--form=zip"], "/dist/"), {
    message: 'Unknown form "zip": known are any, compile, portable',
  });
});
