// Schema of an object of texts in the form of Standard Schema and Standard JSON Schema (standardschema.dev), which the AI SDK
// accepts. The form needs no library.

/** Names and descriptions of the texts. */
type Fields = Readonly<Record<string, string>>;

type Texts<Needed extends string, Free extends string> = { [Name in Needed]: string } & { [Name in Free]?: string };

type Validated<Value> = { readonly value: Value } | { readonly issues: readonly { readonly message: string }[] };

export interface Schema<Value> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'berth-sdk';
    readonly types?: { readonly input: Value; readonly output: Value };
    readonly validate: (value: unknown) => Validated<Value>;
    readonly jsonSchema: Readonly<Record<'input' | 'output', () => Record<string, unknown>>>;
  };
}

export function textSchema<Needed extends Fields, Free extends Fields>(
  needed: Needed,
  free: Free,
): Schema<Texts<keyof Needed & string, keyof Free & string>> {
  const names = [...Object.keys(needed), ...Object.keys(free)];
  const jsonSchema = () => ({
    type: 'object',
    properties: Object.fromEntries(
      Object.entries({ ...needed, ...free }).map(([name, description]) => [name, { type: 'string', description }]),
    ),
    required: Object.keys(needed),
    additionalProperties: false,
  });
  return {
    '~standard': {
      version: 1,
      vendor: 'berth-sdk',
      jsonSchema: { input: jsonSchema, output: jsonSchema },
      validate(value) {
        const given = Object.entries(value ?? {});
        const wrong = [
          ...Object.keys(needed).filter((name) => !given.some(([each]) => each === name)),
          ...given.filter(([name, text]) => !names.includes(name) || typeof text !== 'string').map(([name]) => name),
        ];
        if (wrong.length > 0)
          return { issues: wrong.map((name) => ({ message: `"${name}" has to be a known text.` })) };
        return { value: value as Texts<keyof Needed & string, keyof Free & string> };
      },
    },
  };
}
