import assert from "node:assert/strict";
import { parseScript, runSection } from "./_scripts.ts";

const isUpdate = Deno.env.get("OSCTL_UPDATE") === "1";

for (const path of await scriptsIn(new URL(".", import.meta.url))) {
  const text = await Deno.readTextFile(path);
  const [common, ...sections] = parseScript(text);
  const name = path.pathname.split("/tests/commands/")[1] ?? "";
  const updated = new Map<string, string>();
  for (const section of sections) {
    Deno.test(`${name}: ${section.title}`, async () => {
      const ran = await runSection(common, section);
      if (isUpdate) updated.set(section.title, ran);
      else assert.equal(ran, section.lines.join("\n"));
    });
  }
  if (isUpdate) {
    Deno.test(`${name} is written`, async () => {
      const lines = [
        ...common.lines,
        ...sections.map(({ title, lines }) =>
          updated.get(title) ?? lines.join("\n")
        ),
      ];
      await Deno.writeTextFile(path, `${lines.join("\n")}\n`);
    });
  }
}

const lines = ["# x", "  @ a hostname !UNAVAILABLE gone", "  $ osctl time"];

Deno.test("a script shows what came out, not what it says", async () => {
  const [common, section] = parseScript(
    "# x\n  @ * time !UNAVAILABLE gone\n  $ osctl time\n  fine\n",
  );
  assert.equal(
    await runSection(common, section!),
    "# x\n  @ * time !UNAVAILABLE gone\n  $ osctl time\n  ! error: a: gone\n  [1]",
  );
});

Deno.test("a script fails whose reply nobody asks for", async () => {
  const common = { title: "", lines: ["  @ * time !UNAVAILABLE gone"] };
  await assert.rejects(runSection(common, { title: "x", lines }), {
    message: "Never asked: a hostname",
  });
});

Deno.test("a script fails whose command waits for a reply that does not come", async () => {
  const service = (state: string) =>
    `{messages: [{services: [{id: kubelet, state: ${state}, health: {unknown: true}}]}]}`;
  const lines = [
    "# x",
    `  @ a serviceList ${service("Running")}`,
    "  @ a serviceStop {messages: [{resp: stopped}]}",
    `  @99 a serviceList ${service("Finished")}`,
    "  $ osctl service kubelet stop --nodes a",
  ];
  const [common, section] = parseScript(lines.join("\n"));
  await assert.rejects(runSection(common, section!, 200), {
    message:
      /^Still running after 200 ms: osctl service kubelet stop --nodes a \(never asked: .*@99 a serviceList\)$/,
  });
});

/** Scripts of a folder and those below. */
async function scriptsIn(folder: URL): Promise<readonly URL[]> {
  const found: URL[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      found.push(...await scriptsIn(new URL(`${name}/`, folder)));
    }
    if (name.endsWith(".txt")) found.push(new URL(name, folder));
  }
  return found.sort((one, other) => one.href < other.href ? -1 : 1);
}
