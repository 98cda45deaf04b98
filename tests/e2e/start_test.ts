import assert from "node:assert/strict";
import {
  refusedVariables,
  removedVariables,
} from "../../provisioners/own_command.ts";
import {
  clientIdentity,
  newCa,
  serverPair,
  toCaPem,
} from "../transport/_certificates.ts";
import { renderOsconfig } from "../../config/osconfig/osconfig_file.ts";
import {
  executable,
  namespaces,
  type Need,
  needs,
  posix,
  type Program,
  tracing,
} from "../_needs.ts";
import {
  asNobody,
  isRoot,
  osctl,
  portable,
  run,
  start,
  withFolder,
  withSilence,
} from "./_osctl.ts";

/**
 * No network, and a `/tmp` of its own, since without a home that is where it unpacks; the
 * executable may be below `/tmp` itself.
 */
const alone = [
  "unshare",
  "--net",
  "--mount",
  ...(isRoot ? [] : ["--map-root-user"]),
  "sh",
  "-c",
  'mount -t tmpfs none /mnt && cp "$1" /mnt/run && mount -t tmpfs none /tmp && shift && exec env -i /mnt/run "$@"',
  "sh",
];

/** Unpacked once for the tests that do not look at that. */
let warm = "";

Deno.test.beforeAll(async () => {
  warm = await Deno.makeTempDir();
});
Deno.test.afterAll(async () => {
  await Deno.remove(warm, { recursive: true });
});

function test(
  name: string,
  wanted: readonly (Need | Program)[],
  body: () => Promise<void>,
) {
  Deno.test({
    name: `executable ${name}`,
    ...needs(executable, ...wanted),
    fn: body,
  });
}

function env(): Readonly<Record<string, string>> {
  return { XDG_CACHE_HOME: warm, TMPDIR: warm };
}

test(
  "runs with an empty environment, without a network",
  [isRoot ? namespaces.network : namespaces.unprivileged],
  async () => {
    const { out, err, code } = await run(["version", "--client", "--short"], {
      wrapper: alone,
    });
    assert.equal(err, "");
    assert.match(out, /^Client:\nosctl v\d+\.\d+\.\d+\S*\n$/);
    assert.equal(code, 0);
  },
);

test("runs as a user without a home", [posix], async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/temp`);
    await Deno.chmod(`${folder}/temp`, 0o1777);
    const { out, err, code } = await run(["version", "--client", "--short"], {
      wrapper: asNobody,
      env: { HOME: "/nonexistent", TMPDIR: `${folder}/temp` },
    });
    assert.equal(err, "");
    assert.match(out, /^Client:\nosctl v/);
    assert.equal(code, 0);
  });
});

test("runs from a home that cannot be written", [posix], async () => {
  await withFolder(async (folder) => {
    const [home, temp] = [`${folder}/home`, `${folder}/temp`];
    await Deno.mkdir(home);
    await Deno.mkdir(temp);
    await Deno.chmod(temp, 0o1777);
    if (isRoot) await Deno.chown(home, 65534, 65534);
    await Deno.chmod(home, 0o555);
    for (let i = 0; i < 2; i++) {
      const { err, code } = await run(["--help"], {
        wrapper: asNobody,
        env: { HOME: home, TMPDIR: temp },
      });
      assert.equal(err, "");
      assert.equal(code, 0);
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(home)), []);
  });
});

test("gets its arguments as they are", [], async () => {
  for (const odd of ["", "a  b\tc", "line\nline", "*", "$HOME`id`", "'\"\\"]) {
    const { err, code } = await run([odd], { env: env() });
    assert.ok(err.startsWith(`error: Unknown command "${odd}"\n`), err);
    assert.equal(code, 2);
  }
});

test(
  "runs through a link and from a folder with an odd name",
  [posix],
  async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/my #1 %20 osctl`;
      await Deno.symlink(osctl, path);
      const cache = `${folder}/cache #1 %20`;
      const { out, err } = await run(["version", "--client", "--short"], {
        path,
        env: { XDG_CACHE_HOME: cache, TMPDIR: folder },
      });
      assert.equal(err, "");
      assert.match(out, /^Client:\nosctl v/);
    });
  },
);

