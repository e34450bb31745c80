// What a command is: data about its words, and one function.
import type { Berth } from 'berth-sdk';
import type { Printer } from './output/printer.ts';

export interface Option {
  readonly about: string;
  /** Name of the value in help texts; a flag without one. */
  readonly value?: string;
  readonly short?: string;
  readonly isRepeated?: true;
}

export interface Argument {
  readonly name: string;
  readonly isOptional?: true;
  /** Takes all that follow. */
  readonly isRest?: true;
}

export interface Given {
  /** Undefined where it was not given. */
  text(option: string): string | undefined;
  list(option: string): readonly string[];
  flag(option: string): boolean;
  /** By position; throws a usage error for a required one. */
  argument(name: string): string;
  /** By position; undefined where it was not given. */
  optional(name: string): string | undefined;
  rest(): readonly string[];
}

interface Context {
  readonly given: Given;
  /** The deployment that the options, the environment or the login name. */
  berth(): Promise<Berth>;
  readonly printer: Printer;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Command {
  readonly name: string;
  readonly about: string;
  readonly arguments?: readonly Argument[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Lines of help with examples. */
  readonly examples?: readonly string[];
  /** Returns the exit code; 0 where it returns nothing. */
  readonly run: (context: Context) => Promise<number | undefined> | Promise<void>;
}
