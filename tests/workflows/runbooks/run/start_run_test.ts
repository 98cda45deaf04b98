import assert from "node:assert/strict";
import { renderOsconfig } from "../../../../config/osconfig/osconfig_file.ts";
import { readFields } from "../../../../workflows/kubernetes/client.ts";
import {
  quick,
  runbook,
  type RunHome,
  withRunHome,
} from "../../../commands/runbook/_home.ts";
import { supersede } from "../../../../workflows/runbooks/run/start_run.ts";
import { ConfigError, LockedError } from "../../../../errors.ts";
import { readRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { withFolder } from "../../../_folder.ts";
import { holdRun, makeRun, started } from "../store/_runs.ts";

const guarded = runbook(
  `  - id: lose
    approve: { tag: wipe, message: "Lose it?", destructive: true, typed: "\${{ cluster.name }}" }
  - { id: look, gate: etcd.quorum }
`,
);

async function status({ osctl }: RunHome, ...words: string[]) {
  const ran = await osctl(["runbook", "run", ...words]);
  return [ran.status, ran.err] as const;
}

Deno.test("startRun approves with --yes only what loses nothing, and tags by their names", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    const [other] = await status(home, file, "--yes=canary,night");
    assert.equal(other, 76);
    const [id = ""] = await home.ids();
    const named = ["--supersede", id, "--yes=canary,start"];
    const [right, err] = await status(home, file, ...named);
    assert.equal(right, 0, err);
    const lossy = await home.write(guarded);
    assert.equal((await status(home, lossy, "--yes"))[0], 76);
  });
});

Deno.test("startRun loses data when the right words were typed, and asks when they were not", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(guarded);
    const flag = "--yes-destructive";
    const [wrong, why] = await status(home, file, flag, "wipe:lab");
    assert.equal(wrong, 76);
    assert.match(why, /"simulated" must be typed, not "lab"/);
    const [id = ""] = await home.ids();
    const again = await home.osctl(
      ["runbook", "resume", id, flag, "wipe:simulated"],
    );
    assert.equal(again.status, 0, again.err);
    assert.equal((await status(home, file, flag, "wipe"))[0], 2);
  });
});

Deno.test("startRun refuses a cluster on which another run has not ended: status 8", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(quick);
    await status(home, file);
    const [id = ""] = await home.ids();
    const [held, why] = await status(home, file, "--yes");
    assert.equal(held, 8);
    assert.match(why, new RegExp(`Run "${id}" .* is unfinished`));
    const [none] = await status(home, file, "--supersede", "20200101-aaaa");
    assert.equal(none, 2);
    const last = ["--yes", "--supersede", "last"];
    const [taken, err] = await status(home, file, ...last);
    assert.equal(taken, 0, err);
    const ends = (await home.journal(id)).filter(({ type }) =>
      type === "run.end"
    );
    assert.equal(ends.at(-1)?.data?.state, "cancelled");
    const closed = await home.osctl(["runbook", "resume", id]);
    assert.equal(closed.status, 5);
    assert.equal((await home.ids()).length, 2);
  });
});

/** Stops with a claim on the cluster: its second step never is. */
const failing = runbook(`  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: no, assert: { that: "1 == 2", message: "It never is" } }
    always:
      - { id: uncordon, run: node.uncordon }
`);

const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

/** Annotations of the Lease. */
function claims({ cluster }: RunHome) {
  const path = `${leases}/osctl-runbook`;
  const { body } = cluster.kubernetes.request({ method: "GET", path });
  return readFields(readFields(readFields(body).metadata).annotations);
}

Deno.test("startRun: a run that stops before its first change leaves no claim behind", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(failing, "failing.runbook.yaml");
    assert.equal((await status(home, file))[0], 5);
    const [id = ""] = await home.ids();
    assert.equal(claims(home)["osctl.dev/claim"], id);
    const other = await home.write(quick);
    // It stops at its question.
    assert.equal((await status(home, other, "--supersede", id))[0], 76);
    assert.equal(claims(home)["osctl.dev/claim"], "");
    const env = { OS_HOME: `${home.home}/elsewhere` };
    const third = await home.osctl(["runbook", "run", other, "--yes"], { env });
    assert.equal(third.status, 0, third.err);
  });
});

Deno.test("startRun takes the claim of a run that has ended here for none", async () => {
  await withRunHome(async (home) => {
    const file = await home.write(failing, "failing.runbook.yaml");
    assert.equal((await status(home, file))[0], 5);
    const [id = ""] = await home.ids();
    const flags = ["--reason=wrong", `--typed=${id}`];
    assert.equal(
      (await home.osctl(["runbook", "abort", id, ...flags])).status,
      0,
    );
    // As if the cluster had not answered then.
    home.cluster.kubernetes.request({
      method: "PATCH",
      path: `${leases}/osctl-runbook`,
      body: { metadata: { annotations: { "osctl.dev/claim": id } } },
    });
    const other = await home.write(quick);
    const [taken, err] = await status(home, other, "--yes");
    assert.equal(taken, 0, err);
  });
});

Deno.test("startRun keeps the place of a run in which something is in doubt", async () => {
  await withRunHome(async (home) => {
    const { home: folder, write, journal, ids } = home;
    const file = await write(quick);
    assert.equal((await status(home, file, "--yes"))[0], 0);
    const [id = ""] = await ids();
    const records = await journal();
    const at = records.findIndex(({ type }) => type === "intent");
    const path = `${folder}/runs/${id}/journal.jsonl`;
    const lines = (await Deno.readTextFile(path)).split("\n");
    const cut = `${lines.slice(0, at + 1).join("\n")}\n`;
    await Deno.writeTextFile(path, cut);
    const [refused, why] = await status(home, file, "--supersede", id);
    assert.equal(refused, 5);
    assert.match(
      why,
      /results are unknown: workers\/cordon@simulated-worker-1\n/,
    );
    assert.equal(await Deno.readTextFile(path), cut);
    assert.deepEqual(await ids(), [id]);
  });
});

