/** What an expression is made of, once it is read. */

/** Kinds of literals; the names are those of their types. */
export type LiteralType =
  | "bool"
  | "bytes"
  | "double"
  | "int"
  | "null"
  | "string"
  | "uint";

interface NodePart {
  /** UTF-16 units before the character that stands for it: the operator of a comparison, the name of a function. */
  readonly offset: number;
}

/** A value that is written out. */
export interface Literal extends NodePart {
  readonly kind: "literal";
  readonly type: LiteralType;
  /** As it is written, with quotes and a sign. */
  readonly text: string;
}

/** A variable, a constant or a type. */
export interface NameNode extends NodePart {
  readonly kind: "name";
  /** With a leading dot when it is meant to skip the variables of macros. */
  readonly name: string;
}

/** A field of a record or a key of a map, after a dot. */
export interface SelectNode extends NodePart {
  readonly kind: "select";
  readonly operand: Node;
  readonly field: string;
  /** How it is asked for: `a.b`, `a.?b` or `has(a.b)`. */
  readonly style: "plain" | "optional" | "test";
}

/** A function, an operator (`_+_`, `!_`, `_?_:_`, `_[_]`, `_[?_]`, `in`) or a method. */
export interface CallNode extends NodePart {
  readonly kind: "call";
  readonly name: string;
  /** What is before the dot of a method. */
  readonly target?: Node;
  /** Arguments or operands; `_&&_` and `_||_` have as many as stand in a row. */
  readonly args: readonly Node[];
  /** Macro that this call stands for, for messages. */
  readonly macro?: string;
}

/** An element of a list. */
export interface ListElement {
  readonly value: Node;
  /** Left out when there is no value: `[?a]`. */
  readonly optional: boolean;
}

interface CelList extends NodePart {
  readonly kind: "list";
  /** In the order they are written. */
  readonly elements: readonly ListElement[];
}

/** An entry of a map. */
export interface MapElement extends ListElement {
  readonly key: Node;
}

interface MapLiteral extends NodePart {
  readonly kind: "map";
  /** In the order they are written. */
  readonly entries: readonly MapElement[];
}

/** A record that is written out: `a.b.Type{field: 1}`. */
export interface RecordLiteral extends NodePart {
  readonly kind: "record";
  /** Name of its type, with dots. */
  readonly name: string;
  readonly values: readonly Node[];
}

/** What macros over lists and maps become: a fold. */
export interface LoopNode extends NodePart {
  readonly kind: "loop";
  readonly range: Node;
  readonly variable: string;
  /** Name of what is carried from step to step. */
  readonly accumulator: string;
  readonly initial: Node;
  readonly condition: Node;
  readonly step: Node;
  /** What the whole is in the end. */
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

/** An error in an expression; leaves this folder as a value, never as an error. */
export class ExpressionError extends Error {
  override readonly name: string = "ExpressionError";
  /** Where it is, in UTF-16 units from the start of the expression. */
  readonly offset: number;
  /** What would be right, one sentence without a period. */
  readonly hint: string | undefined;

  /**
   * Makes the error.
   *
   * @param message Upper case first, no period; quotes what is wrong.
   * @param offset UTF-16 units from the start of the expression.
   */
  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}
