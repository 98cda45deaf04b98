import type { KeyPair } from "../../../../simulator/state/identities.ts";
import assert from "node:assert/strict";
import { EtcdError } from "../../../../simulator/etcd/etcd_error.ts";
import { needs, openssl3 } from "../../../_needs.ts";
import { testReal } from "../_real.ts";
import { createCa } from "../../../../pki/ca.ts";
import {
  type CertificateFacts,
  inspectCertificate,
} from "../../../../pki/inspect.ts";
import { publicSpkiOf } from "../../../../pki/key.ts";
import { decodePemAs, encodePem, pemLabel } from "../../../../pki/pem.ts";
import { decodePrivateKey } from "../../../../pki/private_key.ts";
import {
  clientKeyPair,
  serverKeyPair,
} from "../../../../simulator/etcd/real/real_server.ts";
import { openssl } from "../../../pki/_openssl.ts";
import {
  type EtcdProcess,
  startProcess,
} from "../../../../simulator/etcd/real/etcd_process.ts";
import { restoreSnapshot } from "../../../../simulator/etcd/real/program.ts";

testReal(
  "a server runs until it is stopped, and keeps its data until they are wiped",
  async ({ server, start }) => {
    assert.deepEqual([server.isRunning(), await server.hasData()], [
      false,
      false,
    ]);
    await assert.rejects(server.client.status(), EtcdError);
    assert.equal(server.databaseFile(), undefined);
    const run = await start();
    assert.equal(server.isRunning(), true);
    const { memberId } = await server.client.status();
    await run.stop();
    assert.equal((await run.ended).isFinal, false);
    assert.deepEqual([server.isRunning(), await server.hasData()], [
      false,
      true,
    ]);
    assert.ok((server.databaseFile()?.length ?? 0) > 4096);
    const again = await start();
    assert.equal((await server.client.status()).memberId, memberId);
    await again.kill();
    await server.wipe();
    assert.equal(await server.hasData(), false);
  },
);

testReal(
  "a snapshot becomes the data of another cluster",
  async ({ server, start }) => {
    const run = await start();
    const parts = await Array.fromAsync(server.client.snapshot());
    const { leader } = await server.client.status();
    await run.stop();
    await server.wipe();
    await server.upload(ReadableStream.from(parts));
    await server.restore("restored", { skipHashCheck: false });
    assert.equal(await server.hasData(), true);
    await start();
    const [member] = await server.client.members();
    assert.notEqual(leader, 0n);
    assert.equal((await server.client.status()).leader, member!.id);
  },
);

const ca = await createCa({
  organizations: ["etcd"],
  algorithm: "ECDSA",
});

const node = { hostname: "lab-controlplane-1", addresses: ["10.5.0.2", "::1"] };

async function factsOf(
  { certificate, key }: KeyPair,
): Promise<CertificateFacts> {
  const [der] = decodePemAs(pemLabel.certificate, certificate);
  const facts = inspectCertificate(der);
  const spki = await publicSpkiOf(decodePrivateKey(key));
  assert.equal(facts.spki.toHex(), spki.toHex());
  assert.deepEqual(facts.issuer.organizations, ["etcd"]);
  assert.deepEqual([facts.isCa, facts.keyUsage], [
    false,
    ["digitalSignature", "keyEncipherment"],
  ]);
  return facts;
}

Deno.test("a server's certificate names its node, and it may talk to other members", async () => {
  const facts = await factsOf(await serverKeyPair(ca, node));
  assert.equal(facts.subject.commonName, "lab-controlplane-1");
  assert.deepEqual(facts.extendedKeyUsage, ["serverAuth", "clientAuth"]);
  assert.deepEqual(facts.subjectAltNames, {
    dns: ["lab-controlplane-1", "localhost"],
    ips: ["10.5.0.2", "::1", "127.0.0.1"],
  });
});

Deno.test("a client certificate is no server certificate", async () => {
  const facts = await factsOf(await clientKeyPair(ca, "root"));
  assert.equal(facts.subject.commonName, "root");
  assert.deepEqual(facts.extendedKeyUsage, ["clientAuth"]);
  assert.deepEqual(facts.subjectAltNames, { dns: [], ips: [] });
});

