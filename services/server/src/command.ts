import type { Logger } from '@berth/telemetry';
import type { z } from 'zod';

/** A thing the program does once and ends: `berth-server migrate --config berth.yaml`. */
export type Command<Sections extends z.ZodRawShape = z.ZodRawShape> = {
  name: string;
  /** One line for the usage text. */
  summary: string;
  sections: Sections;
  run(config: z.output<z.ZodObject<Sections>>, context: CommandContext): Promise<void>;
};

export type CommandContext = {
  logger: Logger;
  /** What follows the command's name, except --config. */
  arguments: readonly string[];
  /** Standard output: what the person asked for, while the logger tells what happened. */
  print(line: string): void;
};

export function defineCommand<Sections extends z.ZodRawShape>(command: Command<Sections>): Command {
  return command;
}
