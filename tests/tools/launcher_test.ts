import assert from "node:assert/strict";
import {
  file,
  linux,
  type Need,
  needs,
  posix,
  type Program,
  root,
} from "../_needs.ts";
import { tree, unpack, whole, withPortable } from "./_portable.ts";

function test(
  name: string,
  body: () => Promise<void>,
  need: Need | Program = posix,
) {
  Deno.test({ name: `launcher ${name}`, ...needs(need), fn: body });
}

for (const shell of ["/bin/sh", "/bin/bash", "/bin/busybox sh"]) {
  const [program = ""] = shell.split(" ");
  const installed = {
    "/bin/sh": posix,
    "/bin/bash": file("bash", program, "bash"),
    "/bin/busybox": file("busybox", program, "busybox"),
  }[program];

  test(`hands arguments and input on as they are (${shell})`, async () => {
    await withPortable(async ({ start, folder }) => {
      const odd = ["a  b", "", "line\nline", "*", `'"\\$HOME`, "--", "-x", "é"];
      for (const attempt of ["first", "later"]) {
        const { out, err, code } = await start({
          shell,
          args: odd,
          input: attempt,
        });
        const at = await unpack(`${folder}/home/.cache`);
        const [, args] = out.split(`[${at}/mod.js]`);
        assert.equal(err, "");
        assert.equal(code, 7);
        assert.ok(
          args?.startsWith(
            `[a  b][][line\nline][*]['"\\$HOME][--][-x][é]\nDENO_DIR=`,
          ),
        );
        assert.ok(out.endsWith(attempt));
      }
    });
  }, installed);

  test(
    `keeps the user's runtime settings from the runtime (${shell})`,
    async () => {
      await withPortable(async ({ start, folder }) => {
        const env = {
          HOME: `${folder}/home`,
          DENO_DIR: "/mine with 'quotes'",
          NODE_OPTIONS: "--require=x\ny",
          DENO_JOBS: "stays",
          OTEL_DENO: "true",
          SSLKEYLOGFILE: "/tmp/keys",
          NODE_TLS_REJECT_UNAUTHORIZED: "0",
        };
        const { out } = await start({ shell, env });
        const at = await unpack(`${folder}/home/.cache`);
        assert.ok(out.includes(
          `\nDENO_DIR=${at}/cache\nDENO_JOBS=stays\nDENO_NO_UPDATE_CHECK=1\n` +
            `OSCTL_KEPT_DENO_DIR=/mine with 'quotes'\nOSCTL_KEPT_NODE_OPTIONS=--require=x\n`,
        ));
        assert.doesNotMatch(out, /OTEL_|SSLKEYLOG|NODE_TLS/);
      });
    },
    installed,
  );
}

test(
  "stays in the folder that was checked, whatever takes its place",
  async () => {
    await withPortable(async ({ start, folder }) => {
      const home = `${folder}/home`;
      await start({ args: ["first"] });
      const { out, code } = await start({ args: ["--move"] });
      assert.ok(out.startsWith("// the program\n[run]"), out);
      assert.equal(code, 7);
      assert.deepEqual(await tree(home), []);
    });
  },
  linux,
);

test("leaves handles of its caller open, and none of its own when it has no numbers left", async () => {
  await withPortable(async ({ start, path, folder }) => {
    await start();
    const at = await unpack(`${folder}/home/.cache`);
    const numbers = [3, 4, 5, 6, 7, 8, 9];
    for (const taken of [[9], numbers]) {
      const opened = taken.map((number) => `${number}<"$0"`).join(" ");
      const { stdout } = await new Deno.Command("/bin/sh", {
        args: ["-c", `exec ${opened} && exec "$0" a`, path],
        env: { HOME: `${folder}/home` },
      }).output();
      const out = new TextDecoder().decode(stdout);
      assert.ok(out.includes(`[${at}/mod.js][a]\n`), out);
    }
  });
});

