import assert from "node:assert/strict";
import { type RunHome, withRunHome } from "../commands/runbook/_home.ts";
import { part, wanted } from "../_matrix.ts";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import { type Ended, startIn } from "./_runs.ts";

/** Waits for what must not come take a minute each. */
export const longestSeconds = 180;

/** A runbook of the program, how it is started and resumed, and what must be so at its end. */
interface Trial {
  readonly name: string;
  /** Makes what is needed, and gives the words behind `run`. */
  readonly words: (home: RunHome) => Promise<readonly string[]>;
  /** Approvals. */
  readonly yes: readonly string[];
  /** Checks the cluster. */
  readonly check: (home: RunHome) => Promise<void>;
}

/** Nodes that are dialled themselves, too: each has an address of this machine. */
const nodes = [2, 3, 4, 5].map((last) => `127.77.13.${last}`);
const [first = ""] = nodes;
const options: ClusterOptions = {
  controlplanes: 3,
  workers: 1,
  addresses(index: number) {
    const address = nodes[index] ?? "";
    return { host: address, port: 50_000, address };
  },
};
const yes = (...tags: readonly string[]) => [
  "--yes",
  ...tags.map((tag) => `--yes-destructive=${tag}:simulated`),
];

/** Boots and installs of each node, the first boot among them. */
const tallies = ({ cluster }: RunHome) =>
  cluster.nodes.map(({ counts }) => `${counts.boots} ${counts.installs}`);

const trials: readonly Trial[] = [
  {
    name: "rolling-upgrade",
    words: () =>
      Promise.resolve([
        "rolling-upgrade",
        "--input=version=v1.12.12",
        "--input=soak=1s",
      ]),
    yes: yes(),
    async check(home) {
      assert.deepEqual(tallies(home), ["2 1", "2 1", "2 1", "2 1"]);
      const { out } = await home.osctl("version -o jsonl");
      const versions = out.trimEnd().split("\n")
        .map((line) => JSON.parse(line))
        .flatMap(({ node, tag }) => node === undefined ? [] : [tag]);
      assert.deepEqual(versions, nodes.map(() => "v1.12.12"));
    },
  },
  {
    name: "rotate-ca",
    words: ({ home }) =>
      Promise.resolve([
        "rotate-ca",
        "--input=kubernetes=true",
        `--input=osconfig=${home}/new`,
        `--input=secretsOut=${home}/secrets.yaml`,
      ]),
    yes: yes("drop", "commit-kubernetes", "drop-kubernetes"),
    async check({ home, osctl }) {
      const { out, err } = await osctl(
        `--osconfig ${home}/new ca report -o jsonl`,
      );
      const rows = out.trimEnd().split("\n").map((line) => JSON.parse(line));
      const seen = new Set(
        rows.map(({ kind, issuing, accepted }) =>
          `${kind} ${issuing} ${accepted.length}`
        ),
      );
      assert.equal(rows.length, 8, err);
      assert.equal(seen.size, 2, [...seen].join("\n"));
      for (const one of seen) assert.match(one, / 0$/);
      assert.notEqual((await osctl("version")).status, 0);
    },
  },
  {
    name: "upgrade-kubernetes",
    words: () =>
      Promise.resolve(["upgrade-kubernetes", "--input=version=1.35.0"]),
    yes: yes(),
    async check({ osctl }) {
      const { status, out, err } = await osctl(
        "upgrade-k8s --to 1.35.0 --dry-run --exit-code",
      );
      assert.deepEqual([status, out, err], [
        0,
        "",
        "Kubernetes is at v1.35.0 already\n",
      ]);
    },
  },
  {
    name: "etcd-recovery",
    async words({ home, osctl }) {
      const taken = await osctl(
        `etcd snapshot ${home}/db.snapshot --nodes ${first}`,
      );
      assert.equal(taken.status, 0, taken.err);
      return [
        "etcd-recovery",
        "--input=cluster=simulated",
        `--input=snapshot=${home}/db.snapshot`,
        "--input=evenIfQuorum=true",
      ];
    },
    yes: yes("destroy", "allow-etcd-quorum"),
    async check({ osctl }) {
      const { out, err } = await osctl(
        `etcd members --nodes ${first} -o jsonl`,
      );
      const members = out.trimEnd().split("\n").map((line) => JSON.parse(line));
      assert.equal(members.length, 3, err);
      const health = await osctl("etcd status --nodes @controlplane -o jsonl");
      assert.equal(health.status, 0, health.err);
    },
  },
];

/** Runs a process until the journal of the only run has so many lines, and kills it then; false when it ended before. */
async function killAt(
  home: RunHome,
  words: readonly string[],
  line: number,
): Promise<{ readonly killed: boolean; readonly end: Ended }> {
  const run = startIn(home, words);
  let isOver = false;
  const ending = run.ended().finally(() => isOver = true);
  while (!isOver && (await countLines(home)) < line) {
    await Promise.race([ending, new Promise((go) => setTimeout(go, 2))]);
  }
  const killed = !isOver;
  if (killed) run.kill("SIGKILL");
  return { killed, end: await ending };
}

async function countLines({ home, ids }: RunHome): Promise<number> {
  const [id] = await ids();
  const path = `${home}/runs/${id}/journal.jsonl`;
  const text = await Deno.readTextFile(path).catch(() => "");
  return text.split("\n").length - 1;
}

/** Numbers that are the same for the same seed, from 0 to 1. */
function* random(seed: number): Generator<number, never> {
  let state = seed >>> 0;
  while (true) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

const seed = Number(Deno.env.get("OSCTL_SEED") ?? 7);
const times = wanted === "all" ? 8 : 1;
const tried = wanted === "all" ? trials : trials.slice(0, 1);

for (const { name, words, yes, check } of tried) {
  // Other parts of the matrices kill it.
  if (part.number > times) continue;
  Deno.test(`${name} whose processes are killed at any record ends as if nothing had happened (seed ${seed})`, async () => {
    const inHome = (test: (home: RunHome) => Promise<void>) =>
      withRunHome(test, options);
    // Records of a rolling upgrade; in the matrices, those of the runbook itself.
    let length = 160;
    if (wanted === "all") {
      await inHome(async (home) => {
        const line = ["runbook", "run", ...await words(home), ...yes];
        const { status, err } = await home.osctl(line);
        assert.equal(status, 0, err);
        length = await countLines(home);
        await check(home);
      });
    }
    const numbers = random(seed);
    for (let time = 0; time < times; time++) {
      const isHere = time % part.of === part.number - 1;
      // The first record is there before the run is.
      const one = 2 + Math.floor(numbers.next().value * (length - 2));
      const two = time % 2 === 0
        ? 0
        : one + Math.floor(numbers.next().value * (length - one));
      if (!isHere) continue;
      await inHome(async (home) => {
        const begin = ["runbook", "run", ...await words(home), ...yes];
        const resume = ["runbook", "resume", "last", ...yes];
        const about = `seed ${seed}, killed at ${one} and ${two}`;
        let { end, killed } = await killAt(home, begin, one);
        if (killed && two > 0) {
          ({ end, killed } = await killAt(home, resume, two));
        }
        const env = { OSCTL_LEASE_DURATION: "2s" };
        const last = killed ? await home.osctl(resume, { env }) : end;
        assert.equal(last.status, 0, `${about}\n${last.err}`);
        await check(home);
      });
    }
  });
}
