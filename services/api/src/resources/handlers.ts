// The uniform operations of every kind; each verb has one implementation.
import { kindOperations, resourceErrors, type UniformOperation, type Verb } from '@berth/contract';
import { type ReadCall, type Registration, read, type WriteCall, write } from '../http/call.ts';
import { createResource } from './create.ts';
import { deleteResource } from './delete.ts';
import { getByExternalId, getResource, getRevisions } from './get.ts';
import { listResources } from './list.ts';
import { replaceResource } from './replace.ts';
import type { KindRules } from './rules.ts';

type UniformRead = (call: ReadCall<UniformOperation>, rules: KindRules) => Promise<unknown>;
type UniformWrite = (call: WriteCall<UniformOperation>, rules: KindRules) => Promise<unknown>;

const reads: Partial<Record<Verb, UniformRead>> = {
  list: listResources,
  get: getResource,
  revisions: getRevisions,
  byExternalId: getByExternalId,
};

const itemName = (call: WriteCall, { kind }: KindRules): string => call.params[kind.param] ?? '';

const writes: Partial<Record<Verb, UniformWrite>> = {
  create: (call, rules) => createResource(refusingUpload(call), rules, call.body),
  replace: (call, rules) => replaceResource(refusingUpload(call), rules, itemName(call, rules), call.body),
  delete: (call, rules) => deleteResource(call, rules, itemName(call, rules)),
};

function refusingUpload(call: WriteCall<UniformOperation>): WriteCall {
  if (call.query.upload === true) throw resourceErrors.upload_unavailable();
  return call;
}

/** A kind without rules is fully described by its declaration. */
export function resourceHandlers(kindRules: readonly KindRules[]): Registration[] {
  const rulesOf = new Map(kindRules.map((rules) => [rules.kind.kind, rules]));
  return kindOperations.map(({ kind, verb, operation }) => {
    const rules = rulesOf.get(kind.kind) ?? { kind };
    const reader = reads[verb];
    if (reader !== undefined) return read(operation, (call) => reader(call, rules));
    const writer = writes[verb];
    if (writer === undefined) throw new Error(`no implementation of ${verb}`);
    return write(operation, (call) => writer(call, rules));
  });
}
