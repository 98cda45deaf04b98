import assert from "node:assert/strict";
import { namesIn } from "../config/_file.ts";
import { alpha, beta, testWithClusters } from "./_cluster.ts";

/** Cluster id of a secrets bundle. */
function clusterId(secrets: string): string {
  return /^ {4}id: (\S+)$/m.exec(secrets)?.[1] ?? "";
}

const fingerprint = /sha256:[0-9a-f]{64}/g;

testWithClusters(
  "files that are there are not replaced",
  async ({ gen, read }) => {
    await gen("-t worker -o DIR/w.yaml");
    const before = await read("w.yaml");
    const { err, status } = await gen(
      "-t worker -o DIR/w.yaml --persist=false",
    );
    assert.equal(status, 2);
    assert.match(
      err,
      /^error: Cannot write "\S+\/w.yaml": it already exists\nhint: Replace with --force\n$/,
    );
    assert.equal(await read("w.yaml"), before);
  },
);

testWithClusters(
  "files of another cluster are reported with both identities",
  async ({ gen }) => {
    await gen("-o DIR/o");
    const { err, status } = await gen("-o DIR/o --with-secrets DIR/beta.yaml");
    assert.equal(status, 2);
    const [first, ...lines] = err.split("\n");
    assert.match(
      first ?? "",
      /they already exist, and for another cluster$/,
    );
    assert.deepEqual(
      lines.map((line) =>
        line.replace(/^ .*\/o\//, "  ").replace(fingerprint, "F")
      ),
      [
        `  controlplane.yaml: cluster id ${clusterId(alpha)}, node API CA F`,
        `  worker.yaml: cluster id ${clusterId(alpha)}, node API CA F`,
        "  osconfig: node API CA F",
        `  new: cluster id ${clusterId(beta)}, node API CA F`,
        "hint: Pass the secrets of that cluster with --with-secrets, or replace with --force, which keeps dated copies",
        "",
      ],
    );
    assert.equal(new Set(err.match(fingerprint)).size, 2);
  },
);

testWithClusters(
  "files of a cluster are not abandoned for secrets that are made anew",
  async ({ gen, osctl }) => {
    await gen("-t worker -o DIR/w.yaml");
    const { err, status } = await osctl(
      "gen config c1 https://10.5.0.2:6443 -t worker -o DIR/w.yaml",
    );
    assert.equal(status, 2);
    assert.match(err, /\n {2}new: a cluster with secrets made now\n/);
    assert.doesNotMatch(err, /generating/);
  },
);

testWithClusters(
  "--force keeps a copy also of what cannot be known, but not of nothing",
  async ({ dir, gen, read, write }) => {
    await write("w.yaml", "notes\n");
    await gen("-t worker -o DIR/w.yaml -f");
    assert.equal(await read("w.yaml.20260102T030405Z.bak"), "notes\n");
    await write("v.yaml", "");
    await gen("-t worker -o DIR/v.yaml -f");
    assert.deepEqual(
      (await namesIn(dir)).filter((name) => name.startsWith("v")),
      ["v.yaml"],
    );
  },
);
