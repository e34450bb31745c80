// Every served operation: the uniform ones of the kinds, then those that are special.
import { operationsOf } from '../kind-operations.ts';
import { kinds } from '../kinds/index.ts';
import type { Operation } from '../operation.ts';

export const kindOperations = kinds.flatMap(operationsOf);

export const operations: readonly Operation[] = [...kindOperations.map(({ operation }) => operation)];
