// A model with the tools of a sandbox, by the AI SDK and MCP.
import { argv, env } from 'node:process';
import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount } from 'ai';

const { MCP_URL: url, BERTH_KEY: key, MODEL_URL: baseURL, MODEL_KEY: apiKey, MODEL: name = 'gpt' } = env;
const prompt = argv[2] ?? 'Which Linux is this? Look into /etc/os-release.';

const sandbox = await createMCPClient({
  transport: { type: 'http', url, headers: { authorization: `Bearer ${key}` } },
});
try {
  const model = createOpenAICompatible({ name: 'berth', baseURL, apiKey })(name);
  const { text } = await generateText({ model, prompt, tools: await sandbox.tools(), stopWhen: isStepCount(10) });
  console.log(text);
} finally {
  await sandbox.close();
}
