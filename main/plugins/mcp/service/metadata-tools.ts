// Tools for what the workspace consists of: what saving an item would do, and saving it. What loses data asks first.
import { z } from 'zod'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { MetadataService, SaveItemResult } from '#main/plugins/metadata/api.ts'
import type { Confirmations } from './confirmations.ts'
import { ConfirmToken, Confirmation } from './confirmations.ts'
import type { Tool } from './tool.ts'
import { changes, defineTool, looks } from './tool.ts'

/** What the tools work with. */
export interface MetadataParts {
  readonly metadata: MetadataService
  readonly authorizer: () => Authorizer
  readonly confirmations: Confirmations
}

const ItemArguments = {
  type: z.enum(metadataTypes as unknown as [MetadataType, ...MetadataType[]]),
  name: z.string().max(200).meta({ description: 'Name of the item, in snake_case.' }),
  item: z.record(z.string(), z.unknown()).meta({
    description:
      'The whole item. An object: {"label": "Project", "fields": {"name": {"type": "text", "required": true}}}. What is left out is taken away.',
  }),
}

const Step = z.looseObject({ change: z.string(), records: z.int(), destructive: z.boolean(), lossy: z.int() })
const Planned = { steps: z.array(Step), warnings: z.array(z.object({ path: z.string(), message: z.string() })) }

/** Makes the tools. */
export function metadataTools({ metadata, confirmations }: MetadataParts): Tool[] {
  return [
    defineTool({
      name: 'plan_metadata_change',
      title: 'Plan a change of metadata',
      description: 'Checks an object or another metadata item and tells what saving it would change. Saves nothing.',
      hints: looks,
      input: z.strictObject(ItemArguments),
      output: z.object({ ...Planned, losesData: z.boolean() }),
      async run(ctx, { type, name, item }) {
        const result = await metadata.save(ctx, { type, name, item, dryRun: true })
        return { ...planOf(result), losesData: losesData(result) }
      },
    }),
    defineTool({
      name: 'save_metadata',
      title: 'Save metadata',
      description:
        'Creates or replaces an object or another metadata item. A change that loses data answers with a plan first; it is made when called again with the confirmToken.',
      hints: changes,
      input: z.strictObject({ ...ItemArguments, confirmToken: ConfirmToken }),
      output: z.object({
        ...Confirmation,
        type: z.string(),
        name: z.string(),
        version: z.int().optional(),
        state: z.string().optional(),
        created: z.boolean().optional(),
        steps: Planned.steps.optional(),
        warnings: Planned.warnings.optional(),
      }),
      async run(ctx, { confirmToken, ...args }) {
        const { type, name, item } = args
        const call = { tool: 'save_metadata', args }
        let confirm: string | undefined
        if (confirmToken === undefined) {
          const tried = await metadata.save(ctx, { type, name, item, dryRun: true })
          if (losesData(tried)) {
            const plan = { action: `save ${type} ${name}`, losesData: true, ...planOf(tried) }
            return { ...confirmations.ask(ctx, call, plan, tried.planHash ?? null), type, name }
          }
        } else {
          // The plan agreed to, and no other: one that changed meanwhile is refused with the new one.
          const agreed = confirmations.redeem(ctx, call, confirmToken)
          if (typeof agreed === 'string') confirm = agreed
        }
        const saved = await metadata.save(ctx, { type, name, item, ...(confirm === undefined ? {} : { confirm }) })
        const { version, state, created } = saved
        return { status: 'done' as const, type, name, version, state, created, ...planOf(saved) }
      },
    }),
  ]
}

function planOf({ plan, warnings }: SaveItemResult) {
  return { steps: plan.map((step) => ({ ...step })), warnings: warnings.map((one) => ({ ...one })) }
}

function losesData({ plan }: SaveItemResult): boolean {
  return plan.some(({ destructive, lossy }) => destructive || lossy > 0)
}