test("leaves the runtime folder of the user alone", [], async () => {
  await withFolder(async (folder) => {
    const settings = {
      DENO_DIR: `${folder}/deno`,
      ...(portable ? { DENO_V8_FLAGS: "--no-such-flag" } : {}),
      ...(portable ? { NODE_OPTIONS: "--require /no/such/file.js" } : {}),
    };
    const { out, err, code } = await run(["--help"], {
      env: { ...env(), ...settings },
    });
    assert.equal(err, "");
    assert.ok(out.startsWith("osctl manages Kubernetes nodes"));
    assert.equal(code, 0);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  });
});

test("ends quietly when its reader is gone", [posix], async () => {
  const child = start(["--help"], { env: env() });
  await child.stdout.cancel();
  const { stderr, code } = await child.output();
  assert.equal(new TextDecoder().decode(stderr), "");
  assert.equal(code, 0);
});

for (const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  test(`ends with ${status} on ${signal}`, [posix], async () => {
    await withSilence(async (address, visited) => {
      const child = start(["version", "--insecure", "--nodes", address], {
        env: env(),
      });
      await visited;
      child.kill(signal);
      const { stderr, code } = await child.output();
      assert.equal(new TextDecoder().decode(stderr), "");
      assert.equal(code, status);
    });
  });
}

test(
  "connects to nothing but the node",
  ["script", "strace", tracing],
  async () => {
    await withFolder(async (folder) => {
      await withSilence(async (address, visited) => {
        const log = `${folder}/log`;
        // On a terminal, since that is where the runtime would look for updates.
        const line =
          `strace -f -e trace=%network -o '${log}' '${osctl}' version --insecure --nodes ${address} --node-timeout 2s`;
        const child = start(["-qec", line, "/dev/null"], {
          path: "script",
          env: { ...env(), PATH: Deno.env.get("PATH") ?? "" },
        });
        await visited;
        const { code } = await child.output();
        assert.equal(code, 1);
        const text = await Deno.readTextFile(log);
        const peers = text.matchAll(/sin6?_port=htons\((\d+)\), ?(\S+)/g);
        const [, port = ""] = address.split(":");
        const others = [...peers].map(([match]) => match).filter((match) =>
          !match.includes(`htons(${port})`) || !match.includes("127.0.0.1")
        );
        assert.ok(text.includes(`htons(${port})`));
        assert.deepEqual(others, []);
      });
    });
  },
);

