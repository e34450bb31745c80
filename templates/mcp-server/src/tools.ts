type Arguments = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: object;
  run(given: Arguments): Promise<string>;
}

function textArgument(given: Arguments, name: string): string {
  const value = given[name];
  if (typeof value !== 'string') throw new Error(`The argument ${name} must be a text.`);
  return value;
}

export const tools: readonly Tool[] = [
  {
    name: 'count_words',
    description: 'Counts the words of a text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: async (given) => String(textArgument(given, 'text').split(/\s+/).filter(Boolean).length),
  },
  {
    name: 'current_time',
    description: 'Tells the time in a time zone such as Europe/Oslo.',
    inputSchema: { type: 'object', properties: { timeZone: { type: 'string' } }, required: ['timeZone'] },
    run: async (given) =>
      new Intl.DateTimeFormat('en-GB', {
        timeZone: textArgument(given, 'timeZone'),
        dateStyle: 'full',
        timeStyle: 'long',
      }).format(new Date()),
  },
];
