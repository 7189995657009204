// Tools of plugins that may be absent: comments on records, and flows.
import { z } from 'zod'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { AutomationService } from '#main/plugins/automation/api.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import { ObjectName, RecordId } from './shapes.ts'
import type { Tool } from './tool.ts'
import { adds, defineTool } from './tool.ts'

/** How long a call waits for a flow, in milliseconds; below the limit of a request. */
const waitMs = 30_000

/** Makes the tool that comments. */
export function commentTool(feed: FeedService): Tool {
  return defineTool({
    name: 'comment_record',
    title: 'Comment on a record',
    description: 'Adds a comment to the activity of a record; people who follow the record are told of it.',
    hints: adds,
    showsRecords: true,
    input: z.strictObject({
      object: ObjectName,
      id: RecordId,
      body: z.string().min(1).max(10_000).meta({ description: 'Text of the comment, Markdown.' }),
    }),
    output: z.object({ object: z.string(), recordId: z.string(), feedId: z.string(), createdAt: z.string() }),
    async run(ctx, { object, id, body }) {
      const { feedId, recordId, createdAt } = await feed.comment(ctx, { object, recordId: id }, body)
      return { object, recordId, feedId, createdAt }
    },
  })
}

/** Makes the tool that starts flows. */
export function flowTool(automation: AutomationService, authorizer: () => Authorizer): Tool {
  return defineTool({
    name: 'run_flow',
    title: 'Run a flow',
    description:
      'Starts an automation of the workspace and waits up to 30 seconds for its end. What a flow does is up to its author: it may change records and call other systems.',
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    showsRecords: true,
    input: z.strictObject({
      flow: z.string().max(200).meta({ description: 'Name of the flow.' }),
      params: z.record(z.string(), z.unknown()).default({}).meta({ description: 'What the flow is given.' }),
      object: ObjectName.optional(),
      recordId: RecordId.optional(),
    }),
    output: z.object({
      runId: z.string(),
      status: z.string().meta({ description: 'Still running or waiting unless it has ended.' }),
      output: z.unknown().optional(),
      error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
    }),
    async run(ctx, { flow, params, object, recordId }) {
      requireSystemPermission(authorizer(), ctx, 'run_flows')
      const input = {
        params,
        ...(object === undefined ? {} : { object }),
        ...(recordId === undefined ? {} : { recordId }),
      }
      const { runId, status, output, error } = await automation.trigger(ctx, flow, input, { waitMs, type: 'manual' })
      return {
        runId,
        status,
        ...(output === undefined ? {} : { output }),
        ...(error === undefined ? {} : { error: { ...error } }),
      }
    },
  })
}
