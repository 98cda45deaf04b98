import assert from "node:assert/strict";
import { parse } from "yaml";
import { platforms } from "../../tools/platforms.ts";
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

/** What is read of a workflow. */
interface Workflow {
  readonly jobs: Readonly<
    Record<string, {
      readonly needs?: string;
      readonly strategy?: {
        readonly matrix: Readonly<
          Record<string, readonly Record<string, string>[]>
        >;
      };
      readonly steps: readonly {
        readonly uses?: string;
        readonly run?: string;
      }[];
    }>
  >;
}

const release: Workflow = parse(
  await Deno.readTextFile(
    new URL("../../.github/workflows/release.yml", import.meta.url),
  ),
);

Deno.test("the release pins every action by commit", () => {
  const used = Object.values(release.jobs).flatMap(({ steps }) =>
    steps.flatMap(({ uses }) => uses ?? [])
  );
  assert.ok(used.length >= 5);
  for (const action of used) assert.match(action, /^[\w/-]+@[0-9a-f]{40}$/);
});

Deno.test("the release builds for every platform, twice, and publishes nothing that differs", () => {
  const { build, publish } = release.jobs;
  const { round, build: builds } = build?.strategy?.matrix ?? {};
  assert.deepEqual(
    builds?.map(({ platform }) => platform),
    platforms.map(({ name }) => name),
  );
  assert.equal(new Set(round?.map(({ folder }) => folder)).size, 2);
  assert.equal(publish?.needs, "build");
  const runs = publish?.steps.flatMap(({ run }) => run ?? []) ?? [];
  assert.equal(runs[0], "diff --recursive --brief dist again");
  for (const signature of [/cosign sign-blob .*SHA256SUMS/, /minisign -S /]) {
    assert.ok(runs.some((run) => signature.test(run)), String(signature));
  }
});
