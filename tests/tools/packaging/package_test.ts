import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { writeImageContext } from "../../../tools/packaging/image.ts";
import { writePackages } from "../../../tools/packaging/package.ts";
import { makeStamp } from "../../../tools/stamp.ts";
import { withFolder } from "../../_folder.ts";
import { file, needs } from "../../_needs.ts";
import { tree, whole, withPortable } from "../_portable.ts";

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
        const written = await writePackages(
          ["deb", folder, "--tag", "v1.2.3-rc.1"],
        );
        const path = `${folder}/osctl_1.2.3~rc.1_amd64.deb`;
        assert.deepEqual(written, [path, path.replace("amd64", "arm64")]);
        return [path, await Deno.readFile(path)] as const;
      };
      const [path, first] = await build();
      const [, second] = await build();
      assert.deepEqual(first, second);
      assert.match(
        await run("dpkg-deb", "--field", path.replace("amd64", "arm64")),
        /^Package: osctl\nVersion: 1\.2\.3~rc\.1\nArchitecture: arm64\n[^]*^Depends: libc6 \(>= 2\.31\)$/m,
      );
      const fields = await run("dpkg-deb", "--field", path);
      for (
        const line of [
          /^Maintainer: .+ <[^ <>]+@[^ <>]+>$/m,
          /^Homepage: https:\/\/github\.com\/osctl\/osctl$/m,
          /^Vcs-Git: https:\/\/github\.com\/osctl\/osctl\.git$/m,
          /^Description: .*Talos Linux$/m,
        ]
      ) assert.match(fields, line);
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
    assert.deepEqual(
      await writePackages(["formula", folder, ...release]),
      [`${folder}/osctl.rb`],
    );
    const text = await Deno.readTextFile(`${folder}/osctl.rb`);
    assert.match(
      text,
      /^class Osctl < Formula\n {2}desc ".* Talos Linux"\n[^]*\n {2}version "1\.2\.3"\n[^]*\nend\n$/,
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
          ["install-script", folder],
          /^The public key of minisign is missing: give --key FILE$/,
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
      message:
        `Missing in ${folder}: osctl-linux-arm64 and osctl-darwin-amd64 and osctl-darwin-arm64`,
      hint:
        "Build with: deno task build --target linux-arm64 --target darwin-amd64 --target darwin-arm64",
    });
  });
});

const release = { "osctl-linux-amd64": "#!/bin/sh\necho linux\n" };

Deno.test({
  name: "a Debian package is made of a build without a target as well",
  ...needs("dpkg-deb"),
  async fn() {
    await withFolder({ osctl: "#!/bin/sh\necho here\n" }, async (folder) => {
      const architecture = Deno.build.arch === "x86_64" ? "amd64" : "arm64";
      const path = `${folder}/osctl_1.2.3_${architecture}.deb`;
      const args = ["deb", folder, "--tag", "v1.2.3"];
      assert.deepEqual(await writePackages(args), [path]);
      await run("dpkg-deb", "--extract", path, `${folder}/root`);
      assert.equal(await run(`${folder}/root/usr/bin/osctl`), "here\n");
      // A formula names files of the release, and this is none.
      await assert.rejects(writePackages(["formula", folder]), {
        message: /^Missing in /,
      });
    });
  },
});

Deno.test({
  name:
    "a Debian package of a checkout has the version of its executable, older than the release",
  ...needs("dpkg-deb"),
  async fn() {
    await withFolder(release, async (folder) => {
      const { tag } = await makeStamp({
        version: "1.2.3",
        git: () => Promise.resolve(undefined),
        epoch: undefined,
        now: new Date(0),
      });
      const [path] = await writePackages(
        ["deb", folder],
        () => Promise.resolve(tag),
      );
      assert.equal(path, `${folder}/osctl_1.2.3~dev_amd64.deb`);
      await run("dpkg", "--compare-versions", "1.2.3~dev", "lt", "1.2.3");
    });
  },
});

Deno.test({
  name:
    "the context of the image has the program unpacked, also if it is in /tmp already",
  ...needs("busybox", file("true", "/bin/true", "coreutils")),
  async fn() {
    await withPortable(async ({ folder, path, start }) => {
      // Without a home, it unpacks where the launcher looks first.
      const TMPDIR = Deno.env.get("TMPDIR") ?? "/tmp";
      const { code } = await start({ env: { HOME: "/dev/null", TMPDIR } });
      assert.equal(code, 0);
      await writeImageContext(path, `${folder}/image`, {
        tag: "v1.2.3",
        repository: "one/two",
      });
      const dockerfile = await Deno.readTextFile(`${folder}/image/Dockerfile`);
      assert.ok(dockerfile.startsWith(`FROM scratch
LABEL org.opencontainers.image.title="osctl" \\
  org.opencontainers.image.version="1.2.3" \\
  org.opencontainers.image.source="https://github.com/one/two" \\
  org.opencontainers.image.licenses="Apache-2.0"
COPY root/ /
`));
      const cache = await tree(`${folder}/image/home/.cache/osctl`);
      const [home = "", ...files] = cache;
      assert.match(home, /^[0-9a-f]{16}\/$/);
      assert.deepEqual(files, whole.map((name) => home + name));
    }, "/bin/true");
  },
});

Deno.test("the install script takes the key, or a file of minisign", async () => {
  const key = `RW${"A".repeat(54)}`;
  const file = `untrusted comment: minisign public key 0\n${key}\n`;
  await withFolder({ "minisign.pub": file }, async (folder) => {
    for (const given of [key, `${folder}/minisign.pub`]) {
      const args = [
        "install-script",
        folder,
        "--tag",
        "v1.2.3",
        "--key",
        given,
      ];
      assert.deepEqual(await writePackages(args), [`${folder}/install.sh`]);
      const text = await Deno.readTextFile(`${folder}/install.sh`);
      assert.ok(text.includes(key));
      assert.ok(!text.includes("untrusted"));
    }
  });
});

Deno.test("package --help explains kinds and flags, and a run prints the files, one per line", async () => {
  const tool = fileURLToPath(
    new URL("../../../tools/packaging/package.ts", import.meta.url),
  );
  const help = await run(Deno.execPath(), "run", "-A", tool, "--help");
  for (
    const line of [
      /^Usage: deno task package KIND \[FOLDER\] \[flags\]$/m,
      /^ {2}deb +\S/m,
      /^ {2}formula .*\n.*deno task build --target darwin-amd64 --target darwin-arm64/m,
      /^ {2}image +\S/m,
      /^ {2}install-script +\S/m,
      /^ {2}--tag TAG +\S/m,
      /^ {2}--repository OWNER\/NAME +\S/m,
      /^ {2}--key FILE +\S/m,
    ]
  ) assert.match(help, line);
  assert.ok(help.split("\n").every((line) => line.length <= 80), help);
  await withFolder(executables, async (folder) => {
    assert.equal(
      await run(Deno.execPath(), "run", "-A", tool, "formula", folder),
      `${folder}/osctl.rb\n`,
    );
  });
});
