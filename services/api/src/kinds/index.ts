// Rules of the kinds that have any; a kind without an entry is wholly described by its declaration.
import type { KindRules } from '../resources/rules.ts';

export const kindRules: Readonly<Record<string, KindRules>> = {};
