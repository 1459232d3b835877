import {
  functionModel,
  type FunctionModel,
  type JsonValue,
  type LLMGenerateInput,
  type LLMToolCall,
  type ScriptOptions,
  type StepResult,
} from '@helix-agents/core';

/** One answer of a scripted agent. */
export type Answer = StepResult | ((input: LLMGenerateInput) => StepResult | Promise<StepResult>);

/**
 * A model that gives each agent its nth answer when the transcript holds n answers already. It keeps no place of its own,
 * so it says the same in every process and after every crash.
 */
export function script(
  answers: { readonly [agentType: string]: readonly Answer[] },
  options: ScriptOptions = {},
): FunctionModel {
  return functionModel((input) => {
    const given = input.messages.filter((message) => message.role === 'assistant').length;
    const answer = answers[input.agentType]?.[given];
    if (!answer) throw new Error(`${input.agentType} has no answer ${given + 1} in this script`);
    return typeof answer === 'function' ? answer(input) : answer;
  }, options);
}

export function say(content: string): StepResult {
  return { type: 'text', content, shouldStop: true, usage: { prompt: 10, completion: 5 } };
}

/** Calls tools; each is a name, or `use(...)`. */
export function call(...calls: readonly (string | LLMToolCall)[]): StepResult {
  const toolCalls = calls.map((one) => (typeof one === 'string' ? use(one) : one));
  return { type: 'tool_calls', toolCalls, usage: { prompt: 10, completion: 5 } };
}

/** One call. Its id is the tool's name unless given. */
export function use(name: string, input: JsonValue = {}, id: string = name): LLMToolCall {
  return { id, name, arguments: input };
}

/** The end of a helper. */
export function finish(said: string): StepResult {
  return call(use('__finish__', { said }));
}

/** How often an agent's model was asked. */
export function timesAsked(model: FunctionModel, agentType: string): number {
  return model.calls.filter((call) => call.agentType === agentType).length;
}
