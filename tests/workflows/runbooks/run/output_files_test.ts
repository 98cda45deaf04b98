import assert from "node:assert/strict";
import { openOutputFiles } from "../../../../workflows/runbooks/run/output_files.ts";
import { withFolder } from "../../../_folder.ts";
import { needs, posix } from "../../../_needs.ts";

Deno.test("openOutputFiles opens nothing when nothing is requested", async () => {
  using files = await openOutputFiles({
    eventsFile: undefined,
    junit: undefined,
  });
  assert.deepEqual([files.eventsFile, files.junitFile], [undefined, undefined]);
});

Deno.test("openOutputFiles empties files, and only their owner may read them", async () => {
  await withFolder(
    { "j.xml": "something long from before" },
    async (folder) => {
      const [eventsFile, junit] = [`${folder}/events`, `${folder}/j.xml`];
      {
        using files = await openOutputFiles({ eventsFile, junit });
        await files.eventsFile?.("one\n");
        await files.eventsFile?.("two\n");
        await files.junitFile?.("<x/>");
      }
      assert.equal(await Deno.readTextFile(eventsFile), "one\ntwo\n");
      assert.equal(await Deno.readTextFile(junit), "<x/>");
      assert.equal((await Deno.stat(eventsFile)).mode! & 0o777, 0o600);
    },
  );
});

Deno.test({
  name: "openOutputFiles refuses a named pipe, which it would wait for",
  ...needs(posix),
  fn: () =>
    withFolder({}, async (folder) => {
      const pipe = `${folder}/pipe`;
      await new Deno.Command("mkfifo", { args: [pipe] }).output();
      const none = { eventsFile: undefined, junit: undefined };
      for (const one of [{ eventsFile: pipe }, { junit: pipe }]) {
        await assert.rejects(openOutputFiles({ ...none, ...one }), {
          name: "ConfigError",
          message: `Cannot write "${pipe}": it is a named pipe`,
        });
      }
    }),
});
