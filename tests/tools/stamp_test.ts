import assert from "node:assert/strict";
import configuration from "../../deno.json" with { type: "json" };
import { release } from "../../release.ts";
import { makeStamp } from "../../tools/stamp.ts";

const now = new Date("2026-01-02T03:04:05.678Z");

/** A repository that answers by the first word of the git command. */
function facts(answers: Readonly<Record<string, string>>) {
  const git = (...[word]: readonly string[]) =>
    Promise.resolve(answers[word ?? ""]);
  return { version: "1.2.3", git, epoch: undefined, now };
}

Deno.test("makeStamp takes tag and commit of a clean checkout", async () => {
  const answers = { "rev-parse": "abc", status: "", describe: "v1.2.3" };
  assert.deepEqual(await makeStamp(facts(answers)), {
    tag: "v1.2.3",
    sha: "abc",
    built: "2026-01-02T03:04:05Z",
  });
});

Deno.test("makeStamp says when files were changed", async () => {
  const answers = { "rev-parse": "abc", status: " M x", describe: "v1.2.3" };
  const { tag, sha } = await makeStamp(facts(answers));
  assert.deepEqual([tag, sha], ["v1.2.3-dev", "abc-dirty"]);
});

Deno.test("makeStamp says when the commit has no tag or there is no repository", async () => {
  const untagged = await makeStamp(facts({ "rev-parse": "abc", status: "" }));
  assert.deepEqual([untagged.tag, untagged.sha], ["v1.2.3-dev", "abc"]);
  const none = await makeStamp(facts({}));
  assert.deepEqual([none.tag, none.sha], ["v1.2.3-dev", ""]);
});

Deno.test("makeStamp refuses a tag that is not the version", async () => {
  const answers = { "rev-parse": "abc", status: "", describe: "v1.2.4" };
  await assert.rejects(makeStamp(facts(answers)), {
    message: 'Cannot build tag "v1.2.4": deno.json has version "1.2.3"',
  });
});

Deno.test("makeStamp takes the time of a build that can be repeated", async () => {
  const { built } = await makeStamp({ ...facts({}), epoch: "1700000000" });
  assert.equal(built, "2023-11-14T22:13:20Z");
});

Deno.test("makeStamp takes the time of the commit when nothing was changed", async () => {
  const answers = { "rev-parse": "abc", status: "", show: "1700000000" };
  const clean = await makeStamp(facts(answers));
  assert.equal(clean.built, "2023-11-14T22:13:20Z");
  const dirty = await makeStamp(facts({ ...answers, status: " M x" }));
  assert.equal(dirty.built, "2026-01-02T03:04:05Z");
  const reported = await makeStamp({ ...facts(answers), epoch: "1600000000" });
  assert.equal(reported.built, "2020-09-13T12:26:40Z");
});

Deno.test("a checkout says that it is not a release", () => {
  assert.deepEqual(release, {
    tag: `v${configuration.version}-dev`,
    sha: "",
    built: "",
  });
});
