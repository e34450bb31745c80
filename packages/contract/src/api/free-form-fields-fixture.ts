// Places of the OpenAPI document that accept or return values without a declared type, each with a reason. A test
// compares the list with the document, so every other place is typed.

export interface FreeFormField {
  /** Components that contain the place. */
  readonly schemas: readonly string[];
  /** Property names below the component; `[]` stands for every element, `{}` for every value of a map. */
  readonly path: string;
  readonly reason: string;
}

const callersTask = 'Arguments of a task belong to the caller; they reach the task as they came.';
const hubForm = 'Questions a console asks before it connects a server; the catalogue of the operator shapes them.';

export const freeFormFields: readonly FreeFormField[] = [
  { schemas: ['TriggerConfigurationInput', 'TriggerConfiguration'], path: 'tasks[]', reason: callersTask },
  { schemas: ['CreateJobExecutionRequest', 'CreateJobExecutionOutput'], path: 'tasks[]', reason: callersTask },
  { schemas: ['MCPDefinitionForm'], path: 'config', reason: hubForm },
  { schemas: ['MCPDefinitionForm'], path: 'secrets', reason: hubForm },
  { schemas: ['Feature'], path: 'payload', reason: 'A feature carries whatever its operator gave it.' },
  { schemas: ['SandboxError'], path: 'details', reason: 'Facts about one refusal; each code has its own.' },
];
