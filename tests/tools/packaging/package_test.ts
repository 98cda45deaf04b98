import assert from "node:assert/strict";
import { writePackages } from "../../../tools/packaging/package.ts";
import { withFolder } from "../../_folder.ts";
import { needs } from "../../_needs.ts";

/** Packs archives; on a busy machine that takes long. */
export const longestSeconds = 120;

const executables = {
  "osctl-darwin-amd64": "mac\n",
  "osctl-darwin-arm64": "mac on arm\n",
  "osctl-linux-amd64": "#!/bin/sh\necho linux\n",
  "osctl-linux-arm64": "#!/bin/sh\necho arm\n",
  "osctl-windows-amd64.exe": "windows\n",
};

async function run(command: string, ...args: readonly string[]) {
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
  }).output();
  const decoder = new TextDecoder();
  assert.ok(success, `${command} ${args.join(" ")}: ${decoder.decode(stderr)}`);
  return decoder.decode(stdout);
}

Deno.test({
  name:
    "the Debian packages are reproducible, and install program, manual pages and completions",
  ...needs("dpkg-deb"),
  async fn() {
    await withFolder(executables, async (folder) => {
      const build = async () => {
        await writePackages(["deb", folder, "--tag", "v1.2.3-rc.1"]);
        const path = `${folder}/osctl_1.2.3~rc.1_amd64.deb`;
        return [path, await Deno.readFile(path)] as const;
      };
      const [path, first] = await build();
      const [, second] = await build();
      assert.deepEqual(first, second);
      assert.match(
        await run("dpkg-deb", "--field", path.replace("amd64", "arm64")),
        /^Package: osctl\nVersion: 1\.2\.3~rc\.1\nArchitecture: arm64\n[^]*^Depends: libc6 \(>= 2\.31\)$/m,
      );
      const root = `${folder}/root`;
      await Deno.mkdir(`${root}/var/lib/dpkg/updates`, { recursive: true });
      await Deno.mkdir(`${root}/var/lib/dpkg/info`);
      for (const name of ["status", "available"]) {
        await Deno.writeTextFile(`${root}/var/lib/dpkg/${name}`, "");
      }
      const force = ["--force-not-root", "--force-depends", "--force-bad-path"];
      await run("dpkg", `--root=${root}`, ...force, "--install", path);
      assert.equal(await run(`${root}/usr/bin/osctl`), "linux\n");
      const listed = await run(
        "dpkg",
        `--root=${root}`,
        "--listfiles",
        "osctl",
      );
      const files = new Set(listed.split("\n"));
      for (
        const name of [
          "bin/osctl",
          "share/bash-completion/completions/osctl",
          "share/doc/osctl/changelog.gz",
          "share/doc/osctl/copyright",
          "share/fish/vendor_completions.d/osctl.fish",
          "share/man/man1/osctl-reboot.1.gz",
          "share/man/man1/osctl.1.gz",
          "share/zsh/vendor-completions/_osctl",
        ]
      ) assert.ok(files.has(`/usr/${name}`), name);
      const completion = `${root}/usr/share/bash-completion/completions/osctl`;
      assert.match(await Deno.readTextFile(completion), /^complete .*osctl$/m);
      const owners = await run("dpkg-deb", "--contents", path);
      for (const line of owners.trim().split("\n")) {
        assert.match(line, /^(d|-rw)(rwx|x|-)r-[x-]r-[x-] root\/root /);
      }
    });
  },
});

Deno.test("the Homebrew formula has the checksum of each executable", async () => {
  await withFolder(executables, async (folder) => {
    const release = ["--tag", "v1.2.3", "--repository", "a/b"];
    await writePackages(["formula", folder, ...release]);
    const text = await Deno.readTextFile(`${folder}/osctl.rb`);
    assert.match(
      text,
      /^class Osctl < Formula\n[^]*\n {2}version "1\.2\.3"\n[^]*\nend\n$/,
    );
    const sources = [...text.matchAll(/^ {6}url "(.*)"\n {6}sha256 "(.*)"$/gm)];
    const sums = (await run("sh", "-c", `cd '${folder}' && sha256sum osctl-*`))
      .trim().split("\n").map((line) => line.split("  "));
    assert.deepEqual(
      sources.map(([, url, hash]) => [hash, url]).toSorted(),
      sums.filter(([, name]) => !name?.endsWith(".exe")).map(([hash, name]) => [
        hash,
        `https://github.com/a/b/releases/download/v1.2.3/${name}`,
      ]).toSorted(),
    );
  });
});

Deno.test("packages are refused without an executable, a key or a kind that exists", async () => {
  await withFolder({}, async (folder) => {
    for (
      const [args, message] of [
        [["formula", folder], /osctl-\w+-\w+/],
        [
          ["install-script", folder, "--key", "RWx"],
          /^Not a public key of minisign: "RWx"$/,
        ],
        [
          ["rpm", folder],
          /^Unknown kind "rpm": known are deb, formula, image, install-script$/,
        ],
      ] as const
    ) {
      await assert.rejects(() => writePackages(args), { message });
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  });
});

Deno.test("a package without a kind or an executable is refused with what is missing", async () => {
  await withFolder({ "osctl-linux-amd64": "x\n" }, async (folder) => {
    await assert.rejects(writePackages([]), {
      message:
        "Give the kind of package: deb, formula, image or install-script",
    });
    await assert.rejects(writePackages(["rpm"]), {
      message:
        'Unknown kind "rpm": known are deb, formula, image, install-script',
    });
    await assert.rejects(writePackages(["deb", `${folder}/none`]), {
      message:
        `No executable in ${folder}/none: expected osctl-linux-amd64 or osctl-linux-arm64`,
      hint: "Build one with: deno task build --target linux-amd64",
    });
    await assert.rejects(writePackages(["formula", folder]), {
      message: "No executable for darwin-arm64",
      hint: "Build it with: deno task build --target darwin-arm64",
    });
  });
});
