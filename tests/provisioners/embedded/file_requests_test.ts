import assert from "node:assert/strict";
import { lockFolder } from "../../../provisioners/background.ts";
import {
  readRequest,
  request,
  writeApplied,
} from "../../../provisioners/embedded/file_requests.ts";
import { withFolder } from "../../_folder.ts";

const { signal } = new AbortController();
const subject = "power";

function ask(place: { state: string; name: string }, wanted: string) {
  const change = (before: string) => `${before}${wanted}`;
  return request(place, { subject, initial: "", change, signal });
}

Deno.test("a request does not wait for nodes that do not run", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    await assert.rejects(ask({ state, name: "lab" }, "x"), {
      message:
        'Cannot change power of cluster "lab": its nodes are not running',
      hint: "Start them with: osctl cluster start --name lab",
    });
  });
});

Deno.test("a request ends when the process has followed it, with what could not be done", async () => {
  await withFolder({ "lab/": "" }, async (state) => {
    const folder = `${state}/lab`;
    const place = { state, name: "lab" };
    using lock = await lockFolder(folder);
    assert.ok(lock);
    await writeApplied(folder, subject, { revision: 1, problems: [] });
    await ask(place, "a");
    assert.deepEqual(await readRequest(folder, subject, ""), {
      revision: 1,
      wanted: "a",
    });
    await writeApplied(folder, subject, {
      revision: 2,
      problems: ["It is stuck"],
    });
    await assert.rejects(ask(place, "b"), { message: "It is stuck" });
    assert.equal((await readRequest(folder, subject, "")).wanted, "ab");
  });
});
