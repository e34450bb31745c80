/** The only place that reads process.env: everything else takes values as arguments, so a test can pass its own. */
export const environment: Readonly<Record<string, string | undefined>> = process.env;
