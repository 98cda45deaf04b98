import assert from "node:assert/strict";
import { parse } from "yaml";
import { exists } from "../../lib/files/exists.ts";
import { platforms } from "../../tools/platforms.ts";
import { parseRequest } from "../../tools/build.ts";
import { withFolder } from "../_folder.ts";
import { needs } from "../_needs.ts";

function outputs(...args: readonly string[]): readonly string[] {
  return parseRequest(args, "/dist/").map(({ output }) => output);
}

Deno.test("build makes dist/osctl for this machine when nothing is said", () => {
  const [one, ...others] = parseRequest([], "/dist/");
  assert.deepEqual(others, []);
  assert.equal(one?.platform.target, Deno.build.target);
  assert.equal(one?.form, "any");
  assert.match(one?.output ?? "", /^\/dist\/osctl(\.exe)?$/);
});

Deno.test("build names files after the platforms that were requested", () => {
  assert.deepEqual(
    outputs("--target", "linux-arm64", "--target=x86_64-pc-windows-msvc"),
    ["/dist/osctl-linux-arm64", "/dist/osctl-windows-amd64.exe"],
  );
  assert.deepEqual(outputs("--output", "/x/y"), ["/x/y"]);
});

Deno.test("build refuses a form it does not know", () => {
  assert.throws(() => parseRequest(["--form=zip"], "/dist/"), {
    message: 'Unknown form "zip": known are any, compile, portable',
  });
});

