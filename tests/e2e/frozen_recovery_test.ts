import assert from "node:assert/strict";
import { setFault } from "../../simulator/faults/set_fault.ts";
import { type RunHome, withRunHome } from "../commands/runbook/_home.ts";
import { linux, needs } from "../_needs.ts";
import { copyFolder } from "../../tools/robustness/osctl_process.ts";
import { startIn } from "./_runs.ts";

/** Nodes boot in it, one after the other; on a busy machine that takes long. */
export const longestSeconds = 180;

/** Each has an address of this machine, since some are dialled themselves. */
const nodes = [2, 3, 4].map((last) => `127.77.${Deno.pid % 250}.${last}`);
const yes = ["--yes", "--yes-destructive=destroy:simulated"];

/** Takes away the quorum: two of three members stop until their node is wiped. */
async function loseQuorum({ cluster }: RunHome): Promise<void> {
  for (const node of cluster.nodes.slice(1)) {
    await setFault(node, "etcd-stopped");
  }
}

/** Ids of the members, as etcd lists them. */
async function readMembers({ osctl }: RunHome): Promise<readonly string[]> {
  const { out, err } = await osctl(`etcd members --nodes ${nodes[0]} -o jsonl`);
  const ids = out.trimEnd().split("\n").map((line) => JSON.parse(line).id);
  assert.equal(ids.length, 3, err);
  return ids.toSorted();
}

interface Heard {
  /** Calls that change nodes: methods with host names. */
  readonly changes: string[];
  /** Called with every call; to be set. */
  onCall: () => void;
}

function listen({ cluster }: RunHome): Heard {
  const heard: Heard = { changes: [], onCall() {} };
  const facts = cluster.nodes[0]!.cluster; // there is a control plane
  facts.onCall = ({ node, method, mutating }) => {
    heard.onCall();
    if (!mutating) return;
    heard.changes.push(`${method} ${node.identity.hostname}`);
    // Its etcd starts anew.
    if (method === "Reset") node.faults.delete("etcd-stopped");
  };
  return heard;
}

function isWritten(folder: string, text: string): boolean {
  try {
    const [run] = [...Deno.readDirSync(folder)];
    const journal = `${folder}/${run?.name}/journal.jsonl`;
    return Deno.readTextFileSync(journal).includes(text);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

Deno.test({
  name:
    "a recovery that is frozen before it wipes wakes when a copy has finished it, and wipes nothing of the new etcd",
  // There is no SIGSTOP, and only Linux has so many addresses of its own.
  ...needs(linux),
  fn: () =>
    withRunHome(async (home) => {
      const { osconfig, cluster } = home;
      const heard = listen(home);
      await loseQuorum(home);
      const place = (name: string) => ({
        home: `${home.home}/${name}`,
        osconfig,
      });
      const one = startIn(place("a"), [
        "runbook",
        "run",
        "builtin:etcd-recovery",
        "--input=cluster=simulated",
        ...yes,
      ]);
      const early = one.ended().then(({ err }) => {
        throw new Error(err);
      });
      early.catch(() => {});
      // It looks at nodes again behind the approval: none has heard of a wipe.
      const frozen = Promise.withResolvers<void>();
      heard.onCall = () => {
        if (!isWritten(`${place("a").home}/runs`, "approval.answered")) return;
        one.kill("SIGSTOP");
        heard.onCall = () => {};
        frozen.resolve();
      };
      await Promise.race([frozen.promise, early]);
      assert.equal(heard.changes.length, 0);
      await copyFolder(place("a").home, place("b").home);
      const resume = ["runbook", "resume", "last", ...yes];
      const other = await startIn(place("b"), resume).ended();
      assert.equal(other.status, 0, other.err);
      await cluster.settled();
      const members = await readMembers(home);
      const before = heard.changes.length;
      one.kill("SIGCONT");
      const { status, err } = await one.ended();
      assert.notEqual(status, 0, err);
      await cluster.settled();
      assert.deepEqual(heard.changes.slice(before), [], err);
      assert.deepEqual(await readMembers(home), members);
      assert.deepEqual(
        heard.changes.filter((call) => call.startsWith("Reset ")).toSorted(),
        cluster.nodes.map((node) => `Reset ${node.identity.hostname}`),
      );
    }, {
      controlplanes: 3,
      workers: 0,
      addresses(index: number) {
        const address = nodes[index] ?? "";
        return { host: address, port: 50_000, address };
      },
    }),
});
