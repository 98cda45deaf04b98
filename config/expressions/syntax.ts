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

/** Where a part of an expression is. */
export interface NodePart {
  /** UTF-16 units before the character that stands for it: the operator of a comparison, the name of a function. */
  readonly offset: number;
}

/** A value that is written out. */
export interface Literal extends NodePart {
  /** Tells parts apart. */
  readonly kind: "literal";
  /** What it is. */
  readonly type: LiteralType;
  /** As it is written, with quotes and a sign. */
  readonly text: string;
}

/** A variable, a constant or a type. */
export interface NameNode extends NodePart {
  /** Tells parts apart. */
  readonly kind: "name";
  /** With a leading dot when it is meant to skip the variables of macros. */
  readonly name: string;
}

/** A field of a record or a key of a map, after a dot. */
export interface SelectNode extends NodePart {
  /** Tells parts apart. */
  readonly kind: "select";
  /** What is before the dot. */
  readonly operand: Node;
  /** What is after it. */
  readonly field: string;
  /** How it is asked for: `a.b`, `a.?b` or `has(a.b)`. */
  readonly style: "plain" | "optional" | "test";
}

/** A function, an operator (`_+_`, `!_`, `_?_:_`, `_[_]`, `_[?_]`, `in`) or a method. */
export interface CallNode extends NodePart {
  /** Tells parts apart. */
  readonly kind: "call";
  /** Its name. */
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
  /** Its value. */
  readonly value: Node;
  /** Left out when there is no value: `[?a]`. */
  readonly optional: boolean;
}

/** A list that is written out. */
export interface CelList extends NodePart {
  /** Tells parts apart. */
  readonly kind: "list";
  /** In the order they are written. */
  readonly elements: readonly ListElement[];
}

/** An entry of a map. */
export interface MapElement extends ListElement {
  /** Its key. */
  readonly key: Node;
}

/** A map that is written out. */
export interface MapLiteral extends NodePart {
  /** Tells parts apart. */
  readonly kind: "map";
  /** In the order they are written. */
  readonly entries: readonly MapElement[];
}

/** A record that is written out: `a.b.Type{field: 1}`. */
export interface RecordLiteral extends NodePart {
  /** Tells parts apart. */
  readonly kind: "record";
  /** Name of its type, with dots. */
  readonly name: string;
  /** What its fields get. */
  readonly values: readonly Node[];
}

/** What macros over lists and maps become: a fold. */
export interface LoopNode extends NodePart {
  /** Tells parts apart. */
  readonly kind: "loop";
  /** What is gone through. */
  readonly range: Node;
  /** Name of an element. */
  readonly variable: string;
  /** Name of what is carried from step to step. */
  readonly accumulator: string;
  /** What it is at first. */
  readonly initial: Node;
  /** Whether to continue. */
  readonly condition: Node;
  /** What it becomes. */
  readonly step: Node;
  /** What the whole is in the end. */
  readonly result: Node;
  /** Macro it comes from. */
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
  /** Class name, for stacks. */
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
