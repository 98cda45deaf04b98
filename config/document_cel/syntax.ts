/** Syntax tree of an expression. */

/** Kinds of literals, named after their types. */
export type LiteralType =
  | "bool"
  | "bytes"
  | "double"
  | "int"
  | "null"
  | "string"
  | "uint";

interface NodePart {
  /** Position of its main token in UTF-16 units: the operator of a comparison, the name of a function. */
  readonly offset: number;
}

/** A literal. */
export interface Literal extends NodePart {
  readonly kind: "literal";
  readonly type: LiteralType;
  /** As written, with quotes and sign. */
  readonly text: string;
}

/** A variable, a constant or a type. */
export interface NameNode extends NodePart {
  readonly kind: "name";
  /** With a leading dot to skip the variables of macros. */
  readonly name: string;
}

/** A field of a record or a key of a map, after a dot. */
export interface SelectNode extends NodePart {
  readonly kind: "select";
  readonly operand: Node;
  readonly field: string;
  /** Access style: `a.b`, `a.?b` or `has(a.b)`. */
  readonly style: "plain" | "optional" | "test";
}

/** A function, an operator (`_+_`, `!_`, `_?_:_`, `_[_]`, `_[?_]`, `in`) or a method. */
export interface CallNode extends NodePart {
  readonly kind: "call";
  readonly name: string;
  /** Receiver of a method. */
  readonly target?: Node;
  /** Arguments or operands; `_&&_` and `_||_` have one for each operand of a chain. */
  readonly args: readonly Node[];
  /** Macro behind this call, for messages. */
  readonly macro?: string;
}

/** An element of a list. */
export interface ListElement {
  readonly value: Node;
  /** True to omit the element if there is no value: `[?a]`. */
  readonly optional: boolean;
}

interface CelList extends NodePart {
  readonly kind: "list";
  /** In source order. */
  readonly elements: readonly ListElement[];
}

/** An entry of a map. */
export interface MapElement extends ListElement {
  readonly key: Node;
}

interface MapLiteral extends NodePart {
  readonly kind: "map";
  /** In source order. */
  readonly entries: readonly MapElement[];
}

/** A record literal: `a.b.Type{field: 1}`. */
export interface RecordLiteral extends NodePart {
  readonly kind: "record";
  /** Dotted name of its type. */
  readonly name: string;
  readonly values: readonly Node[];
}

/** Expansion of macros over lists and maps: a fold. */
export interface LoopNode extends NodePart {
  readonly kind: "loop";
  readonly range: Node;
  readonly variable: string;
  readonly accumulator: string;
  readonly initial: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
  readonly macro: string;
}

/** An expression or a part of one. */
export type Node =
  | Literal
  | NameNode
  | SelectNode
  | CallNode
  | CelList
  | MapLiteral
  | RecordLiteral
  | LoopNode;

/** An error in an expression; this folder returns it as a value and never throws it to callers. */
export class ExpressionError extends Error {
  override readonly name: string = "ExpressionError";
  /** Position in UTF-16 units from the start of the expression. */
  readonly offset: number;
  /** Suggested fix, one sentence without a period. */
  readonly hint: string | undefined;

  /**
   * Creates the error.
   *
   * @param message Upper case first, no period; quotes the error.
   * @param offset UTF-16 units from the start of the expression.
   */
  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}
