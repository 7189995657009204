// All tools in the order they are listed. Those of a plugin that is absent are not there.
import { platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { AutomationService } from '#main/plugins/automation/api.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { ImportService } from '#main/plugins/import/api.ts'
import { commentTool, flowTool } from './activity-tools.ts'
import type { MetadataParts } from './metadata-tools.ts'
import { metadataTools } from './metadata-tools.ts'
import type { ReadParts } from './read-tools.ts'
import { readTools } from './read-tools.ts'
import type { RecordParts } from './record-tools.ts'
import { recordTools } from './record-tools.ts'
import type { Tool } from './tool.ts'
import { transferTools } from './transfer-tools.ts'

/** What tools work with. */
export interface ToolBoxParts extends Omit<ReadParts, 'metadata'>, Omit<RecordParts, 'metadata'>, MetadataParts {
  readonly feed: () => FeedService | undefined
  readonly automation: () => AutomationService | undefined
  readonly transfers: () => ImportService | undefined
  /** Hears of each call that may have changed something, once it has; the entry names the credential. */
  readonly note: (ctx: RequestContext, acted: Acted) => Promise<void>
}

/** What the audit is told of a call: never what was written. */
export interface Acted {
  readonly tool: string
  readonly object?: string
  readonly recordId?: string
}

/** Makes the tools at the first question: by then every plugin is there. */
export function createToolBox(parts: ToolBoxParts): () => readonly Tool[] {
  let made: readonly Tool[] | undefined
  return () => {
    made ??= makeTools(parts)
    return made
  }
}

function makeTools(parts: ToolBoxParts): readonly Tool[] {
  const { confirmations, authorizer } = parts
  const feed = parts.feed()
  const automation = parts.automation()
  const transfers = parts.transfers()
  const made = [
    ...readTools(parts),
    ...recordTools(parts),
    ...(feed === undefined ? [] : [commentTool(feed)]),
    ...(automation === undefined ? [] : [flowTool(automation, authorizer)]),
    ...metadataTools(parts),
    ...(transfers === undefined ? [] : transferTools({ transfers, confirmations })),
  ]
  return made.map((tool) => (tool.hints.readOnlyHint ? tool : guarded(tool, parts.note)))
}

/**
 * The tool, closed to keys that only read, with an entry in the audit for each call that acted; one that only answered a
 * plan did not.
 */
function guarded(tool: Tool, note: ToolBoxParts['note']): Tool {
  return {
    ...tool,
    async run(ctx, args) {
      // The endpoint lets such keys in for the other tools, so what each route refuses is refused here.
      if (ctx.scope?.readOnly === true) throw platformError('permission_denied', { reason: 'read_only_key' })
      const found = await tool.run(ctx, args)
      if (found['status'] === 'confirmation_required') return found
      const { object } = args
      const recordId = found['id'] ?? found['recordId']
      await note(ctx, {
        tool: tool.name,
        ...(typeof object === 'string' ? { object } : {}),
        ...(typeof recordId === 'string' ? { recordId } : {}),
      })
      return found
    },
  }
}
