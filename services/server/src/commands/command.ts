import type { Logger } from '@berth/telemetry';
import type { z } from 'zod';

/** An operator command that runs once and exits: `berth-server migrate --config berth.yaml`. */
export type Command<Sections extends z.ZodRawShape = z.ZodRawShape> = {
  name: string;
  /** One line for the usage text. */
  summary: string;
  sections: Sections;
  run(config: z.output<z.ZodObject<Sections>>, context: CommandContext): Promise<void>;
};

export type CommandContext = {
  logger: Logger;
  /** Arguments after the command's name, except --config. */
  arguments: readonly string[];
  /** Writes the result to standard output; the logger reports what happened. */
  print(line: string): void;
  /** Tells a person who waits what is being done, on standard error. */
  progress(line: string): void;
};

export function defineCommand<Sections extends z.ZodRawShape>(command: Command<Sections>): Command {
  return command;
}
