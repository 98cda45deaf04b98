import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { applyPatches, readPatch } from "../../config/patch.ts";
import { machineConfig } from "../../simulator/state/machine_config.ts";
import { logRaw } from "../../simulator/node/logs.ts";
import { beginJournal } from "../../workflows/operations/journal_file.ts";
import { Heard, secretsIn } from "../secrets/_secret_search.ts";
import { makeLeaks, plantedValid } from "../secrets/_planted_secrets.ts";
import { quick, withRunHome } from "./runbook/_home.ts";

function filesIn(archive: Uint8Array): ReadonlyMap<string, string> {
  const text = new TextDecoder();
  return new Map(
    Object.entries(unzipSync(archive))
      .map(([path, bytes]) => [path, text.decode(bytes)]),
  );
}

Deno.test("support writes what nodes, Kubernetes and this machine know into one archive, without a secret, and says what is missing", () =>
  withRunHome(async ({ osctl, home, cluster, names, write, ids }) => {
    const ran = await osctl(["runbook", "run", await write(quick), "--yes"]);
    assert.equal(ran.status, 0, ran.err);
    const readJournal = async (context: string) => {
      using journal = await beginJournal(`${home}/operations`, {
        ...{ operation: "reboot", nodes: names, context, input: {} },
        ...{ allow: [], waitMs: 0 },
      }, () => new Date());
      return journal.id;
    };
    const journal = await readJournal(cluster.name);
    const stranger = await readJournal("another cluster");
    const texts: string[] = [];
    for (const node of cluster.nodes) {
      const needed = readPatch(machineConfig(node), node.identity.hostname);
      const own = loadDocuments(plantedValid, "planted").documents;
      const text = encodeDocuments(applyPatches(own, [needed]).documents);
      texts.push(text);
      node.disk.configuration = text;
      await cluster.reboot(node.identity.address);
      const said = makeLeaks(plantedValid.match(/pl4nt-[\w-]+/g) ?? [])
        .replaceAll("\n", " ");
      logRaw(node, `init says ${said}`);
    }
    const healthy = await osctl("health --wait-timeout 20s");
    assert.equal(healthy.status, 0, healthy.err);
    const path = `${home}/case.zip`;
    const line = ["support", "-O", path, "--nodes", names.join(","), "-w", "4"];
    const { out, err, status } = await osctl(line);
    assert.equal(status, 0, out);
    assert.match(err, /Support bundle with \d+ files written to /);
    const files = filesIn(await Deno.readFile(path));
    const [first = "", second = ""] = names;
    const [id] = await ids();
    for (
      const wanted of [
        ...["manifest.json", "connect.json", `runs/${id}/journal.jsonl`],
        ...["kubernetesResources/nodes.yaml", `${first}/summary`],
        ...[`${first}/dmesg.log`, `${second}/dmesg.log`, `${first}/mounts`],
        ...[`operations/${journal}.jsonl`, "summary.json"],
        ...[`${first}/processes`, `${first}/dependencies.dot`],
        ...[`${first}/service-logs/kubelet.state`],
      ]
    ) {
      assert.ok(
        files.has(wanted),
        `${wanted}\n${[...files.keys()].join("\n")}`,
      );
    }
    assert.equal(files.has(`operations/${stranger}.jsonl`), false);
    const manifest = JSON.parse(files.get("manifest.json") ?? "");
    assert.deepEqual([manifest.nodes, manifest.missing], [names, []]);
    assert.equal(manifest.files.length, files.size - 1);
    assert.match(files.get(`${first}/dmesg.log`) ?? "", /init says .*\*{6}/);
    const heard = new Heard(secretsIn(texts));
    for (const [path, text] of files) heard.add(path, text);
    assert.deepEqual(heard.leaks, []);
    const { mode = 0 } = await Deno.stat(path);
    assert.equal((mode ?? 0) & 0o777, 0o600);

    const { out: rows } = await osctl(
      ["support", "--summary", "--from", path, "-o", "jsonl"],
    );
    assert.deepEqual(
      rows.trim().split("\n").filter((row) => row !== "")
        .map((row) => JSON.parse(row)),
      JSON.parse(files.get("summary.json") ?? ""),
    );

    const again = await osctl(line);
    assert.equal(again.status, 5);
    assert.match(again.err, /already exists[^]*--force/);
  }, { workers: 1 }));