test("starts what only computes without threads of the engine, with a cache of its own", async () => {
  await withPortable(async ({ start, folder }) => {
    const quick = [
      ["validate", "a.yaml"],
      ["machineconfig", "patch"],
      ["--help"],
      ["version", "--client"],
    ];
    const others = [["machineconfig", "gen"], ["version"], [], ["a", "--help"]];
    for (const [i, args] of [...quick, ...others].entries()) {
      const { out } = await start({ args });
      const at = await unpack(`${folder}/home/.cache`);
      const isQuick = i < quick.length;
      const cache = isQuick ? "cache-quick" : "cache";
      assert.ok(out.includes(`\nDENO_DIR=${at}/${cache}\n`), args.join(" "));
      assert.equal(out.includes(",--single-threaded,"), isQuick);
    }
  });
});

test("becomes the program, so that signals and statuses are its own", async () => {
  await withPortable(async ({ start }) => {
    await start();
    const { out, pid } = await start();
    assert.ok(out.includes(`\nprocess ${pid}\n`));
  });
});

test("unpacks once, for the user alone", async () => {
  await withPortable(async ({ start, path, folder }) => {
    await start();
    const at = await unpack(`${folder}/home/.cache`);
    assert.deepEqual(await tree(at), whole);
    assert.equal((await Deno.stat(at)).mode! & 0o777, 0o700);
    const script = (await Deno.stat(path)).size - 100;
    await Deno.truncate(path, script);
    assert.equal((await start()).code, 7);
  });
});

test("prefers XDG_CACHE_HOME when it is absolute, and makes it", async () => {
  await withPortable(async ({ start, folder }) => {
    const HOME = `${folder}/home`;
    const XDG_CACHE_HOME = `${folder}/xdg/a b`;
    assert.equal((await start({ env: { HOME, XDG_CACHE_HOME } })).code, 7);
    assert.deepEqual(await tree(await unpack(XDG_CACHE_HOME)), whole);
    assert.deepEqual(await tree(HOME), []);
    await start({ env: { HOME, XDG_CACHE_HOME: "relative" } });
    assert.deepEqual(await tree(await unpack(`${HOME}/.cache`)), whole);
  });
});

test("falls back to a temporary folder and finds it again", async () => {
  await withPortable(async ({ start, path, folder }) => {
    for (const HOME of [`${folder}/missing`, "", "home"]) {
      const env = { HOME, TMPDIR: `${folder}/temp` };
      assert.equal((await start({ env })).code, 7);
    }
    const at = await unpack(`${folder}/temp`);
    assert.deepEqual(await tree(at), whole);
    assert.equal((await Deno.stat(at)).mode! & 0o777, 0o700);
    await Deno.truncate(path, (await Deno.stat(path)).size - 100);
    assert.equal((await start({ env: { TMPDIR: `${folder}/temp` } })).code, 7);
  });
});

test("leaves the cache of another user alone", async () => {
  await withPortable(async ({ start, folder }) => {
    await Deno.chown(`${folder}/home`, 12345, 12345);
    assert.equal((await start()).code, 7);
    assert.deepEqual(await tree(`${folder}/home`), []);
    assert.deepEqual(await tree(await unpack(`${folder}/temp`)), whole);
  });
}, root);

test("does not run what another user put into a temporary folder", async () => {
  await withPortable(async ({ start, folder }) => {
    const env = { TMPDIR: `${folder}/temp` };
    await start({ env });
    const first = await unpack(`${folder}/temp`);
    const deno = `${first}/deno`;
    await Deno.writeTextFile(deno, "#!/bin/sh\necho hijacked\n");
    await Deno.chown(first, 12345, 12345);
    const { out, code } = await start({ env });
    assert.equal(code, 7);
    assert.ok(!out.includes("hijacked"));
    const [own] = (await tree(`${folder}/temp`))
      .filter((path) => /^osctl-\w+-0\.\w+\/$/.test(path));
    assert.ok(own);
    assert.ok((await start({ env })).out.includes(`/temp/${own}mod.js]`));
  });
}, root);

