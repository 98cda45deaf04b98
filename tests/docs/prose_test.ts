/** Words of prose in backticks: flags, variables, files, keys, outcomes and names are those of the product. */

import assert from "node:assert/strict";
import { readPages } from "./_pages.ts";

const root = new URL("../../", import.meta.url);

/** Where the words of the product are: its source, and the reference of commands, which is made from it. */
const sources = [
  ...["bench", "commands", "config", "docs/reference", "lib", "pki"],
  ...["provisioners", "simulator", "terminal", "tools", "transport"],
  ...["workflows", ".ci", ".github"],
];

/** Names of other programs, of systems, and of what the reader has, by page. */
const others: Readonly<Record<string, readonly string[]>> = {
  "CONTRIBUTING.md": ["feat"],
  "docs/contributing.md": ["feat", "uptime.ts", "uptime_test.ts"],
  // The second is an alias of a flag.
  "docs/from-talosctl.md": ["jq", "manifests-no-prune"],
  "docs/installation.md": ["osctl-linux-amd64"],
  "docs/local-clusters.md": [
    ...["contrib", "dockerd-rootless", "lab-1", "rootlesskit", "sch_netem"],
    ...["subgid", "subuid", "tun", "uidmap"],
  ],
  "docs/performance.md": [
    ...["chrt", "generateKeyPair", "generatePrime", "micro-rsa-dsa-dh"],
    ...["node-forge", "sysgenid"],
  ],
  "docs/runbooks/language/policy.md": ["allow-version-path", "prod"],
  "docs/runbooks/rehearsing.md": ["cp-3"],
  "docs/runbooks/running.md": ["prod1"],
  "docs/runbooks/upgrade-kubernetes.md": ["kube-apiserver-"],
  "docs/runbooks/watching.md": ["m50s"],
  "docs/simulated-nodes.md": [
    // Types that nodes define.
    ...["SiderolinkConfigs", "SiderolinkStatuses"],
    ...["node-labels", "register-with-taints"],
  ],
  "docs/site-ci.md": ["COMMENT_TOKEN", "OSCONFIG_FILE"],
  "docs/testing.md": [
    ...["KUBECTL", "OSCTL_KUBE_APISERVER", "OSCTL_KUBE_CONTROLLER_MANAGER"],
    "htpasswd",
  ],
  // In tables and logs of nodes.
  "docs/troubleshooting.md": ["UNSCHEDULABLE", "fdatasync"],
};

/** A name with dots, or its parts. */
const name = /[A-Za-z][\w-]*(?:\.[\w-]+)*/g;

function* namesIn(text: string): Generator<string> {
  for (const [whole] of text.matchAll(name)) {
    yield whole;
    if (whole.includes(".")) yield* whole.split(".");
  }
}

/** Every word of the product, and the name of every file. */
async function readWords(): Promise<ReadonlySet<string>> {
  const words = new Set<string>();
  const add = (text: string) => {
    for (const word of namesIn(text)) words.add(word);
  };
  const readFolder = async (path: string, isSource: boolean) => {
    for await (const entry of Deno.readDir(new URL(path, root))) {
      add(entry.name);
      const inner = `${path}${entry.name}`;
      if (entry.isDirectory) await readFolder(`${inner}/`, isSource);
      else if (isSource) add(await Deno.readTextFile(new URL(inner, root)));
    }
  };
  for (const folder of sources) await readFolder(`${folder}/`, true);
  await readFolder("tests/", false);
  for await (const entry of Deno.readDir(root)) {
    add(entry.name);
    if (!/\.(ts|json)$/.test(entry.name)) continue;
    add(await Deno.readTextFile(new URL(entry.name, root)));
  }
  return words;
}

/** Command lines of other programs; those of osctl are checked in command_lines_test.ts. */
const lines =
  /^(osctl|sudo|talosctl|talhelper|kubectl|docker|age|systemctl|skopeo|python3|npx|deno) /;

