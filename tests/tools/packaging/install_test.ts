/** The install script, in real shells, from a server on loopback, with real signatures. */

import assert from "node:assert/strict";
import { installScript } from "../../../tools/packaging/package.ts";
import { withFolder } from "../../_folder.ts";
import { needs } from "../../_needs.ts";

/** Many small programs, one after the other; on a busy machine that takes long. */
export const longestSeconds = 180;

const tag = "v1.2.3";
const program = "#!/bin/sh\necho fresh\n";
const machine = Deno.build.arch === "x86_64" ? "amd64" : "arm64";
const file = `osctl-${Deno.build.os}-${machine}`;

interface Installed {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  /** What is in the target directory. */
  readonly files: readonly string[];
}

/** A release on a server, and a directory with an earlier version. */
interface Trial {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  readonly sign: (comment?: string, key?: string) => void;
  /** Runs the script with more arguments. */
  readonly install: (
    shell: string,
    ...args: readonly string[]
  ) => Promise<Installed>;
}

function run(command: string, ...args: readonly string[]): string {
  const { success, stdout, stderr } = new Deno.Command(command, {
    args: [...args],
  }).outputSync();
  const decoder = new TextDecoder();
  assert.ok(success, decoder.decode(stderr));
  return decoder.decode(stdout);
}

async function withRelease(test: (trial: Trial) => Promise<void>) {
  await withFolder({
    [`dist/${file}`]: program,
    "to/osctl": "earlier\n",
    "bin/none": "",
  }, async (folder) => {
    await Deno.chmod(folder, 0o755);
    for (const key of ["own", "other"]) {
      const [pub, secret] = [`${folder}/${key}.pub`, `${folder}/${key}.key`];
      run("minisign", "-G", "-W", "-p", pub, "-s", secret);
    }
    const [, key = ""] = (await Deno.readTextFile(`${folder}/own.pub`))
      .split("\n");
    const sums = `${folder}/dist/SHA256SUMS`;
    const sign = (comment = `osctl ${tag}`, by = "own") => {
      run("sh", "-c", `cd '${folder}/dist' && sha256sum osctl-* > SHA256SUMS`);
      const secret = `${folder}/${by}.key`;
      run("minisign", "-S", "-s", secret, "-m", sums, "-t", comment);
    };
    sign();
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const path = `${folder}/dist${new URL(request.url).pathname}`;
        const bytes = await Deno.readFile(path).catch(() => undefined);
        return bytes === undefined
          ? new Response("no", { status: 404 })
          : new Response(bytes);
      },
    );
    const url = `http://127.0.0.1:${server.addr.port}`;
    const script = await installScript({ tag, repository: "a/b" }, key);
    await Deno.writeTextFile(`${folder}/install.sh`, script);
    const install = async (shell: string, ...args: readonly string[]) => {
      const [command = "", ...first] = shell.split(" ");
      const { code, stdout, stderr } = await new Deno.Command(command, {
        args: [
          ...first,
          `${folder}/install.sh`,
          ...["--from", url, "--to", `${folder}/to`, ...args],
        ],
        env: { no_proxy: "127.0.0.1" },
      }).output();
      const found = await Array.fromAsync(Deno.readDir(`${folder}/to`));
      const decoder = new TextDecoder();
      return {
        status: code,
        out: decoder.decode(stdout),
        err: decoder.decode(stderr),
        files: found.map(({ name }) => name),
      };
    };
    await test({ folder, url, key, sign, install });
  });
}

/** Without minisign on the path, OpenSSL verifies. */
async function hideMinisign(folder: string): Promise<string> {
  const tools =
    "curl openssl uname sed mktemp rm cut chmod mv dd tail cat sha256sum dash";
  for (const tool of tools.split(" ")) {
    const path = run("sh", "-c", `command -v ${tool}`).trim();
    await Deno.symlink(path, `${folder}/bin/${tool}`);
  }
  return `env PATH=${folder}/bin`;
}

const shells = ["dash", "bash", "busybox sh"] as const;

Deno.test({
  name: "install.sh installs a release whose signature and checksum are right",
  ...needs("minisign", "bash", "busybox", "dash", "openssl", "curl"),
  async fn() {
    await withRelease(async ({ folder, install }) => {
      const openssl = await hideMinisign(folder);
      for (const shell of [...shells, `${openssl} dash`]) {
        await Deno.writeTextFile(`${folder}/to/osctl`, "earlier\n");
        const { status, out, err, files } = await install(shell);
        assert.equal(
          out,
          `osctl ${tag} is installed as ${folder}/to/osctl\n`,
          `${shell}: ${err}`,
        );
        assert.deepEqual([status, files], [0, ["osctl"]]);
        assert.equal(err, `hint: Add ${folder}/to to PATH\n`);
        assert.equal(run(`${folder}/to/osctl`), "fresh\n");
      }
    });
  },
});

