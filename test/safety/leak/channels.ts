// The channels of the leak and oracle checks: every way in which something leaves the host, with the requests that try
// it. A route whose channel is not named here, or that none of the requests reaches, is a finding.
import type { ChannelCases } from './leak-case.ts'
import { aiChannels } from './ai-channels.ts'
import { documentChannels } from './document-channels.ts'
import { feedChannels } from './feed-channels.ts'
import { graphqlChannels } from './graphql-channels.ts'
import { mcpReads, mcpWrites } from './mcp-channels.ts'
import { odataChannels } from './odata-channels.ts'
import { otherChannels } from './other-channels.ts'
import { readingChannels } from './reading-channels.ts'
import { realtimeChannels } from './realtime-channels.ts'
import { writingChannels } from './writing-channels.ts'

/** Every channel that exists, with its requests. */
export const channels: Readonly<Record<string, ChannelCases>> = {
  ...readingChannels,
  ...odataChannels,
  ...aiChannels,
  // Before the writes: a stream repeats what its caller said itself.
  ...realtimeChannels,
  ...mcpReads,
  ...writingChannels,
  ...feedChannels,
  ...documentChannels,
  ...graphqlChannels,
  ...mcpWrites,
  ...otherChannels,
}

/** The words of `channel` in contracts that the channels above cover. */
export const coveredContractChannels: ReadonlySet<string> = new Set([
  'ai',
  'analytics',
  'audit',
  'automation',
  'backups',
  'batch',
  'changelog',
  'create',
  'delete',
  'documents',
  'export',
  'feed',
  'feed-search',
  'get',
  'graphql',
  'hooks',
  'hub',
  'import',
  'list',
  'mcp',
  'metadata',
  'none',
  'notifications',
  'odata',
  'packages',
  'permissions',
  'polling',
  'presence',
  'realtime',
  'registry',
  'reveal',
  'scripts',
  'search',
  'session',
  'settings',
  'shares',
  'sse',
  'storage',
  'sync',
  'update',
  'views',
  'webhooks',
  'workflow',
])

/**
 * Channels of capabilities that are not built: where their routes will be. A route under one of these is a finding until
 * its channel has requests above.
 */
export const absentChannels: Readonly<Record<string, RegExp>> = {}

/** Channels that are measured elsewhere: timing is the check C2t. */
export const measuredElsewhere = ['timing'] as const

/** Channels whose requests start a process of their own: at a commit fewer of their cases are drawn. */
export const startsProcesses: ReadonlySet<string> = new Set(['export', 'sql'])