Deno.test("startRun refuses a certificate without the role: status 5", async () => {
  const needy = runbook(
    "  - { id: look, gate: etcd.quorum }\n",
    "requires: { role: os:admin }\n",
  );
  await withRunHome(async (home) => {
    const { crt, key } = await home.cluster.identify(["os:reader"]);
    const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
    const context = {
      endpoints: home.cluster.endpoints,
      nodes: home.names,
      ca: base64(home.cluster.ca),
      crt: base64(crt),
      key: base64(key),
    };
    const file = await home.write(needy);
    await Deno.writeTextFile(
      home.osconfig,
      await renderOsconfig({
        current: "lab",
        contexts: new Map([["lab", context]]),
      }),
    );
    const [refused, why] = await status(home, file);
    assert.equal(refused, 5);
    assert.match(
      why,
      /needs role "os:admin", and the certificate has os:reader/,
    );
    assert.deepEqual(await home.ids(), []);
  });
});

/** All that is in a folder, as one text. */
async function readFolder(folder: string): Promise<string> {
  const parts: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) parts.push(await readFolder(path));
    else {
      const bytes = await Deno.readFile(path);
      parts.push(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
    }
  }
  return parts.join("\n");
}

Deno.test("startRun neither writes nor shows the value of a secret", async () => {
  const secretly = runbook(
    `  - { id: go, approve: { tag: start, message: "Now?" } }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps: [{ id: cordon, run: node.cordon }]
`,
    "inputs:\n  token: { type: secret, required: true }\n",
  );
  const value = "hunter22-and-some-more";
  await withRunHome(async (home) => {
    const file = await home.write(secretly);
    const outside = await Deno.makeTempFile();
    await Deno.writeTextFile(outside, value);
    const line = ["runbook", "run", file, "--secret", `token=@${outside}`]
      .concat(["--events-file", `${home.home}/events`, "-o", "jsonl"])
      .concat(["--junit", `${home.home}/junit.xml`]);
    const first = await home.osctl(line);
    assert.equal(first.status, 76, first.err);
    const [id = ""] = await home.ids();
    const header = await Deno.readTextFile(
      `${home.home}/runs/${id}/header.json`,
    );
    assert.deepEqual(JSON.parse(header).inputs, {
      token: { secret: "input/token" },
    });
    const second = await home.osctl(["runbook", "resume", id, "--yes"]);
    assert.equal(second.status, 0, second.err);
    const all = [await readFolder(home.home)]
      .concat([first, second].flatMap(({ out, err }) => [out, err])).join("\n");
    const bytes = new TextEncoder().encode(value);
    for (
      const form of [value, bytes.toBase64().replace(/=+$/, ""), bytes.toHex()]
    ) {
      assert.ok(!all.includes(form), form);
    }
    await Deno.remove(outside);
  });
});

const old = "20261120-7k2f";

/** Puts a run in the place of the old one. */
function put(runs: string, cluster = "prod", notes: string[] = []) {
  return supersede({
    runs,
    old,
    by: "20261121-aaaa",
    cluster,
    operator: "eve@desk",
    now: () => new Date("2026-11-21T08:00:00Z"),
    note: (text) => void notes.push(text),
  });
}

Deno.test("supersede closes an unfinished run, and says what it leaves behind", async () => {
  await withFolder({}, async (runs) => {
    const module = "node.cordon";
    await makeRun(runs, {
      records: [started, {
        type: "result",
        path: "workers/cordon",
        node: "w-1",
        data: { state: "ok", module },
      }],
    });
    const notes: string[] = [];
    await put(runs, "prod", notes);
    const { history } = await readRun(runs, old);
    assert.equal(history.end?.state, "cancelled");
    assert.deepEqual(history.end?.failure, {
      step: "",
      code: "cancelled",
      message: 'eve@desk aborted the run: run "20261121-aaaa" supersedes it',
    });
    assert.equal(notes.length, 1);
    assert.match(notes[0] ?? "", /^Run "20261120-7k2f" left on nodes: .*w-1/);
  });
});

Deno.test("supersede refuses while something that was sent has no end, and names it", async () => {
  await withFolder({}, async (runs) => {
    await makeRun(runs, {
      records: [started, {
        type: "intent",
        path: "workers/restart",
        node: "w-1",
        entry: 1,
        data: { operation: "node reboot", key: {}, input: {} },
      }, { type: "intent", path: "snapshot", entry: 1, data: {} }],
    });
    await assert.rejects(put(runs), {
      name: "RefusedError",
      message: /results are unknown: workers\/restart@w-1, snapshot$/,
    });
    assert.equal((await readRun(runs, old)).history.end, undefined);
  });
});

Deno.test("supersede refuses a run of another cluster, one at work, and one that is not there", async () => {
  await withFolder({}, async (runs) => {
    await assert.rejects(put(runs), ConfigError);
    const folder = await makeRun(runs);
    await assert.rejects(put(runs, "lab"), ConfigError);
    using _ = await holdRun(folder);
    await assert.rejects(put(runs), LockedError);
  });
});

Deno.test("supersede leaves a run alone that has ended for good", async () => {
  await withFolder({}, async (runs) => {
    const end = {
      type: "run.end",
      data: { state: "succeeded", status: 0 },
    } as const;
    await makeRun(runs, { records: [started, end] });
    await put(runs);
    assert.equal((await readRun(runs, old)).history.end?.state, "succeeded");
  });
});
