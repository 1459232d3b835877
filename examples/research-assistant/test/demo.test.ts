// If this fails: `npm run demo` does not show what the README says it shows.
import {
  anthropicMessages,
  openaiResponses,
  startWire,
  type WireReply,
  type WireServer,
} from '@helix-agents/testing/wire';
import { describe, it } from 'vitest';
import { assistantBehind, laconicModelBehind } from './provider.ts';
import { runDemo } from './run-demo.ts';

const timeout = 600_000;

describe.concurrent('without a key', () => {
  it(
    'is killed in the middle of a tool and finishes without repeating a finished call',
    async ({ expect, onTestFinished }) => {
      const { code, output } = await runDemo(onTestFinished);

      expect(output).toContain('The model is scripted, so you need no key.');
      expect(output).toMatch(/kill -9 \d+: in the middle of read_document\(cordouan\)/);
      expect(output).toMatch(/1 {9}1 {2}read_document\(fresnel-lens\)/);
      expect(output).toMatch(/2 {9}1 {2}read_document\(cordouan\)/);
      expect(output).toContain('Nobody to ask here (no terminal), so the demo answers: yes.');
      expect(output).toContain('5 calls had finished before the kill: none was started again');
      expect(output).toContain('✓ published one time, after the yes');
      expect(output).not.toContain('✗');
      expect(output).not.toContain('\u001b[');
      expect(code).toBe(0);
    },
    timeout,
  );

  it(
    'publishes nothing when the answer is no',
    async ({ expect, onTestFinished }) => {
      const { code, output } = await runDemo(onTestFinished, { args: ['--deny'] });

      expect(output).toContain('so the demo answers: no.');
      expect(output).toContain('I have not published it');
      expect(output).toContain('✗ publish_report → Tool call was not approved');
      expect(output).toContain('✓ nothing was published, as you said');
      expect(code).toBe(0);
    },
    timeout,
  );
});

const PROVIDERS = [
  {
    provider: 'ANTHROPIC',
    modelId: 'claude-sonnet-4-5',
    format: anthropicMessages,
    keyOf: (wire: WireServer) => wire.headers[0]?.['x-api-key'],
    key: 'sk-test-1',
  },
  {
    provider: 'OPENAI',
    modelId: 'gpt-5',
    format: openaiResponses,
    keyOf: (wire: WireServer) => wire.headers[0]?.authorization,
    key: 'Bearer sk-test-1',
  },
];

describe.concurrent.each(PROVIDERS)(
  'with a key of $provider',
  ({ provider, modelId, format, ...wanted }) => {
    const start = async (
      answer: (body: string) => WireReply,
      onTestFinished: (cleanUp: () => Promise<void>) => void,
    ): Promise<{ wire: WireServer; environment: NodeJS.ProcessEnv }> => {
      const wire = await startWire(answer);
      onTestFinished(() => wire.close());
      const environment = {
        [`${provider}_API_KEY`]: 'sk-test-1',
        [`${provider}_BASE_URL`]: wire.url,
      };
      return { wire, environment };
    };

    it(
      'talks to the real provider, whatever order its model works in, and is killed and recovers the same way',
      async ({ expect, onTestFinished }) => {
        const { wire, environment } = await start(assistantBehind(format), onTestFinished);
        const { code, output } = await runDemo(onTestFinished, { environment });

        expect(output).toContain(`The model is ${modelId}, because ${provider}_API_KEY is set.`);
        expect(output).toMatch(/kill -9 \d+: in the middle of read_document\(cordouan\)/);
        expect(output).toContain('✓ 3 calls had finished before the kill: none was started again');
        expect(output).toContain('✓ 1 call was cut off by the kill');
        expect(output).toContain('✓ published one time, after the yes');
        expect(output).toContain('Prisms gather the light.');
        expect(code).toBe(0);
        expect(wanted.keyOf(wire)).toBe(wanted.key);
        expect(JSON.parse(wire.bodies[0] ?? '{}')).toMatchObject({ model: modelId, stream: true });
        // 8 answers of the assistant, 2 of the fact checker: the kill cost no model call.
        expect(wire.bodies).toHaveLength(10);
      },
      timeout,
    );

    it(
      'says in one line what is wrong with a key',
      async ({ expect, onTestFinished }) => {
        const { environment } = await start(
          () => format.error(401, 'invalid x-api-key'),
          onTestFinished,
        );
        const { code, output } = await runDemo(onTestFinished, { environment });

        expect(output.match(/invalid x-api-key/g)).toHaveLength(1);
        expect(output).not.toMatch(/^ {4}at /m);
        expect(code).toBe(1);
      },
      timeout,
    );

    it(
      'says so when the model gives no occasion for the kill or the question',
      async ({ expect, onTestFinished }) => {
        const { environment } = await start(laconicModelBehind(format), onTestFinished);
        const { code, output } = await runDemo(onTestFinished, {
          environment: { ...environment, HELIX_MODEL: 'some-other-model' },
        });

        expect(output).toContain('The model is some-other-model');
        expect(output).toContain('It made them brighter.');
        expect(output).toContain('so there was no moment to kill it');
        expect(output).not.toContain('The agent waits for you');
        expect(output).toContain('✓ nothing was published: it never asked');
        expect(code).toBe(0);
      },
      timeout,
    );
  },
);