interface Workflow {
  readonly jobs: Readonly<
    Record<string, {
      readonly needs?: string;
      readonly permissions?: Readonly<Record<string, string>>;
      readonly strategy?: {
        readonly matrix: Readonly<
          Record<string, readonly Record<string, string>[]>
        >;
      };
      readonly steps: readonly {
        readonly uses?: string;
        readonly run?: string;
        readonly with?: Readonly<Record<string, string>>;
        readonly "working-directory"?: string;
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

Deno.test("the release attests the provenance of all checksums, with no rights but those it needs", () => {
  const { check, build, publish } = release.jobs;
  const attest = publish?.steps.find(({ uses }) =>
    uses?.startsWith("actions/attest-build-provenance@")
  );
  assert.deepEqual(attest?.with, { "subject-checksums": "dist/SHA256SUMS" });
  assert.deepEqual(publish?.permissions, {
    contents: "write",
    "id-token": "write",
    attestations: "write",
  });
  assert.deepEqual([check?.permissions, build?.permissions], [
    undefined,
    undefined,
  ]);
});

const packaging = new URL("../../tools/packaging/package.ts", import.meta.url);

/** Programs that only GitHub's machines have. */
const stubs = {
  "bin/sudo": "#!/bin/sh\n",
  "bin/cosign": "#!/bin/sh\n: > SHA256SUMS.sigstore.json\n",
  "bin/npm": "#!/bin/sh\n",
  // tests/tools/packaging builds real ones.
  "bin/deno": `#!/bin/sh
shift 2
[ "$1" != deb ] || exec touch dist/osctl_1.2.3_amd64.deb dist/osctl_1.2.3_arm64.deb
exec ${Deno.execPath()} run -A ${packaging} "$@"
`,
  "bin/git": "#!/bin/sh\necho 1795779258\n",
  "bin/gh": '#!/bin/sh\nprintf "%s\\n" "$@" > published\n',
};

/** Runs the scripts that publish, in their order, until one fails; gives the script that did. */
async function publishAll(folder: string): Promise<string | undefined> {
  const env = {
    PATH: `${folder}/bin:${Deno.env.get("PATH")}`,
    RUNNER_TEMP: `${folder}/temp`,
    PROVENANCE: `${folder}/temp/bundle.json`,
    KEY: (await Deno.readTextFile(`${folder}/temp/key`)).trimEnd(),
    PASSWORD: "",
    PUBLIC_KEY:
      (await Deno.readTextFile(`${folder}/temp/own.pub`)).split("\n")[1] ?? "",
    REPOSITORY: "a/b",
    TAG: "v1.2.3",
  };
  for (const step of release.jobs.publish?.steps ?? []) {
    const { run, "working-directory": cwd = "." } = step;
    if (run === undefined) continue;
    const { code } = await new Deno.Command("bash", {
      args: ["-e", "-c", run],
      cwd: `${folder}/${cwd}`,
      env,
      stdout: "null",
      stderr: "null",
    }).output();
    if (code !== 0) return run;
  }
  return undefined;
}

function works(command: string, ...args: readonly string[]): boolean {
  try {
    return new Deno.Command(command, { args: [...args], stdout: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

for (
  const [what, spoil, failing] of [
    ["what both machines made, signed", () => {}, undefined],
    [
      "nothing when the machines made different files",
      (folder: string) =>
        Deno.writeTextFile(`${folder}/again/osctl-linux-arm64`, "x"),
      /^diff /,
    ],
    ["nothing when a platform is missing", async (folder: string) => {
      await Deno.remove(`${folder}/dist/osctl-darwin-arm64`);
      await Deno.remove(`${folder}/again/osctl-darwin-arm64`);
    }, /-eq 5/],
    [
      "nothing that was signed with another key",
      (folder: string) =>
        Deno.copyFile(`${folder}/temp/other.pub`, `${folder}/temp/own.pub`),
      /minisign -S/,
    ],
  ] as const
) {
  Deno.test({
    name: `the release publishes ${what}`,
    ...needs("minisign", "bash"),
    async fn() {
      const built = platforms.flatMap(({ name }) => [
        `osctl-${name}${name.startsWith("windows") ? ".exe" : ""}`,
        `osctl-${name}.cdx.json`,
      ]).sort();
      const files = ["dist", "again"].flatMap((round) =>
        built.map((name) => [`${round}/${name}`, name] as const)
      );
      await withFolder({
        ...stubs,
        ...Object.fromEntries(files),
        "temp/bundle.json": "{}",
      }, async (folder) => {
        for (const name of Object.keys(stubs)) {
          await Deno.chmod(`${folder}/${name}`, 0o755);
        }
        for (const key of ["own", "other"]) {
          const [secret, own] = [`${folder}/temp/key`, `${folder}/temp/${key}`];
          const args = ["-G", "-W", "-p", `${own}.pub`, "-s"];
          assert.ok(works("minisign", ...args, key === "other" ? own : secret));
        }
        await spoil(folder);
        const failed = await publishAll(folder);
        if (failing !== undefined) {
          assert.match(failed ?? "", failing);
          assert.equal(await exists(`${folder}/published`), false);
          return;
        }
        assert.equal(failed, undefined);
        const names = [
          ...built,
          ...["amd64", "arm64"].map((one) => `osctl_1.2.3_${one}.deb`),
          "install.sh",
          "osctl.rb",
          "SHA256SUMS",
          "SHA256SUMS.minisig",
          "SHA256SUMS.sigstore.json",
          "provenance.sigstore.json",
        ];
        const [, , tag, ...given] =
          (await Deno.readTextFile(`${folder}/published`)).trim().split("\n");
        assert.equal(tag, "v1.2.3");
        assert.deepEqual(
          given.filter((one) => !one.startsWith("--")).toSorted(),
          names.map((name) => `dist/${name}`).toSorted(),
        );
        // The secret key does not stay.
        assert.equal(await exists(`${folder}/temp/minisign.key`), false);
        // As SECURITY.md says it.
        const sums = `${folder}/dist/SHA256SUMS`;
        const script = await Deno.readTextFile(`${folder}/dist/install.sh`);
        const [, key = ""] = /^key=(.*)$/m.exec(script) ?? [];
        assert.ok(works("minisign", "-V", "-P", key, "-m", sums));
        assert.ok(
          works("sh", "-c", `cd '${folder}/dist' && sha256sum -c SHA256SUMS`),
        );
      });
    },
  });
}