Deno.test("certificates hold for a year, and for clocks an hour behind", async () => {
  const before = Math.floor(Date.now() / 1000) * 1000;
  const facts = await factsOf(await clientKeyPair(ca, "root"));
  const { notBefore, notAfter } = facts;
  const hourMs = 3_600_000;
  assert.equal(notAfter.getTime() - notBefore.getTime(), 8761 * hourMs);
  const since = notBefore.getTime() + hourMs;
  assert.ok(since >= before && since <= Date.now(), `${notBefore}`);
});

Deno.test({
  name: "openssl trusts both with their CA",
  ...needs(openssl3),
  async fn() {
    const files = {
      "ca.crt": encodePem(pemLabel.certificate, ca.certificate),
      "server.crt": (await serverKeyPair(ca, node)).certificate,
      "client.crt": (await clientKeyPair(ca, "root")).certificate,
    };
    for (
      const [purpose, name] of [
        ["sslserver", "server.crt"],
        ["sslclient", "server.crt"],
        ["sslclient", "client.crt"],
      ] as const
    ) {
      const args = ["verify", "-CAfile", "ca.crt", "-purpose", purpose, name];
      const { text, problem } = await openssl(args, files);
      assert.equal(text, `${name}: OK\n`, problem);
    }
  },
});

/** Runs a script in place of etcd. */
async function withProcess(
  script: string,
  test: (
    process: EtcdProcess,
    lines: string[],
    pidFile: string,
  ) => Promise<void>,
) {
  const folder = await Deno.makeTempDir();
  const pidFile = `${folder}/pid`;
  const lines: string[] = [];
  const process = startProcess({
    program: "sh",
    args: ["-c", script],
    pidFile,
    log: (line) => void lines.push(line),
  });
  try {
    await test(process, lines, pidFile);
  } finally {
    await process.kill();
    await Deno.remove(folder, { recursive: true });
  }
}

const serve = `echo '{"msg":"serving peer traffic"}' >&2`;

Deno.test("a process tells its lines, and how it has ended", async () => {
  const script = "echo one >&2; printf two >&2; exit 3";
  await withProcess(script, async ({ serving, ended }, lines, pidFile) => {
    const end = { status: 3, lastLog: "two", isFinal: false };
    assert.deepEqual(await ended, end);
    await serving;
    assert.deepEqual(lines, ["one", "two"]);
    await assert.rejects(Deno.stat(pidFile), Deno.errors.NotFound);
  });
});

Deno.test("a process that serves notes its number, and is stopped in good order", async () => {
  const script = `trap 'echo bye >&2; exit 0' TERM; echo $$ >&2; ${serve}
while :; do sleep 0.05 2>/dev/null; done`;
  await withProcess(script, async (process, _, pidFile) => {
    await process.serving;
    const pid = await Deno.readTextFile(pidFile);
    await process.stop();
    const { status, lastLog } = await process.ended;
    assert.deepEqual([status, lastLog], [0, "bye"]);
    assert.match(pid, /^\d+\n$/);
  });
});

Deno.test("a process that is killed has no last word", async () => {
  await withProcess(`${serve}; exec tail -f /dev/null`, async (process) => {
    await process.serving;
    await process.kill();
    const { status, lastLog } = await process.ended;
    assert.deepEqual(
      [status, lastLog],
      [137, '{"msg":"serving peer traffic"}'],
    );
  });
});

Deno.test("a process that does not stop is killed", async () => {
  const script = `trap '' TERM; ${serve}
while :; do sleep 0.05 2>/dev/null; done`;
  await withProcess(script, async (process) => {
    await process.serving;
    await process.stop();
    assert.equal((await process.ended).status, 137);
  });
});

Deno.test("a process is not configured by variables, apart from its architecture", async () => {
  Deno.env.set("ETCD_NAME", "other");
  try {
    const script = 'echo "${ETCD_NAME-none} $ETCD_UNSUPPORTED_ARCH" >&2';
    await withProcess(script, async ({ ended }, lines) => {
      await ended;
      const { arch } = Deno.build;
      assert.deepEqual(lines, [`none ${arch === "aarch64" ? "arm64" : arch}`]);
    });
  } finally {
    Deno.env.delete("ETCD_NAME");
  }
});

