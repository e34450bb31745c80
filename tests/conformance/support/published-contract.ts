// The OpenAPI document as a client reads it: schemas by name, fields by dotted path.
import { openApiDocument } from '@berth/contract';
import { conformanceBrand } from '../../harness/conformance-brand.ts';

type Schema = Readonly<Record<string, unknown>>;

const apiUrl = 'https://api.test';
const document = openApiDocument({ brand: conformanceBrand(), apiUrl, baseUrl: `${apiUrl}/v0`, gatewayUrl: apiUrl });
const components: Readonly<Record<string, Schema>> = document.components.schemas ?? {};

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const inside = (schema: Schema, key: string): Schema => {
  const value = schema[key];
  return isSchema(value) ? value : {};
};

/** Resolves a reference. Properties beside `$ref`, such as `readOnly`, are kept. */
function follow(schema: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema;
  return { ...components[schema.$ref.replace('#/components/schemas/', '')], ...schema };
}

/**
 * Schema of a field, for example `tasks[].metadata.name` of `JobExecution`; undefined when the contract has no such
 * field.
 */
export function fieldOf(component: string, path: string): Schema | undefined {
  const start = components[component];
  if (start === undefined) return undefined;
  return path
    .replaceAll('[]', '.[]')
    .split('.')
    .reduce<Schema | undefined>((schema, step) => {
      if (schema === undefined) return undefined;
      const next = step === '[]' ? schema.items : inside(schema, 'properties')[step];
      return isSchema(next) ? follow(next) : undefined;
    }, start);
}

export const fieldsOf = (component: string, path?: string): string[] =>
  Object.keys(inside((path === undefined ? components[component] : fieldOf(component, path)) ?? {}, 'properties'));
