// The node of flows that asks the provider of answers (D-151, `ai_prompt`).
import { z } from 'zod'
import type { NodeType } from '#main/plugins/automation/api.ts'
import type { AiService } from '../api.ts'

const Config = z.looseObject({ prompt: z.string().min(1), schema: z.record(z.string(), z.unknown()).optional() })

/** Makes the node type. */
export function promptNode(ai: Pick<AiService, 'prompt'>): NodeType {
  const node: NodeType<z.output<typeof Config>> = {
    type: 'ai_prompt',
    version: '1.0.0',
    name: 'Prompt',
    description: 'Asks a language model, or the embedded provider about records.',
    icon: 'sparkles',
    category: 'custom',
    configSchema: Config,
    effect: 'external',
    verbatim: ['schema'],
    execute: async ({ config: { prompt, schema }, ctx }) => ({ output: await ai.prompt(ctx, { prompt, schema }) }),
  }
  return node as unknown as NodeType
}
