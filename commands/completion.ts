import {
  type Command,
  textual,
  toggle,
  type Values,
  word,
} from "./_kit/mod.ts";

/** Completion script of a shell. */
interface CompletionRow {
  readonly shell: string;
  readonly script: string;
}

const shells = ["bash", "fish", "powershell", "zsh"] as const;

const inputs = {
  shell: word("shell to complete for", { choices: shells }),
  noDescriptions: toggle("complete without descriptions"),
};

/** Prints the script of a shell. */
export const command = {
  summary: "Print a shell completion script",
  description:
    `Source the output, or save it where the shell looks for completions:

  bash         source <(osctl completion bash)
  fish         osctl completion fish | source
  powershell   osctl completion powershell | Out-String | Invoke-Expression
  zsh          osctl completion zsh > "\${fpath[1]}/_osctl"   (zsh 5.2 or newer)`,
  section: "osctl",
  noStep: "it is for shells",
  output: "own",
  inputs,
  examples: [
    "completion bash",
    "completion fish",
    "completion powershell",
    "completion zsh --no-descriptions",
  ],
  view: textual((row) => row.script),
  async *run({ input: { shell, noDescriptions } }) {
    const script = scripts[shell] ?? "";
    yield {
      shell,
      script: noDescriptions
        ? script.replace(" __complete ", " __complete-names ")
        : script,
    };
  },
} satisfies Command<CompletionRow, Values<typeof inputs>>;

const bash = `# bash completion for osctl
_osctl() {
  # Readline splits at = and :, so the words are taken from the line itself.
  local text="\${COMP_LINE:0:COMP_POINT}" line
  local -a words
  read -ra words <<<"$text"
  [[ "$text" == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    case "$line" in
      :files) compopt -o default; return ;;
      :directories) compopt -o dirnames; return ;;
      :nospace) compopt -o nospace ;;
      ?*) COMPREPLY+=("$line") ;;
    esac
  done < <(osctl __complete "\${words[@]:1}" 2>/dev/null)
  # What stands before the last separator is already on the line.
  local last="\${words[-1]##*[=:]}"
  local before="\${words[-1]%"$last"}"
  COMPREPLY=("\${COMPREPLY[@]#"$before"}")
}
complete -F _osctl osctl
`;

const fish = `# fish completion for osctl
function __osctl_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (osctl __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path (commandline -ct)
            case ':directories'
                __fish_complete_directories (commandline -ct)
            case ':nospace'
            case '*'
                echo $line
        end
    end
end
complete -c osctl -f -a '(__osctl_complete)'
`;

const powershell = `# PowerShell completion for osctl
Register-ArgumentCompleter -Native -CommandName osctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        $words += if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $element.Value
        } else {
            $element.Extent.Text
        }
    }
    if ($wordToComplete -eq '') {
        # Earlier versions pass no empty words to programs.
        $passes = $PSVersionTable.PSVersion -ge [version]'7.3.0' -and $PSNativeCommandArgumentPassing -ne 'Legacy'
        $words += if ($passes) { '' } else { '""' }
    }
    foreach ($line in (& osctl __complete @words 2>$null)) {
        $word, $about = $line -split "\`t", 2
        # Without a result, PowerShell completes paths.
        if ($word -eq ':files' -or $word -eq ':directories') { return }
        if ($word -eq '' -or $word -eq ':nospace') { continue }
        if (-not $about) { $about = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
}
`;

const zsh = `#compdef osctl
# zsh completion for osctl
_osctl() {
  local line
  local -a plain described options
  while IFS= read -r line; do
    case "$line" in
      :files) _files; return ;;
      :directories) _files -/; return ;;
      :nospace) options=(-S '') ;;
      *$'\\t'*) described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      ?*) plain+=("\${line//:/\\\\:}") ;;
    esac
  done < <(osctl __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe -V osctl described -- plain $options
}
compdef _osctl osctl
`;

/** Completion scripts by shell. */
export const scripts: Readonly<Record<string, string>> = {
  bash,
  fish,
  powershell,
  zsh,
};
