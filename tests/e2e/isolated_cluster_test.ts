import assert from "node:assert/strict";
import {
  executable,
  namespaces,
  type Need,
  needs,
  optional,
  type Program,
  succeeds,
} from "../_needs.ts";
import { withoutWaits } from "../_wait_notices.ts";
import { asNobody, isRoot, osctl, run, withFolder } from "./_osctl.ts";

/** Makes a cluster, asks its nodes and destroys it, in one network and as one user. */
const life = `
"$OSCTL" cluster create embedded --name "$NAME" --controlplanes 1 --workers 1 -o jsonl || exit
"$OSCTL" memory -o jsonl
status=$?
"$OSCTL" cluster destroy --name "$NAME" && exit $status
`;

/** Runs it in a home of its own; the nodes' process cannot be found there afterwards. */
async function live(
  wrapper: readonly string[],
  before = "",
  owner = 0,
): Promise<void> {
  await withFolder(async (home) => {
    if (owner !== 0) await Deno.chown(home, owner, owner);
    const env = {
      HOME: home,
      TMPDIR: home,
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
      OSCTL: osctl,
      NAME: `e2e-${crypto.randomUUID().slice(0, 8)}`,
    };
    const [path = "sh", ...rest] = [...wrapper, "sh"];
    const ran = await run(
      [...rest, "-c", `${before}${life}`],
      { env, path },
    );
    assert.equal(ran.code, 0, ran.err);
    assert.match(
      withoutWaits(ran.err),
      /^starting nodes: \d+\.\d s\n(hint: .*\n){2}$/,
    );
    const [created, one = "", two = "", destroyed] = ran.out.split("\n");
    assert.equal(JSON.parse(created ?? "").nodes.length, 2);
    assert.notEqual(JSON.parse(one).node, JSON.parse(two).node);
    assert.equal(
      destroyed,
      `Cluster "${env.NAME}" is destroyed; no context is left`,
    );
  });
}

const reachable: readonly (Need | Program)[] = isRoot
  ? [
    "setpriv",
    optional(
      "an executable that everybody reaches",
      "the project is where only its owner reaches it",
      () => succeeds([...asNobody, "test", "-x", osctl]),
    ),
  ]
  : [];

Deno.test({
  name: "executable makes a cluster of nodes as a user without rights",
  ...needs(executable, ...reachable),
  fn: () => live(asNobody, "", isRoot ? 65534 : 0),
});

const alone = ["unshare", "--net"];
const loopback = "ip link set lo up";

Deno.test({
  name: "executable makes a cluster of nodes without a network",
  ...needs(executable, "ip", namespaces.network),
  fn: () => live(alone, `${loopback} && `),
});