Deno.test("support --summary prints what is wrong, nothing of what is well, and writes no archive", () =>
  withRunHome(async ({ osctl, cluster, names, home }) => {
    const line = ["support", "--summary", "--nodes", names.join(",")];
    const healthy = await osctl("health --wait-timeout 20s");
    assert.equal(healthy.status, 0, healthy.err);
    const well = await osctl(line);
    assert.deepEqual(
      [well.status, well.out, well.err],
      [0, "", "No problems found\n"],
    );
    const [control, worker] = cluster.nodes;
    assert.ok(control && worker);
    const [first = "", second = ""] = names;
    const at = Date.UTC(2026, 0, 2, 3, 4, 5);
    for (const priority of ["info", "err"]) {
      worker.boot.kernelLog.append({
        ...{ facility: "kern", priority, time: at },
        text: "I/O error, dev vda, sector 4711",
      });
    }
    await cluster.setFault(first, "etcd-nospace");
    const ill = await osctl([...line, "-o", "jsonl"]);
    assert.equal(ill.status, 0, ill.err);
    assert.deepEqual(
      ill.out.trim().split("\n").map((row) =>
        JSON.parse(row.replace(/(:05)\.\d+Z/, "$1Z"))
      ),
      [
        {
          topic: "etcd",
          source: "cluster",
          state: "problem",
          problem:
            "etcd has the alarm NOSPACE; run osctl etcd defrag and osctl etcd alarm disarm",
        },
        {
          topic: "kernel",
          source: second,
          state: "problem",
          problem:
            "kern:     err: [2026-01-02T03:04:05Z]: I/O error, dev vda, sector 4711",
        },
      ],
    );
    const away = await osctl([
      ...["support", "--summary", "--nodes", `${second},10.99.99.99`],
    ]);
    assert.equal(away.status, 3, away.out);
    assert.match(away.out, /^TOPIC +SOURCE +STATE +PROBLEM\n/);
    assert.match(away.out, /\nnodes +10\.99\.99\.99 +unknown +\S/);
    const here = await Array.fromAsync(Deno.readDir(home));
    assert.deepEqual(
      here.filter(({ name }) => name.endsWith(".zip")),
      [],
    );
  }, { workers: 1 }));

Deno.test("support keeps what it can read when a node is down, and says so in the manifest", () =>
  withRunHome(async ({ osctl, home, names }) => {
    const [first = ""] = names;
    const path = `${home}/case.zip`;
    const { out, status } = await osctl([
      ...["support", "-O", path, "--nodes", `${first},10.99.99.99`],
    ]);
    assert.equal(status, 3, out);
    const files = filesIn(await Deno.readFile(path));
    assert.ok(files.has(`${first}/dmesg.log`));
    const { missing } = JSON.parse(files.get("manifest.json") ?? "");
    assert.equal(missing.length, 1, JSON.stringify(missing, null, 1));
    assert.deepEqual(
      [missing[0].source, missing[0].path],
      ["10.99.99.99", "everything"],
    );
    assert.match(out, /^10\.99\.99\.99: everything: /);
  }, { workers: 0 }));

Deno.test("support -O - passes the archive on, and says beside it what is missing", () =>
  withRunHome(async ({ osctl, names: [first = ""] }) => {
    const ran = await osctl(
      ["support", "-O", "-", "--nodes", `${first},10.99.99.99`],
    );
    const files = filesIn(ran.bytes);
    assert.ok(files.has("manifest.json"));
    assert.match(ran.err, /^10\.99\.99\.99: .*: /m);
    assert.match(ran.err, /files written to standard output$/m);
    assert.equal(ran.status, 3);
    await assert.rejects(Deno.stat("-"), Deno.errors.NotFound);
  }));
