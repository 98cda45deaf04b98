/** Templates, and what `text/template` makes of them with this dot. */

/** The dot, as YAML. */
export const dot = `
name: prod
role: worker
count: 3
big: 1000000
empty: ""
yes: true
list: [a, b, c]
map: {b: 2, a: one}
nested: {deep: {er: x}}
`;

/** Only what the language has without further functions. */
export const plainTemplates: readonly (readonly [string, string])[] = [
  ["a {{ .name }} b", "a prod b"],
  ["{{- /* c */ -}} x {{- /* d */}}", "x"],
  ["x \n {{- .name -}} \n y", "xprody"],
  [
    "{{ .count }} {{ .big }} {{ 1.5 }} {{ 1e6 }} {{ 0x10 }}",
    "3 1000000 1.5 1e+06 16",
  ],
  ["{{ .map }} {{ .list }} {{ .yes }}", "map[a:one b:2] [a b c] true"],
  [
    '{{ if eq .role "control-plane" }}c{{ else if eq .role "worker" "x" }}w{{ else }}?{{ end }}',
    "w",
  ],
  ["{{ if and .name .empty }}1{{ else }}2{{ end }}", "2"],
  [
    "{{ and .name .role }} {{ or .empty .name }} {{ not .empty }}",
    "worker prod true",
  ],
  ["{{ range .list }}-{{ . }}{{ end }}", "-a-b-c"],
  [
    "{{ range $i, $v := .list }}{{ $i }}{{ $v }}{{ $.name }} {{ end }}",
    "0aprod 1bprod 2cprod ",
  ],
  ["{{ range $k, $v := .map }}{{ $k }}={{ $v }};{{ end }}", "a=one;b=2;"],
  ["{{ with .nested.deep }}{{ .er }}{{ $.count }}{{ end }}", "x3"],
  ["{{ with .empty }}a{{ else }}b{{ end }}", "b"],
  ["{{ with $x := .name }}{{ $x }}{{ . }}{{ end }}", "prodprod"],
  ["{{ $x := 1 }}{{ range .list }}{{ $x = . }}{{ end }}{{ $x }}", "c"],
  ["{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"],
  ['{{ index .list 1 }}{{ index .map "a" }}{{ (index .list 0) }}', "bonea"],
  ["{{ len .list }} {{ len .name }} {{ len .map }}", "3 4 2"],
  [
    '{{ printf "%s-%d %q %v %05d|%-4s|%4s" .name .count .role .list 42 "a" "b" }}',
    'prod-3 "worker" [a b c] 00042|a   |   b',
  ],
  ['{{ .name | printf "%s:%s" "x" }}', "x:prod"],
  [
    '{{ lt 1 2 }} {{ ge 2 2 }} {{ ne .name "x" }} {{ gt "b" "a" }}',
    "true true true true",
  ],
  ['{{ print 1 2 "a" 3 }}', "1 2a3"],
  ['{{ `raw \\n` }}{{ "a\\tb\\u00e9" }}', "raw \\na\tbé"],
  ["{{ (.nested).deep.er }}", "x"],
];

/** With functions of sprig, and of Helm at the end. */
export const sprigTemplates: readonly (readonly [string, string])[] = [
  ['{{ .empty | default "d" }}{{ default 1 .count }}', "d3"],
  ["{{ quote .name 1 }} {{ squote .name }}", '"prod" "1" \'prod\''],
  ['{{ b64enc .name }} {{ b64dec "cHJvZA==" }}', "cHJvZA== prod"],
  ['{{ "a\\nb" | indent 2 }}|{{ "a\\nb" | nindent 1 }}', "  a\n  b|\n a\n b"],
  ['{{ dig "deep" "er" "n" .nested }}{{ dig "deep" "no" "n" .nested }}', "xn"],
  ['{{ hasKey .map "a" }} {{ hasKey .map "z" }}', "true false"],
  ['{{ (fromJson "{\\"a\\": [1, 2.5]}").a }}', "[1 2.5]"],
  [
    '{{ trimAll "/" "/a/b/" }} {{ trimPrefix "p" .name }} {{ trimSuffix "d" .name }}',
    "a/b rod pro",
  ],
  ['{{ regexReplaceAll "(\\\\w)o" .name "${1}0" }}', "pr0d"],
  ['{{ regexMatch "^p.*d$" .name }}', "true"],
  [
    "{{ add 1 2 3 }} {{ sub 5 2 }} {{ mul 2 3 }} {{ div 7 2 }} {{ mod 7 2 }}",
    "6 3 6 3 1",
  ],
  [
    '{{ upper .name }} {{ lower "A" }} {{ trim " a " }} {{ replace "o" "0" .name }}',
    "PROD a a pr0d",
  ],
  ['{{ keys (dict "a" 1) }} {{ has "a" .list }}', "[a] true"],
  ["{{ first .list }}{{ last .list }}{{ until 3 }}", "ac[0 1 2]"],
  ['{{ get .map "a" }}{{ get .map "no" }}{{ append .list 1 }}', "one[a b c 1]"],
  ['{{ contains "ro" .name }} {{ hasPrefix "p" .name }}', "true true"],
  ['{{ kindIs "slice" .list }} {{ int "7" }}', "true 7"],
  ['{{ join "," .list }} {{ splitList "." "a.b" }}', "a,b,c [a b]"],
  ['{{ ternary "a" "b" .yes }} {{ coalesce .empty .name }}', "a prod"],
  [
    '{{ list 1 2 | toJson }} {{ dict "a" 1 "b" (list "x") | toJson }}',
    '[1,2] {"a":1,"b":["x"]}',
  ],
];

/** With functions of Helm. */
export const helmTemplates: readonly (readonly [string, string])[] = [
  ["x:\n{{ toYaml .map | indent 2 }}", "x:\n  a: one\n  b: 2"],
  ["{{ toYaml .list }}", "- a\n- b\n- c"],
  ['{{ (fromYaml "a: {b: 1}").a.b }}', "1"],
];