/** A fenced block. */
const block = /^( *)(```+)[^\n]*\n[^]*?^\1\2$/gm;

/** Whether a name is one of the product: as a whole, which files have to be, or by its parts. */
function isKnown(word: string, words: ReadonlySet<string>): boolean {
  return words.has(word) ||
    !/\.(ts|md|pub)$/.test(word) &&
      word.split(".").every((part) => words.has(part));
}

Deno.test("every name in backticks on a page is one of the product, or listed", async () => {
  const words = await readWords();
  const unknown: string[] = [];
  const used = new Set<string>();
  for (const { path, text } of await readPages()) {
    // Decisions tell of what was.
    if (path.startsWith("docs/decisions/")) continue;
    const prose = text.replaceAll(block, "");
    const own = others[path] ?? [];
    for (const [, span = ""] of prose.matchAll(/`([^`]+)`/g)) {
      if (lines.test(span)) continue;
      for (const [whole] of span.matchAll(name)) {
        if (isKnown(whole, words)) continue;
        const listed = own.find((one) => whole.split(".").includes(one)) ??
          own.find((one) => one === whole);
        if (listed !== undefined) used.add(`${path}: ${listed}`);
        else {unknown.push(
            `${path}: ${whole} (${span.replaceAll(/\s+/g, " ")})`,
          );}
      }
    }
  }
  assert.deepEqual(unknown, []);
  const listed = Object.entries(others).flatMap(([path, names]) =>
    names.map((one) => `${path}: ${one}`)
  );
  assert.deepEqual(listed.filter((one) => !used.has(one)), []);
});

/** Folders and files whose texts people see. */
const speaking = [
  ...["commands", "config", "lib", "pki", "provisioners", "simulator"],
  ...["terminal", "transport", "workflows"],
];

/** The source with each inserted value as an ellipsis, and texts of several lines as one. */
async function readSource(folder: URL): Promise<string> {
  let source = "";
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) source += await readSource(new URL(`${name}/`, folder));
    else if (/\.(ts|ya?ml)$/.test(name)) {
      source += `${await Deno.readTextFile(new URL(name, folder))}\n`;
    }
  }
  return source.replaceAll(/["'`]\s*\+\s*["'`]/g, "")
    .replaceAll(/\$\{[^}]*\}/g, "…").replaceAll(/\s+/g, " ");
}

/** Quotes that are no messages of osctl, or have a value where the source has another one. */
const notMessages = [
  "unavailable deadline unauthenticated",
  "export const longestSeconds",
  "is more than one minor version ahead",
  "is too new for",
];

Deno.test("every message that a page quotes first in a row or a line is in the source", async () => {
  const texts = speaking.map((one) => readSource(new URL(`${one}/`, root)));
  const source = (await Promise.all(texts)).join("\n");
  const unknown: string[] = [];
  let count = 0;
  for (const { path, text } of await readPages()) {
    if (path.startsWith("docs/decisions/")) continue;
    const prose = text.replaceAll(block, "");
    for (const [row] of prose.matchAll(/^(?:\|[^|]*\||(?:- )?`[^`]+`)/gm)) {
      for (const [, quote = ""] of row.matchAll(/`([^`]+)`/g)) {
        const message = quote.replaceAll(/\s+/g, " ");
        if (
          lines.test(message) || !/^[\w"]+ [a-z].* [a-z]/.test(message) ||
          notMessages.some((one) => message.startsWith(one))
        ) continue;
        // Placeholders, and the parts of words beside them.
        const values =
          /"[^"]*"|\([^)]*\)|\bv?\d[\d.…]*|\bv?…|[….:]+|\b[A-Z]{2,}\b|\S+-…/;
        for (const part of message.split(values).map((one) => one.trim())) {
          if (!part.includes(" ")) continue;
          count++;
          if (!source.includes(part)) unknown.push(`${path}: ${message}`);
        }
      }
    }
  }
  assert.ok(count > 40, `${count}`);
  assert.deepEqual(unknown, []);
});

Deno.test("every exit status in prose is in the table of exit statuses", async () => {
  const pages = await readPages();
  const { text } = pages.find(({ path }) => path === "docs/command-line.md") ??
    assert.fail();
  const [, table = ""] = text.split("## Exit statuses");
  const known = [...table.matchAll(/^\| ([\d, ]+?) +\|/gm)]
    .flatMap(([, cell = ""]) => cell.split(", "));
  assert.ok(known.length > 10, `${known}`);
  const unknown: string[] = [];
  let count = 0;
  for (const { path, text } of pages) {
    for (const [, status = ""] of text.matchAll(/\bstatus\s+(\d+)\b/g)) {
      count++;
      if (!known.includes(status)) unknown.push(`${path}: ${status}`);
    }
  }
  assert.ok(count > 30, `${count}`);
  assert.deepEqual(unknown, []);
});
