// A tool is data: its name, its input, its output and the function that runs it. The function loads its feature on the
// first call, so that listing the tools loads none.
import type { z } from 'zod/mini';
import type { Caller } from '../caller.ts';
import type { Guest } from '../guest.ts';
import { Fault } from '../http/fault.ts';
import type { Settings } from '../settings.ts';
import { type FlatObject, flatSchema } from './flat-schema.ts';

export type ToolContext = {
  guest: Guest;
  caller: Caller;
  /** Aborts when the caller has left or cancelled. Started processes go on; waits and searches end. */
  left: AbortSignal;
};

type ToolDeclaration<Input extends z.ZodMiniType, Output extends z.ZodMiniType<object>> = {
  name: string;
  description: string;
  /** A strict object: an unknown argument is a misunderstanding that the caller should see. */
  input: Input;
  output: Output;
  /** Absent: the tool is always offered. */
  isOffered?: (settings: Settings) => boolean;
  run(args: z.output<Input>, context: ToolContext): Promise<z.output<Output>>;
};

export type Tool = {
  name: string;
  description: string;
  inputSchema: FlatObject;
  outputSchema: FlatObject;
  isOffered(settings: Settings): boolean;
  /** Faults: 400 for arguments that do not fit, and the faults of the feature. */
  call(args: unknown, context: ToolContext): Promise<object>;
};

export function defineTool<Input extends z.ZodMiniType, Output extends z.ZodMiniType<object>>(
  declaration: ToolDeclaration<Input, Output>,
): Tool {
  const { name, description, input, output, isOffered = () => true, run } = declaration;
  return {
    name,
    description,
    inputSchema: flatSchema(input),
    outputSchema: flatSchema(output),
    isOffered,
    call: async (args, context) => {
      return run(parseArguments(input, args, name), context);
    },
  };
}

/** Throws a Fault (400) that names each argument that does not fit. */
export function parseArguments<Schema extends z.ZodMiniType>(
  schema: Schema,
  args: unknown,
  name: string,
): z.output<Schema> {
  const parsed = schema.safeParse(args);
  if (!parsed.success) throw new Fault(400, argumentFaultText(name, parsed.error.issues));
  return parsed.data;
}

function argumentFaultText(name: string, issues: z.core.$ZodError['issues']): string {
  const reasons = issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
  return `The arguments of ${name} do not fit: ${reasons.join('; ')}. tools/list shows what it takes.`;
}
