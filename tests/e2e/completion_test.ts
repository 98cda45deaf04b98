import { needs } from "../_needs.ts";
import { withHome } from "../_osctl.ts";
import { withTerminal } from "./_terminal.ts";

const main = new URL("../../mod.ts", import.meta.url).pathname;

/** A folder with a program `osctl` in it, which runs the sources. */
async function withProgram(
  test: (path: string, home: string) => Promise<void>,
): Promise<void> {
  await withHome(async ({ path: home, env }) => {
    const bin = `${home}/bin`;
    await Deno.mkdir(bin);
    await Deno.writeTextFile(
      `${bin}/osctl`,
      `#!/bin/sh\nDENO_DIR='${env.DENO_DIR}' exec '${Deno.execPath()}' run -A --quiet '${main}' "$@"\n`,
      { mode: 0o755 },
    );
    await test(`${bin}:${Deno.env.get("PATH")}`, home);
  });
}

const shells = [
  {
    shell: "bash",
    command: ["bash", "--norc", "--noprofile"],
    setUp: "PS1='> '; source <(osctl completion bash); clear; echo ready",
  },
  {
    shell: "fish",
    command: ["fish", "--no-config"],
    setUp:
      "function fish_prompt; echo '> '; end; osctl completion fish | source; clear; echo ready",
  },
  {
    shell: "zsh",
    command: ["zsh", "-f"],
    setUp:
      "PS1='> '; autoload -U compinit; compinit -u -D; source <(osctl completion zsh); clear; echo ready",
  },
] as const;

for (const { shell, command, setUp } of shells) {
  Deno.test({
    name:
      `completion completes commands, flags, values and contexts in ${shell}`,
    ...needs("tmux", shell),
    async fn() {
      await withProgram(async (path, home) => {
        const osconfig = `${home}/osconfig`;
        await Deno.writeTextFile(
          osconfig,
          "context: lab\ncontexts:\n    lab:\n        endpoints: []\n",
        );
        const env = { PATH: path, HOME: home, OSCONFIG: osconfig };
        await withTerminal(command, env, async ({ type, shows }) => {
          await type(setUp, "Enter");
          await shows(/^ready/m);
          await type("osctl vers", "Tab");
          await shows(/osctl version\s*$/m);
          await type("--cli", "Tab");
          await shows(/osctl version --client/);
          await type("--context l", "Tab");
          await shows(/osctl version --client --context lab/);
          await type("--output=ya", "Tab", "Enter");
          await shows(/--output=yaml/);
          await shows(/^tag: v/m);
        });
      });
    },
  });
}
