const plain = /^[\w@%+=:,./-]+$/;

/** A text as one word of the shell, whatever it holds. */
export const shellWord = (text: string): string => (plain.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
