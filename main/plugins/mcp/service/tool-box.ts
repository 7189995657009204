// All tools in the order they are listed. Those of a plugin that is absent are not there.
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
  return [
    ...readTools(parts),
    ...recordTools(parts),
    ...(feed === undefined ? [] : [commentTool(feed)]),
    ...(automation === undefined ? [] : [flowTool(automation, authorizer)]),
    ...metadataTools(parts),
    ...(transfers === undefined ? [] : transferTools({ transfers, confirmations })),
  ]
}
