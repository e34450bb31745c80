/** The actions of one type. */
export const pickActions = <Action extends { readonly do: string }, Do extends Action['do']>(
  actions: readonly Action[],
  what: Do,
): readonly Extract<Action, { readonly do: Do }>[] =>
  actions.filter((action): action is Extract<Action, { readonly do: Do }> => action.do === what);
