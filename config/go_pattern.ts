/** Regular expressions of Go. */

/** A pattern of Go as one of JavaScript. Throws `SyntaxError` if it is none. */
export function goPattern(source: string, flags = "u"): RegExp {
  const [, given = "", rest = ""] = /^(?:\(\?([ims]+)\))?([^]*)$/
    .exec(source) ?? [];
  return new RegExp(rest.replaceAll("(?P<", "(?<"), flags + given);
}