/** The signature is verified by two programs. */
const bothVerify = /signature/;

const broken: readonly (readonly [
  what: string,
  spoil: (trial: Trial) => unknown,
  error: RegExp,
])[] = [
  [
    "that another key signed",
    ({ sign }) => sign(undefined, "other"),
    /^error: The signature of http:\S+\/SHA256SUMS is wrong\nhint: Do not use/,
  ],
  [
    "whose checksums were changed",
    ({ folder }) =>
      Deno.writeTextFile(
        `${folder}/dist/SHA256SUMS`,
        `${"0".repeat(64)}  ${file}\n`,
      ),
    /^error: The signature of http:\S+\/SHA256SUMS is wrong\n/,
  ],
  [
    "whose trusted comment was changed",
    async ({ folder }) => {
      const path = `${folder}/dist/SHA256SUMS.minisig`;
      const text = await Deno.readTextFile(path);
      await Deno.writeTextFile(path, text.replace("v1.2.3", "v1.2.4"));
    },
    /^error: The signature of http:\S+\/SHA256SUMS is wrong\n/,
  ],
  [
    "whose executable was changed",
    ({ folder }) => Deno.writeTextFile(`${folder}/dist/${file}`, "bad\n"),
    /^error: The checksum of osctl-\S+ is [0-9a-f]{64} instead of [0-9a-f]{64}\nhint: Do not use/,
  ],
  [
    "of another version",
    ({ sign }) => sign("osctl v1.2.2"),
    /^error: http:\S+ has "osctl v1\.2\.2" instead of osctl v1\.2\.3\n/,
  ],
  [
    "without an executable",
    ({ folder }) => Deno.remove(`${folder}/dist/${file}`),
    /^error: Cannot download http:\S+\/osctl-\S+: .*404.*\nhint: Check the network/,
  ],
];

Deno.test({
  name: "install.sh installs nothing that is broken, and leaves nothing behind",
  ...needs("minisign", "bash", "busybox", "dash", "openssl", "curl"),
  async fn() {
    for (const [what, spoil, error] of broken) {
      await withRelease(async (trial) => {
        await spoil(trial);
        const shells = bothVerify.test(error.source)
          ? ["bash", `${await hideMinisign(trial.folder)} dash`]
          : ["dash"];
        for (const shell of shells) {
          const { status, out, err, files } = await trial.install(shell);
          assert.match(err, error, `${what}, ${shell}`);
          assert.deepEqual([status, out, files], [1, "", ["osctl"]]);
        }
        assert.equal(
          await Deno.readTextFile(`${trial.folder}/to/osctl`),
          "earlier\n",
        );
      });
    }
  },
});

Deno.test({
  name: "install.sh says what to do without a network, rights or arguments",
  ...needs("minisign", "bash", "curl", "dash", "setpriv"),
  async fn() {
    await withRelease(async ({ folder, install }) => {
      await Deno.mkdir(`${folder}/closed`, { mode: 0o555 });
      // Root may write everywhere.
      const user = Deno.uid() === 0
        ? "setpriv --reuid 65534 --clear-groups dash"
        : "dash";
      for (
        const [shell, args, error] of [
          [
            "dash",
            ["--from", "http://127.0.0.1:1"],
            /^error: Cannot download http:\/\/127\.0\.0\.1:1\/SHA256SUMS: curl: .*\nhint: Check the network/,
          ],
          [
            "bash",
            ["--to", `${folder}/to/osctl/bin`],
            /^error: Cannot create \S+\/to\/osctl\/bin\nhint: Run it as root/,
          ],
          [
            "dash",
            ["--to", `${folder}/new`, "--from", "http://127.0.0.1:1"],
            /^error: Cannot download /,
          ],
          [
            user,
            ["--to", `${folder}/closed`],
            /^error: Cannot write to \S+\/closed\nhint: Run it as root, or choose another directory: --to \$HOME\/\.local\/bin\n$/,
          ],
          ["dash", ["--force"], /^error: Unknown argument "--force"\n/],
          ["bash", ["--to"], /^error: No value for --to\n$/],
        ] as const
      ) {
        const { status, out, err } = await install(shell, ...args);
        assert.match(err, error);
        assert.deepEqual([status, out], [1, ""]);
      }
      await assert.rejects(Deno.stat(`${folder}/new`), Deno.errors.NotFound);
      const made = await install("busybox sh", "--to", `${folder}/new/bin`);
      assert.equal(
        made.out,
        `osctl ${tag} is installed as ${folder}/new/bin/osctl\n`,
      );
      assert.equal(run(`${folder}/new/bin/osctl`), "fresh\n");
      const { status, out } = await install("dash", "--help");
      assert.equal(status, 0);
      assert.match(
        out,
        /^Installs osctl v1\.2\.3: [^]*--from URL +where the files/,
      );
    });
  },
});