test("does not follow a link in a temporary folder", async () => {
  await withPortable(async ({ start, folder }) => {
    const env = { TMPDIR: `${folder}/temp` };
    await start({ env });
    const at = await unpack(`${folder}/temp`);
    await Deno.rename(at, `${folder}/elsewhere`);
    await Deno.writeTextFile(
      `${folder}/elsewhere/deno`,
      "#!/bin/sh\necho hijacked\n",
    );
    await Deno.symlink(`${folder}/elsewhere`, at);
    const { out } = await start({ env });
    assert.ok(!out.includes("hijacked"));
  });
});

test("does not trust a temporary folder where others can rename", async () => {
  await withPortable(async ({ start, folder }) => {
    await Deno.chown(`${folder}/temp`, 12345, 12345);
    await Deno.chmod(`${folder}/temp`, 0o777);
    const { code } = await start({ env: { TMPDIR: `${folder}/temp` } });
    assert.equal(code, 7);
    assert.deepEqual(await tree(`${folder}/temp`), []);
  });
}, root);

test("unpacks again what another build has marked, and checks what it unpacked", async () => {
  await withPortable(async ({ start, path, folder }) => {
    await start();
    const at = await unpack(`${folder}/home/.cache`);
    const mark = await Deno.readTextFile(`${at}/.whole`);
    assert.match(mark, /^[0-9a-f]{64}\n$/);
    await Deno.writeTextFile(`${at}/.whole`, `${"0".repeat(64)}\n`);
    await Deno.writeTextFile(`${at}/mod.js`, "// another program\n");
    await start();
    assert.equal(await Deno.readTextFile(`${at}/.whole`), mark);
    assert.equal(await Deno.readTextFile(`${at}/mod.js`), "// the program\n");
    await Deno.remove(at, { recursive: true });
    const bytes = await Deno.readFile(path);
    const text = new TextDecoder("latin1").decode(bytes);
    const digest = mark.trim();
    for (
      let i = text.indexOf(digest);
      i >= 0;
      i = text.indexOf(digest, i + 1)
    ) {
      new TextEncoder().encodeInto("f".repeat(64), bytes.subarray(i));
    }
    await Deno.writeFile(path, bytes);
    const { err, code } = await start();
    assert.match(
      err,
      new RegExp(`: What was unpacked is not what was built: ${digest}`),
    );
    assert.equal(code, 1);
    assert.deepEqual(
      (await tree(`${folder}/home`)).filter((name) => !name.endsWith("/")),
      [],
    );
  });
});

test("removes other versions that no process runs", async () => {
  await withPortable(async ({ start, folder }) => {
    const cache = `${folder}/home/.cache/osctl`;
    const [idle, used] = ["0123456789abcdef", "fedcba9876543210"];
    for (const name of [idle, used, "mine", ".keep"]) {
      await Deno.mkdir(`${cache}/${name}`, { recursive: true });
      await Deno.writeTextFile(`${cache}/${name}/.whole`, "x\n");
    }
    // One that is not whole may be on its way.
    await Deno.mkdir(`${cache}/00000000000000ff`);
    const runtime = `${cache}/${used}/deno`;
    await Deno.copyFile(await Deno.realPath("/bin/sleep"), runtime);
    const child = new Deno.Command(runtime, { args: ["60"] }).spawn();
    const others = async () =>
      (await Array.fromAsync(Deno.readDir(cache), ({ name }) => name))
        .filter((name) => name !== own).sort();
    await start();
    const all = await Array.fromAsync(Deno.readDir(cache), ({ name }) => name);
    const known = [".keep", "00000000000000ff", used, "mine"];
    const own = all.find((name) => !known.includes(name)) ?? "";
    try {
      assert.deepEqual(await others(), known.toSorted());
    } finally {
      child.kill();
      await child.status;
    }
    // Later starts only start.
    await start();
    assert.deepEqual(await others(), known.toSorted());
    await Deno.remove(`${cache}/${own}`, { recursive: true });
    await start();
    assert.deepEqual(await others(), [".keep", "00000000000000ff", "mine"]);
  });
}, linux);

