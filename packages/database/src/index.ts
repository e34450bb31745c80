export async function migrate(_connectionString: string): Promise<void> {}
