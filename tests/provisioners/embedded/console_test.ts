import assert from "node:assert/strict";
import { lockFolder } from "../../../provisioners/background.ts";
import {
  consoleFollower,
  readConsole,
} from "../../../provisioners/embedded/console.ts";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";

const { signal } = new AbortController();
const name = "simulated-controlplane-1";

Deno.test("the console of a node is what its kernel says, and kept when the nodes end", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const place = { state, name: "lab" };
    const read = () =>
      new Response(ReadableStream.from(readConsole(place, name, signal)))
        .text();
    assert.equal(await read(), "");
    await withCluster({}, async ({ nodes }) => {
      using lock = await lockFolder(`${state}/lab`);
      assert.ok(lock);
      const follow = consoleFollower(`${state}/lab`, nodes);
      let text: string | undefined;
      const done = read().then((found) => text = found);
      while (text === undefined) {
        await follow();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await done;
      assert.match(text, /^\[ {4}0\.000000\] Linux version /);
    });
    assert.match(await read(), /^\[ {4}0\.000000\] Linux version /);
  });
});