test("mends a damaged folder", async () => {
  await withPortable(async ({ start, folder }) => {
    await start();
    const at = await unpack(`${folder}/home/.cache`);
    const damages: readonly (() => Promise<void>)[] = [
      () => Deno.remove(`${at}/.whole`),
      () => Deno.remove(`${at}/mod.js`),
      () => Deno.truncate(`${at}/deno`, 0),
      () => Deno.chmod(`${at}/deno`, 0o600),
      async () => {
        await Deno.remove(`${at}/deno`);
        await Deno.mkdir(`${at}/deno/deno`, { recursive: true });
      },
    ];
    for (const damage of damages) {
      await damage();
      const { code, err } = await start();
      assert.equal(err, "");
      assert.equal(code, 7);
      assert.deepEqual(await tree(at), whole);
    }
  });
});

test("serves ten who start at once, and clears up after the dead", async () => {
  await withPortable(async ({ start, folder }) => {
    await start();
    const at = await unpack(`${folder}/home/.cache`);
    await Deno.remove(at, { recursive: true });
    await Deno.mkdir(`${at}/.new.999999999.AbCdEf`, { recursive: true });
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) => start({ args: [`${i}`] })),
    );
    for (const [i, { out, err, code }] of all.entries()) {
      assert.equal(err, "");
      assert.equal(code, 7);
      assert.ok(out.includes(`/mod.js][${i}]\n`));
    }
    assert.deepEqual(await tree(at), whole);
  });
});

test("says where it could not unpack, and why", async () => {
  await withPortable(async ({ start, path, folder }) => {
    await Deno.truncate(path, (await Deno.stat(path)).size - 100);
    const { err, code, out } = await start();
    assert.equal(out, "");
    assert.equal(code, 1);
    assert.match(
      err,
      /^error: Cannot unpack osctl: No folder takes it:\n {2}\S+\/home\/\.cache\/osctl\/\w+: [^/]*unexpected end of file\n/,
    );
    assert.match(
      err,
      /\nhint: Set XDG_CACHE_HOME to a folder of yours with 1 MB free from which programs may be run\n$/,
    );
    const left = [
      ...await tree(`${folder}/home`),
      ...await tree(`${folder}/temp`),
    ];
    assert.deepEqual(left.filter((name) => !name.endsWith("/")), []);
    assert.deepEqual(left.filter((name) => name.includes("new.")), []);
  });
});

test("names the program it lacks", async () => {
  await withPortable(async ({ start, path, folder }) => {
    const bytes = await Deno.readFile(path);
    const script = new TextDecoder().decode(bytes.subarray(0, 8_000));
    // As long as what it replaces, since the script says how long it is.
    const at = script.indexOf("/usr/bin:/bin");
    new TextEncoder().encodeInto("/nowhere/here", bytes.subarray(at));
    await Deno.writeFile(path, bytes);
    const env = { HOME: `${folder}/home`, PATH: "/nowhere" };
    const { err, code } = await start({ env });
    assert.equal(code, 1);
    assert.equal(
      err,
      'error: Cannot unpack osctl: "gzip" is not there\n' +
        "hint: Install it in /usr/bin or /bin\n",
    );
  });
});

test("does nothing when standard output is closed", () =>
  withPortable(async ({ start, folder }) => {
    const script = `${folder}/closed.sh`;
    await Deno.writeTextFile(script, 'exec "$@" >&-\n');
    const shell = `/bin/sh ${script} /bin/sh`;
    const { out, err, code } = await start({ shell });
    assert.deepEqual([out, code], ["", 1]);
    assert.equal(
      err,
      "error: Standard output is closed; nothing was done\nhint: To discard the output: >/dev/null\n",
    );
  }));