test(
  "sends and writes nothing, whatever its runtime is told to",
  [],
  async () => {
    const collector = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    let connections = 0;
    const counted = (async () => {
      for await (const connection of collector) {
        connections++;
        connection.close();
      }
    })();
    const { crt: cert, key } = await serverPair(await newCa());
    const node = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key });
    const answered = (async () => {
      for await (const connection of node) {
        await connection.handshake().catch(() => {});
        connection.close();
      }
    })();
    await withFolder(async (folder) => {
      // An executable made by "deno compile" refuses what it cannot remove in time.
      const removed = removedVariables.filter((name) =>
        portable || !refusedVariables.includes(name)
      );
      const { port } = collector.addr;
      // The node is on loopback, which no proxy is for.
      const proxies = Object.fromEntries(
        proxyVariables.map((name) => [name, `http://127.0.0.1:${port}`]),
      );
      const address = `127.0.0.1:${node.addr.port}`;
      const words = ["doctor", "connect", "--insecure", "-n", address];
      const { HOME = "", DENO_DIR = "" } = Deno.env.toObject();
      const sources = await run(["run", "-A", main, ...words], {
        path: Deno.execPath(),
        env: {
          ...{ HOME, ...DENO_DIR && { DENO_DIR }, ...proxies },
          // Deno asks for its newest version in runs of over half a second.
          DENO_NO_UPDATE_CHECK: "1",
        },
      });
      assert.match(sources.out + sources.err, /127\.0\.0\.1/);
      const { err } = await run(
        words,
        {
          env: {
            ...env(),
            HOME: folder,
            ...Object.fromEntries(
              removed.map((name) => [name, `${folder}/${name}`]),
            ),
            OTEL_DENO: "true",
            OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
            ...proxies,
            NPM_CONFIG_REGISTRY: `http://127.0.0.1:${port}`,
            JSR_URL: `http://127.0.0.1:${port}`,
            DENO_KV_ACCESS_TOKEN: "secret",
            NODE_REPL_HISTORY: `${folder}/NODE_REPL_HISTORY`,
            ...portable && { DENO_V8_FLAGS: `--logfile=${folder}/V8 --prof` },
            NODE_DEBUG: "tls,net",
            DENO_LOG: "debug",
            RUST_LOG: "debug",
          },
        },
      );
      assert.doesNotMatch(err, /DEBUG|TLS \d|NET \d/);
      const left = await Array.fromAsync(Deno.readDir(folder));
      const names = left.map(({ name }) => name);
      assert.deepEqual(names.filter(isVariable), []);
      assert.deepEqual(names.filter((name) => /^V8|HISTORY/.test(name)), []);
    });
    collector.close();
    node.close();
    await Promise.all([counted, answered]);
    assert.equal(connections, 0);
  },
);

test(
  "trusts only the CA of its context, whatever its runtime is told to",
  [],
  async () => {
    const [own, other] = [await newCa(), await newCa()];
    const { crt: cert, key } = await serverPair(other);
    const node = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key });
    const answered = (async () => {
      for await (const connection of node) {
        await connection.handshake().catch(() => {});
        connection.close();
      }
    })();
    try {
      await withFolder(async (folder) => {
        const { ca, crt, key } = await clientIdentity(own);
        const base64 = (pem = "") => new TextEncoder().encode(pem).toBase64();
        const endpoint = `127.0.0.1:${node.addr.port}`;
        const context = {
          endpoints: [endpoint],
          nodes: [],
          ca: base64(ca),
          crt: base64(crt),
          key: base64(key),
        };
        await Deno.writeTextFile(
          `${folder}/osconfig`,
          await renderOsconfig({
            current: "a",
            contexts: new Map([["a", context]]),
          }),
        );
        await Deno.writeTextFile(`${folder}/other.pem`, toCaPem(other));
        const trust = {
          DENO_CERT: `${folder}/other.pem`,
          DENO_TLS_CA_STORE: "system",
          NODE_EXTRA_CA_CERTS: `${folder}/other.pem`,
          NODE_TLS_REJECT_UNAUTHORIZED: "0",
          NODE_USE_SYSTEM_CA: "1",
          SSL_CERT_FILE: `${folder}/other.pem`,
          NODE_OPTIONS: "--use-openssl-ca",
        };
        const words = ["version", "-n", "127.0.0.1", "--node-timeout", "3s"];
        const ends = await Promise.all(
          [{}, trust].map((more) =>
            run(words, {
              env: { ...env(), OSCONFIG: `${folder}/osconfig`, ...more },
            })
          ),
        );
        for (const { err, code } of ends) {
          assert.match(err, /^error: .*(?:CA|certificate)/m);
          assert.notEqual(code, 0);
        }
        assert.equal(ends[0]?.err, ends[1]?.err);
      });
    } finally {
      node.close();
      await answered;
    }
  },
);

const main = new URL("../../mod.ts", import.meta.url).pathname;

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
  .flatMap((name) => [name, name.toLowerCase()]);

function isVariable(name: string): boolean {
  return removedVariables.some((one) => name.startsWith(one));
}
