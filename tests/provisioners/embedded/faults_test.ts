import assert from "node:assert/strict";
import {
  changeFaults,
  faultFollower,
  knownFaults,
  wantedFaults,
} from "../../../provisioners/embedded/faults.ts";
import { lockFolder } from "../../../provisioners/background.ts";
import { withCluster } from "../../_cluster.ts";

const never = new AbortController().signal;

async function withFolder(
  test: (
    place: { state: string; name: string },
    folder: string,
  ) => Promise<void>,
) {
  const state = await Deno.makeTempDir();
  await Deno.mkdir(`${state}/lab`);
  try {
    await test({ state, name: "lab" }, `${state}/lab`);
  } finally {
    await Deno.remove(state, { recursive: true });
  }
}

Deno.test("a fault that is wanted is switched on in the node, and off again", async () => {
  await withFolder(async (place, folder) => {
    using lock = await lockFolder(folder);
    assert.ok(lock);
    await withCluster({}, async ({ nodes }) => {
      const [node] = nodes;
      assert.ok(node);
      const follow = faultFollower(folder, nodes);
      const wanted = {
        node: node.identity.address,
        fault: "slow" as const,
        options: { ms: 5 },
      };
      await Promise.all([
        changeFaults(place, () => [wanted], never),
        untilDone(follow, () => node.faults.has("slow")),
      ]);
      assert.deepEqual(await wantedFaults(place), [wanted]);
      await Promise.all([
        changeFaults(place, () => [], never),
        untilDone(follow, () => !node.faults.has("slow")),
      ]);
    });
  });
});

Deno.test("a fault that the nodes refuse is reported, and they continue", async () => {
  await withFolder(async (place, folder) => {
    using lock = await lockFolder(folder);
    assert.ok(lock);
    await withCluster({}, async ({ nodes }) => {
      const follow = faultFollower(folder, nodes);
      const node = nodes[0]!.identity.address;
      const fault = "etcd-removed" as const;
      let isOver = false;
      const refused = changeFaults(
        place,
        () => [{ node, fault, options: {} }],
        never,
      ).finally(() => isOver = true);
      await Promise.all([
        assert.rejects(refused, {
          message:
            /^Cannot enable fault "etcd-removed" on 10\.5\.0\.2: failed to remove member \d+: etcdserver: re-configuration failed/,
        }),
        untilDone(follow, () => isOver),
      ]);
    });
  });
});

Deno.test("knownFaults have descriptions", () => {
  assert.ok(knownFaults.length >= 20);
  for (const { description } of knownFaults) {
    assert.match(description, /^[A-Z]/);
  }
});

async function untilDone(
  follow: () => Promise<void>,
  done: () => boolean,
): Promise<void> {
  do {
    await follow();
    await new Promise((resolve) => setTimeout(resolve, 1));
  } while (!done());
}
