// Kinds of resources that commands name, and the operations of each. Words are those of the interface, and their short forms.
import type { Berth, Operations } from 'berth-sdk';
import { UsageError } from './exit-codes.ts';

export interface Resource {
  readonly metadata: {
    readonly name: string;
    readonly url?: string | undefined;
    readonly createdAt?: string | undefined;
  };
  readonly spec?: unknown;
  readonly status?: string | undefined;
  readonly state?: unknown;
  readonly events?: readonly { readonly message?: string | undefined }[] | undefined;
}

interface Names {
  readonly words: readonly string[];
  readonly title: string;
  readonly plural: string;
  readonly param: string;
}

const kinds: readonly Names[] = [
  { words: ['sandbox', 'sandboxes', 'sbx'], title: 'Sandbox', plural: 'Sandboxes', param: 'sandboxName' },
  { words: ['agent', 'agents', 'agt'], title: 'Agent', plural: 'Agents', param: 'agentName' },
  { words: ['function', 'functions', 'fn'], title: 'Function', plural: 'Functions', param: 'functionName' },
  { words: ['job', 'jobs'], title: 'Job', plural: 'Jobs', param: 'jobId' },
  { words: ['model', 'models', 'mdl'], title: 'Model', plural: 'Models', param: 'modelName' },
  { words: ['policy', 'policies'], title: 'Policy', plural: 'Policies', param: 'policyName' },
  { words: ['drive', 'drives'], title: 'Drive', plural: 'Drives', param: 'driveName' },
  { words: ['volume', 'volumes'], title: 'Volume', plural: 'Volumes', param: 'volumeName' },
];

export class ResourceKind {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  get title(): string {
    return this.#names.title;
  }

  /** Segment of addresses, such as `agents`. */
  get path(): string {
    return this.#names.plural.toLowerCase();
  }

  list(berth: Berth): AsyncGenerator<Resource> {
    return berth.list(this.#id('list', this.#names.plural) as 'listAgents', {});
  }

  get(berth: Berth, name: string): Promise<Resource> {
    return this.#call(berth, 'get', { params: this.#params(name) });
  }

  delete(berth: Berth, name: string): Promise<Resource> {
    return this.#call(berth, 'delete', { params: this.#params(name) });
  }

  create(berth: Berth, body: object): Promise<Resource> {
    return this.#call(berth, 'create', { body });
  }

  update(berth: Berth, name: string, body: object): Promise<Resource> {
    return this.#call(berth, 'update', { params: this.#params(name), body });
  }

  #call(berth: Berth, verb: string, given: object): Promise<Resource> {
    // The four operations of all these kinds have the same form.
    const id = this.#id(verb, this.#names.title) as 'getAgent';
    return berth.request(id, given as Operations['getAgent']['given']);
  }

  #id(verb: string, noun: string): string {
    return `${verb}${noun}`;
  }

  #params(name: string): Readonly<Record<string, string>> {
    return { [this.#names.param]: name };
  }
}

export function kindOf(word: string): ResourceKind {
  const found = kinds.find(({ words }) => words.includes(word.toLowerCase()));
  if (found !== undefined) return new ResourceKind(found);
  throw new UsageError(`"${word}" is no kind. Known are: ${kinds.map(({ words }) => words[0]).join(', ')}.`);
}