Deno.test("a process ends when the one that started it is killed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const pipe = `${folder}/pipe`;
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    // The pipe ends when no process has it open any more.
    const spec = {
      program: "sh",
      args: ["-c", `exec 5>'${pipe}'; echo here >&5; ${serve}; exec sleep 600`],
      pidFile: `${folder}/pid`,
    };
    const source = import.meta.resolve(
      "../../../../simulator/etcd/real/etcd_process.ts",
    );
    const code = `import { startProcess } from ${JSON.stringify(source)};
const { serving } = startProcess({ ...${JSON.stringify(spec)}, log() {} });
await serving;
console.log("up");`;
    const written = Deno.readTextFile(pipe);
    await using parent = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", code],
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const output = parent.stdout.getReader();
    const { value } = await output.read();
    assert.equal(new TextDecoder().decode(value), "up\n");
    parent.kill("SIGKILL");
    await parent.status;
    assert.equal(await written, "here\n");
    await output.cancel();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** A snapshot, and a program that does what a script says. */
async function withSpec(
  script: string,
  test: (
    spec: Parameters<typeof restoreSnapshot>[0],
    folder: string,
  ) => Promise<void>,
) {
  const folder = await Deno.makeTempDir();
  try {
    const program = `${folder}/etcdutl`;
    const text = `#!/bin/sh\ncd '${folder}'\n${script}\n`;
    await Deno.writeTextFile(program, text, { mode: 0o700 });
    const upload = `${folder}/snapshot.db`;
    await Deno.writeTextFile(upload, "");
    const spec = {
      program,
      upload,
      data: `${folder}/data`,
      name: "cp-1",
      peerUrl: "https://127.0.0.1:2380",
      skipHashCheck: true,
    };
    await test(spec, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name).toSorted();
}

Deno.test("a snapshot becomes the data of the only member, and is gone", async () => {
  const script = `printf '%s\\n' "$ETCDCTL_API" "$@" >said`;
  await withSpec(script, async (spec, folder) => {
    await restoreSnapshot(spec);
    const said = await Deno.readTextFile(`${folder}/said`);
    assert.deepEqual(said.trim().split("\n"), [
      "3",
      "snapshot",
      "restore",
      spec.upload,
      "--name=cp-1",
      `--data-dir=${spec.data}`,
      "--initial-cluster=cp-1=https://127.0.0.1:2380",
      "--initial-advertise-peer-urls=https://127.0.0.1:2380",
      "--skip-hash-check=true",
    ]);
    assert.deepEqual(await namesIn(folder), ["etcdutl", "said"]);
  });
});

Deno.test("a snapshot that is refused stays, and leaves no data", async () => {
  const script =
    "mkdir data\necho working >&2\necho 'Error: it is broken' >&2\nexit 1";
  await withSpec(script, async (spec, folder) => {
    await assert.rejects(restoreSnapshot(spec), {
      name: "EtcdError",
      message: "error recovering from the snapshot: it is broken",
    });
    assert.deepEqual(await namesIn(folder), ["etcdutl", "snapshot.db"]);
  });
});

Deno.test("a snapshot that is absent is not restored", async () => {
  await withSpec("touch said", async (spec, folder) => {
    await Deno.remove(spec.upload);
    await assert.rejects(restoreSnapshot(spec), {
      name: "EtcdError",
      message:
        "error verifying snapshot: stat /var/lib/etcd.snapshot: no such file or directory",
    });
    assert.deepEqual(await namesIn(folder), ["etcdutl"]);
  });
});

Deno.test("a snapshot is not restored without a program", async () => {
  await withSpec("", async (spec) => {
    await assert.rejects(restoreSnapshot({ ...spec, program: undefined }), {
      name: "EtcdError",
      message: "neither etcdutl nor etcdctl is installed",
    });
  });
});
