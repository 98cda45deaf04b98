/** Generated Go templates; most of them render. */

import fc from "fast-check";

const pick = (...texts: string[]) => fc.constantFrom(...texts);

/** A call in parentheses. */
const call = (
  name: string | fc.Arbitrary<string>,
  ...args: fc.Arbitrary<string>[]
) =>
  fc.tuple(typeof name === "string" ? fc.constant(name) : name, ...args)
    .map((all) => `(${all.join(" ")})`);

const expressions = fc.letrec<
  Record<"text" | "number" | "truth" | "list", string>
>(
  (tie) => {
    const [text, number, truth, list] = [
      tie("text"),
      tie("number"),
      tie("truth"),
      tie("list"),
    ];
    const few = { depthSize: "small", withCrossShrink: true } as const;
    return {
      text: fc.oneof(
        few,
        pick(".name", ".role", ".empty", ".nested.deep.er", "$.name"),
        pick('"a b"', '"pro"', "`o`", '"x\\ny"', '".0"', '"<&>"', '"ä"'),
        call('printf "%s-%03d|%-4v"', text, number, text),
        call("default", text, text),
        call("ternary", text, text, truth),
        call("coalesce", text, pick('"c"')),
        call(
          pick(
            "upper",
            "lower",
            "trim",
            "b64enc",
            "quote",
            "squote",
            "toString",
            "toJson",
          ),
          text,
        ),
        call(pick("trimAll", "trimPrefix", "trimSuffix"), text, text),
        call("replace", pick('"o"', '"a"'), text, text),
        call("indent", pick("0", "2"), text),
        call("nindent", pick("0", "3"), text),
        call("join", text, list),
        call(
          'regexReplaceAll "([aeo])(.?)"',
          text,
          pick('"<$1>"', '"${2}$0"', '"$$"'),
        ),
        call(
          "dig",
          pick('"deep"', '"no"'),
          pick('"er"'),
          text,
          pick(".nested"),
        ),
        call("toJson", list),
        call("print", number, number, text, truth),
      ),
      number: fc.oneof(
        few,
        pick(".count", ".big", "0", "-3", "42", "0x1f"),
        call("len", fc.oneof(text, list)),
        call(pick("add", "sub", "mul", "div", "mod"), number, number),
        call("int", fc.oneof(text, number)),
      ),
      truth: fc.oneof(
        few,
        pick(".yes", "true", "false"),
        call(pick("eq", "ne", "lt", "le", "gt", "ge"), text, text),
        call(pick("eq", "ne", "lt", "le", "gt", "ge"), number, number),
        call(pick("and", "or"), truth, text),
        call(pick("not", "empty"), fc.oneof(text, number, list)),
        call(pick("contains", "hasPrefix", "hasSuffix"), text, text),
        call("hasKey .map", pick('"a"', '"z"')),
        call("has", text, list),
        call('kindIs "string"', fc.oneof(text, number)),
      ),
      list: fc.oneof(
        few,
        pick(".list", "(until 3)", "(list)"),
        call("list", text, number),
        call("append", list, text),
        call('splitList "o"', text),
      ),
    };
  },
);

const { text, number, truth, list } = expressions;
const any = fc.oneof(
  text,
  number,
  truth,
  list,
  pick("1.5", "1e6", ".map", ".missing"),
);

const open = pick("{{ ", "{{- ");
const close = pick(" }}", " -}}");
const action = (inner: fc.Arbitrary<string>) =>
  fc.tuple(open, inner, close).map((all) => all.join(""));

/** A template. */
export const template: fc.Arbitrary<string> =
  fc.letrec<Record<"body", string>>((tie) => {
    const body = tie("body");
    const parts = (...all: fc.Arbitrary<string>[]) =>
      fc.tuple(...all).map((texts) => texts.join(""));
    const end = action(pick("end"));
    const when = (word: string, of: fc.Arbitrary<string>) =>
      action(of.map((one) => `${word} ${one}`));
    return {
      body: fc.oneof(
        { depthSize: "small" },
        pick("a\n", "  b ", "- c: "),
        action(any),
        action(
          fc.tuple(text, pick("upper", "quote", 'default "z"', 'printf "%5s"'))
            .map((two) => two.join(" | ")),
        ),
        parts(body, body),
        parts(
          when("if", any),
          body,
          when("else if", truth),
          body,
          action(pick("else")),
          body,
          end,
        ),
        parts(
          when("with", any),
          body,
          pick("{{ . }}"),
          action(pick("else")),
          body,
          end,
        ),
        parts(when("range", list), pick("{{ . }},"), body, end),
        parts(
          when("range $i, $v :=", fc.oneof(list, pick(".map"))),
          pick("{{ $i }}={{ $v }}"),
          body,
          end,
        ),
        parts(when("$x :=", any), body, when("$x =", any), pick("{{ $x }}")),
        pick("{{/* c */}}", "{{- /* c */ -}}"),
      ),
    };
  }).body;
